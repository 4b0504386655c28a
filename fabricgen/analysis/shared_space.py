"""Shared space of one memory of a switch at the reserved maximum, and the fill where PFC pauses and ingress drops."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fabricgen.analysis.port_groups import PortGroup, SwitchKind
from fabricgen.physics.headroom import drop_bytes, groups_with_headroom, headroom_at_once_bytes, headroom_in_turn_bytes
from fabricgen.physics.headroom_dynamic import ScriptedPorts, SetAside, occupied_bytes, pool_bytes
from fabricgen.physics.memory import (
    LosslessPorts,
    PortReserve,
    left_bytes,
    pause_bytes,
    port_reserves,
    shared_per_memory_bytes,
)
from fabricgen.plan.model.buffers import Buffers, PgProfile, Pool, egress_port_bytes
from fabricgen.plan.model.contract import Contract


class SharedSpace(NamedTuple):
    """One of a switch's memories, each with an equal part of every pool and of the ports.

    Attributes:
        memories: How many there are; 1 unless ``published``.
        shared_bytes: What the queues of one memory share.
        headroom_bytes: Headroom pool of one memory; 0 where every priority group has headroom of its own.
        derivation: ``shared_bytes`` with its numbers.
    """

    memories: int
    published: bool
    shared_bytes: int
    headroom_bytes: int
    groups: int
    derivation: str
    source: str


def find_shared_space(kind: SwitchKind, contract: Contract) -> SharedSpace | None:
    """Return the memory of switches with every reserved link; None where nothing is lossless or no pool is known."""
    buffers = kind.tier.buffers
    pool = buffers.lossless_pool
    if pool is None or not contract.lossless:
        return None
    memories = buffers.asic.itm or 1
    ports = sum(-(-count // memories) for count in _ports_by_link(kind).values())
    shared, derivation = _shared(kind, contract, pool, memories)
    return SharedSpace(
        memories,
        bool(buffers.asic.itm),
        shared,
        (pool.xoff_bytes or 0) // memories,
        ports * len(contract.lossless),
        derivation,
        f"{buffers.source}, {kind.tier.sku}".removesuffix(", "),
    )


def _ports_by_link(kind: SwitchKind) -> Counter[str]:
    found: Counter[str] = Counter()
    for group in kind.ports:
        found[group.link] += group.maximum
    return found


def _shared(kind: SwitchKind, contract: Contract, pool: Pool, memories: int) -> tuple[int, str]:
    """Return what the queues of one memory share, and the arithmetic."""
    buffers, each = kind.tier.buffers, f" / {memories}" if memories > 1 else ""
    if buffers.computed:
        size = max(0, size_pools(buffers, contract, kind.ports).maximum_bytes)
        return size, f"{size}{each}"
    if buffers.pools_exclude_reserved or buffers.asic.pools_exclude_reserved:
        return shared_per_memory_bytes(pool.size_bytes, memories, []), f"{pool.size_bytes}{each}"
    headroom = pool.xoff_bytes or 0
    # What a lossless priority group has before shared space; headroom of its own is no part of it.
    ports = [LosslessPorts(g.link, g.speed_gbps, g.maximum, own_bytes(buffers, g.profile)) for g in kind.ports]
    reserves = port_reserves(ports, len(contract.lossless), buffers.asic.queues_reserved_bytes, kind.box_ports)
    terms = [
        f" - {-(-some.ports // memories)} x {_show_reserve(some)}"
        for some in reserves
        if some.ports * some.reserved_bytes
    ]
    whole = f"({pool.size_bytes} - {headroom})" if headroom else str(pool.size_bytes)
    shared = shared_per_memory_bytes(pool.size_bytes - headroom, memories, reserves)
    return shared, f"{whole}{each}{''.join(terms)}"


def _show_reserve(reserve: PortReserve) -> str:
    parts = [str(size) for size in (reserve.groups_bytes, reserve.queues_bytes) if size]
    return f"({' + '.join(parts)})" if len(parts) > 1 else "".join(parts) or "0"


def own_bytes(buffers: Buffers, profile: PgProfile | None) -> int:
    """Return what a lossless priority group has for itself before it takes shared space; 0 without a profile.

    Source:
        sonic-net/sonic-mgmt b4ba9de3, tests/qos/files/qos_params.th5.yaml, ``pkts_num_fill_min``; for switches that
        compute their buffers mellanox/qos_param_generator.py: PFC starts ``size`` less ``xoff`` above shared space.
    """
    if profile is None:
        return 0
    pool = buffers.lossless_pool
    return profile.size_bytes - (0 if pool and pool.xoff_bytes else profile.xoff_bytes)


class ComputedPools(NamedTuple):
    """Every computed pool has the same size: what is not occupied, shared by the ingress pools.

    Attributes:
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
    """The sizes of a switch's computed pools, see `fabricgen.physics.headroom_dynamic`."""
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


TURNS = (2, 4, 8, 16)
"""Priority groups filled one after the other that are shown; after 16 at alpha 1 nothing is left to share."""


class PausePoint(NamedTuple):
    """Fill of one lossless priority group, bytes.

    Attributes:
        state: What the other lossless priority groups of its memory hold.
        starts_bytes: Fill from which PFC pauses the sender.
        drops_bytes: Fill above which ingress drops.
        ends_bytes: Fill at which PFC ends; None where no profile says so.
    """

    profile: str
    links: list[str]
    state: str
    starts_bytes: int
    headroom_bytes: int
    drops_bytes: int
    ends_bytes: int | None
    derivation: str


def list_pause_points(kind: SwitchKind, space: SharedSpace) -> Iterator[PausePoint]:
    """Yield where the lossless priority groups of switches pause and drop, profile by profile."""
    links: dict[str, list[str]] = {}
    profiles: dict[str, PgProfile] = {}
    for group in kind.ports:
        if group.profile is not None:
            profiles[group.profile.name] = group.profile
            if group.link not in (named := links.setdefault(group.profile.name, [])):
                named.append(group.link)
    for name, profile in profiles.items():
        point = _Points(links[name], profile, own_bytes(kind.tier.buffers, profile), space)
        yield point.at_once("alone", 1)
        yield from (point.in_turn(turn) for turn in sorted({*TURNS, point.first_without}) if 1 < turn <= space.groups)
        yield point.at_once(f"all {space.groups} of the memory", space.groups)


class _Points(NamedTuple):
    """Figures from which the fill of the groups of one profile follows."""

    links: list[str]
    profile: PgProfile
    own_bytes: int
    space: SharedSpace

    @property
    def first_without(self) -> int:
        """The first group, filled in turn, that does not find all of its headroom; 0 where headroom is its own."""
        pool = self.space.headroom_bytes
        return groups_with_headroom(self.profile.xoff_bytes, pool) + 1 if pool else 0

    def at_once(self, state: str, groups: int) -> PausePoint:
        """Some groups that fill alike."""
        alpha, shared = 2.0**self.profile.dynamic_th, self.space.shared_bytes
        headroom = headroom_at_once_bytes(self.profile.xoff_bytes, self.space.headroom_bytes, groups)
        divisor = f"(1 + {alpha:g} x {groups})" if groups > 1 else f"(1 + {alpha:g})"
        arithmetic = f"{self.own_bytes} + {alpha:g} x {shared} / {divisor}"
        return self._point(state, pause_bytes(alpha, shared, self.own_bytes, groups), headroom, arithmetic)

    def in_turn(self, turn: int) -> PausePoint:
        """Return one of several groups, of which all that came before are full and stay so."""
        alpha, shared = 2.0**self.profile.dynamic_th, self.space.shared_bytes
        headroom = headroom_in_turn_bytes(self.profile.xoff_bytes, self.space.headroom_bytes, turn - 1)
        pauses = pause_bytes(alpha, left_bytes(alpha, shared, turn - 1), self.own_bytes)
        arithmetic = f"{self.own_bytes} + {alpha:g} x {shared} / (1 + {alpha:g})^{turn}"
        return self._point(f"number {turn} in turn", pauses, headroom, arithmetic)

    def _point(self, state: str, pauses: int, headroom: int, arithmetic: str) -> PausePoint:
        offset = self.profile.xon_offset_bytes
        released = None if offset is None else max(0, pauses - offset)
        drops = drop_bytes(pauses, headroom)
        return PausePoint(self.profile.name, self.links, state, pauses, headroom, drops, released, arithmetic)
