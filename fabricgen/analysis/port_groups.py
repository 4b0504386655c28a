"""Ports of a switch by the links they carry, now and at the reserved maximum, and how many switches have the same."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise, product
from math import prod
from typing import NamedTuple

from fabricgen.plan.model.buffers import PgProfile
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates, DeviceId
from fabricgen.plan.model.port_use import PortCounter, PortUse, reserved_ports
from fabricgen.plan.model.topology import Tier


class PortGroup(NamedTuple):
    """Ports of one link group, cable length and MTU on a switch: with a link now, and at the reserved maximum.

    ``profile`` is the headroom of their lossless priority groups; None where planning found none.
    """

    link: str
    speed_gbps: int
    length_m: float
    lanes: int
    mtu_bytes: int
    profile: PgProfile | None
    now: int
    maximum: int


class SwitchKind(NamedTuple):
    """Switches of one tier with equal ports and buffers.

    Attributes:
        tier: The tier as these switches have it.
        ports: Their ports, downwards first.
        excepted: Those of them that exceptions make different from the regular switches of the tier.
    """

    tier: Tier
    key: str
    switches: int
    ports: tuple[PortGroup, ...]
    excepted: tuple[DeviceId, ...] = ()

    @property
    def box_ports(self) -> int:
        """Ports of one of them with every reserved link, and those that never have one."""
        return max(len(self.tier.slots), sum(group.maximum for group in self.ports))


def list_kinds(plan: FabricPlan) -> list[SwitchKind]:
    """Every kind of switch that exists, tier by tier, the regular ones first; nothing here visits every switch."""
    found: dict[Hashable, SwitchKind] = {}
    excepted, counter = _by_tier(plan), PortCounter(plan)
    for tier in plan.tiers:
        for device, switches in _regular(plan, tier, excepted[tier.number]):
            names = (group.name for group in plan.hosts if not tier.number and group.meets(device.where))
            kind = SwitchKind(tier, "/".join([tier.name, *names]), switches, _port_groups(tier, counter.count(device)))
            _add(found, kind)
        for device in excepted[tier.number]:
            if not plan.exceptions.is_absent(device):
                own, key = plan.tier_of(device), f"{tier.name}/{plan.device_name(device)}"
                _add(found, SwitchKind(own, key, 1, _port_groups(own, counter.count(device)), (device,)))
    return list(found.values())


def list_reserved(plan: FabricPlan) -> list[SwitchKind]:
    """Every kind of switch as it is when all reserved links exist: the regular one of each tier, then excepted ones."""
    found: dict[Hashable, SwitchKind] = {}
    excepted, counter = _by_tier(plan), PortCounter(plan)
    for tier in plan.tiers:
        _add(found, SwitchKind(tier, tier.name, tier.size, _port_groups(tier, reserved_ports(plan, tier))))
        for (own, uses), devices in _alike(plan, counter, excepted[tier.number]):
            key = f"{tier.name}/{plan.device_name(devices[0])}"
            _add(found, SwitchKind(own, key, 0, _port_groups(own, uses), tuple(devices)))
    return list(found.values())


def _alike(
    plan: FabricPlan, counter: PortCounter, devices: Iterable[DeviceId]
) -> Iterable[tuple[tuple[Tier, list[PortUse]], list[DeviceId]]]:
    """The switches that exist, by the records of their buffers and of their reserved ports, which many share."""
    records: dict[tuple[int, int, int], tuple[Tier, list[PortUse]]] = {}
    found: dict[tuple[int, int, int], list[DeviceId]] = {}
    for device in devices:
        if not plan.exceptions.is_absent(device):
            tier, uses = plan.tier_of(device), counter.reserved(device)
            key = (id(tier.buffers), id(tier.bound), id(uses))
            records.setdefault(key, (tier, uses))
            found.setdefault(key, []).append(device)
    return [(record, found[key]) for key, record in records.items()]


def _add(found: dict[Hashable, SwitchKind], kind: SwitchKind) -> None:
    """Add switches to those that are like them; an excepted one that is like the regular ones is one of these."""
    same = (kind.tier.name, kind.tier.model, kind.ports, kind.tier.buffers.pools, kind.tier.bound)
    known = found.get(same)
    if known is None:
        found[same] = kind
    else:
        excepted = (*known.excepted, *kind.excepted) if known.excepted else ()
        found[same] = known._replace(switches=known.switches + kind.switches, excepted=excepted)


def _by_tier(plan: FabricPlan) -> list[list[DeviceId]]:
    """The switches that differ from their class, tier by tier."""
    found: list[list[DeviceId]] = [[] for _ in plan.tiers]
    for device in sorted(plan.exceptions.touched):
        found[device.tier].append(device)
    return found


def _regular(plan: FabricPlan, tier: Tier, excepted: Sequence[DeviceId]) -> Iterator[tuple[DeviceId, int]]:
    """A regular switch of each part of a tier in which all have the same hosts, and how many such there are.

    Leafs differ by unit, rail group and place in their group; the switches of an upper tier do not.
    """
    zones, pods, units, planes, groups, indices = map(range, tier.counts)
    parts = [(zones, pods, units, planes, groups, indices)]
    if tier.number == 0:
        alike = [range(first, end) for first, end in pairwise(_unit_starts(plan, len(units)))]
        single = [[range(n, n + 1) for n in numbers] for numbers in (groups, indices)]
        parts = [(zones, pods, some, planes, group, index) for some, group, index in product(alike, *single)]
    irregular = {device.where for device in excepted}
    for part in parts:
        inside = sum(all(n in numbers for n, numbers in zip(where, part, strict=True)) for where in irregular)
        left = prod(map(len, part)) - inside
        if left:
            where = next(found for found in map(Coordinates._make, product(*part)) if found not in irregular)
            yield DeviceId(tier.number, where), left


def _unit_starts(plan: FabricPlan, units: int) -> list[int]:
    """Numbers of units at which the host groups that a unit has change, and the number of all units."""
    ends = {end for group in plan.hosts for first, last in group.units for end in (first, last + 1)}
    return sorted({0, units} | {end for end in ends if 0 < end < units})


def _port_groups(tier: Tier, ports: Iterable[PortUse]) -> tuple[PortGroup, ...]:
    """Ports with the headroom profile that covers their cable."""
    return tuple(
        PortGroup(
            link=use.link.name,
            speed_gbps=use.link.speed_gbps,
            length_m=use.length_m,
            lanes=use.link.lanes,
            mtu_bytes=use.mtu_bytes,
            profile=tier.buffers.headroom_for(use.link.speed_gbps, use.length_m, use.link.lanes, use.mtu_bytes),
            now=use.now,
            maximum=use.maximum,
        )
        for use in ports
        if use.maximum
    )
