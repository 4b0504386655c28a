"""Pools that a switch sizes itself: what they come to now and at the reserved maximum."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fabricgen.analysis.port_groups import PortGroup
from fabricgen.physics.pools_dynamic import ScriptedPorts, SetAside, occupied_bytes, pool_bytes
from fabricgen.plan.model.buffers import Buffers, egress_port_bytes
from fabricgen.plan.model.contract import Contract


class ComputedPools(NamedTuple):
    """Every computed pool has the same size: what is not occupied, shared by the ingress pools.

    Attributes:
        memory_bytes: Shared memory of the ASIC.
        ingress: Ingress pools.
        occupied_now: What is taken now, and ``occupied_maximum`` at the reserved maximum.
        now_bytes: Size of a pool now, and ``maximum_bytes`` at the reserved maximum; negative if nothing is left.
    """

    memory_bytes: int
    ingress: int
    occupied_now: int
    occupied_maximum: int
    now_bytes: int
    maximum_bytes: int


def size_pools(buffers: Buffers, contract: Contract, groups: Sequence[PortGroup]) -> ComputedPools:
    """The sizes of a switch's computed pools.

    Source:
        See `fabricgen.physics.pools_dynamic`.
    """
    memory = next((pool.size_bytes for pool in buffers.pools if not pool.computed), buffers.asic.buffer_bytes)
    ingress = sum(pool.kind == "ingress" for pool in buffers.pools)
    aside = SetAside(
        buffers.asic.group_reserved_bytes,
        buffers.asic.group_reserved_8_lanes_bytes,
        buffers.asic.port_reserved_bytes,
        buffers.asic.fixed_reserved_bytes,
    )
    lossless, lossy = len(contract.lossless), contract.lossy_groups
    egress = egress_port_bytes(buffers.profiles, lossless)
    headroom = max((pool.xoff_bytes or 0 for pool in buffers.pools), default=0)
    of_port = [lossless * group.profile.size_bytes if group.profile else 0 for group in groups]

    def occupied(counts: Iterable[int]) -> int:
        ports = (
            ScriptedPorts(count, group.lanes, size, lossy, egress)
            for count, group, size in zip(counts, groups, of_port, strict=True)
        )
        return occupied_bytes(ports, aside, headroom)

    now, maximum = occupied(group.now for group in groups), occupied(group.maximum for group in groups)
    return ComputedPools(
        memory, ingress, now, maximum, pool_bytes(memory, now, ingress), pool_bytes(memory, maximum, ingress)
    )
