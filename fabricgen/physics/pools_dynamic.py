"""Contents of a shared buffer pool besides headroom, and pools as SONiC sizes them on NVIDIA switches itself."""

from __future__ import annotations

from collections.abc import Iterable
from math import ceil
from typing import NamedTuple

from fabricgen.catalog.records import Asic, BufferPool

HEADROOM_APART = frozenset({"nvidia"})
"""Makers whose pool sizes leave the shared headroom out.

Source:
    sonic-net/sonic-swss e6b0c5b5 cfgmgr/buffer_pool_mellanox.lua takes the headroom pool off before the rest becomes
    the pool. On Broadcom it lies inside: the pool of Dell's Z9664F and Z9864F is every cell of the chip
    (facebook/fboss Tomahawk4Asic.cpp, Tomahawk5Asic.cpp: 2 x 223,662 and 2 x 319,960 cells of 254 bytes).
"""

SCRIPTED_MAKERS = HEADROOM_APART
"""Makers of ASICs for which SONiC has scripts of headroom and pools: the same whose pools leave headroom out."""

EIGHT_LANES = 8
PRIVATE_HEADROOM_BYTES = 10 * 1024


class SetAside(NamedTuple):
    """Bytes that the scripts reserve regardless of the configuration.

    Attributes:
        group_bytes: For each lossy priority group of a port, and for its management one; ``group_8_lanes_bytes`` if
            the port has eight lanes.
        port_bytes: For each port beside that.
        fixed_bytes: For the switch.
    """

    group_bytes: int
    group_8_lanes_bytes: int
    port_bytes: int
    fixed_bytes: int


class ScriptedPorts(NamedTuple):
    """Equal ports.

    Attributes:
        ports: How many.
        lanes: Serdes lanes of each.
        lossless_bytes: Reserved size of all lossless priority groups of one port.
        lossy_groups: Lossy priority groups of one port.
        egress_bytes: Reserved size of the egress profiles of one port.
    """

    ports: int
    lanes: int
    lossless_bytes: int
    lossy_groups: int
    egress_bytes: int


def occupied_bytes(groups: Iterable[ScriptedPorts], aside: SetAside, headroom_pool_bytes: int = 0) -> int:
    """Return what is taken from the memory before the rest becomes shared pools, bytes.

    Args:
        groups: Ports that are up.
        aside: What the scripts set aside.
        headroom_pool_bytes: Shared headroom pool; 0 where every priority group has headroom of its own.

    Source:
        sonic-net/sonic-swss e6b0c5b5 (2026-08-21) cfgmgr/buffer_pool_mellanox.lua.
    """
    taken = aside.fixed_bytes + headroom_pool_bytes
    for group in groups:
        size = aside.group_8_lanes_bytes if group.lanes == EIGHT_LANES else aside.group_bytes
        private = PRIVATE_HEADROOM_BYTES if headroom_pool_bytes and group.lossless_bytes else 0
        of_port = group.lossless_bytes + size * (group.lossy_groups + 1) + group.egress_bytes + aside.port_bytes
        taken += group.ports * (of_port + private)
    return taken


def pool_bytes(memory_bytes: int, occupied: int, ingress_pools: int) -> int:
    """Size of every pool that the scripts size; 0 or less where nothing is left to share.

    Args:
        memory_bytes: Shared memory of the ASIC.
        occupied: What ``occupied_bytes`` says.
        ingress_pools: Ingress pools whose size the configuration leaves open.

    Source:
        sonic-net/sonic-swss e6b0c5b5 (2026-08-21) cfgmgr/buffer_pool_mellanox.lua: two ingress pools share by halves.
    """
    available = memory_bytes - occupied
    return available if ingress_pools == 1 else ceil(available / 2)


def shared_bytes(pool: BufferPool, asic: Asic) -> int:
    """The part of an ingress pool that queues share, without the headroom pool, bytes.

    Args:
        pool: An ingress pool.
        asic: The ASIC it belongs to; its maker decides what ``size_bytes`` counts.

    Source:
        See ``HEADROOM_APART``.
    """
    return pool.size_bytes - (0 if asic.vendor in HEADROOM_APART else pool.xoff_bytes or 0)
