"""Ports of a switch by what decides their headroom: link group, length of the cable and MTU, each port's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

from fabricgen.plan.model.cabling import FabricLink, cables_below, link_of, links_at_ports, up_links
from fabricgen.plan.model.fabric import FabricPlan, LinkException
from fabricgen.plan.model.identity import Coordinates, DeviceId
from fabricgen.plan.model.topology import LinkGroup, Slot, Tier, group_at, ports_by_link

_REGULAR = LinkException()
_Key = tuple[str, float, int]


class PortUse(NamedTuple):
    """Ports of a switch with equal links: how many have one now, and how many at the reserved maximum."""

    link: LinkGroup
    length_m: float
    mtu_bytes: int
    now: int
    maximum: int


def reserved_ports(plan: FabricPlan, tier: Tier) -> list[PortUse]:
    """The ports of a tier's regular switches, downwards first; none has a link yet."""
    up = (plan.links[tier.number + 1], len(tier.up.slots)) if tier.up else None
    ports = ports_by_link(tier.number, plan.links[tier.number], plan.hosts, len(tier.down.slots), up)
    return [PortUse(link, link.length_m, link.mtu_bytes, 0, count) for link, count in ports]


def has_own_reserved(plan: FabricPlan, device: DeviceId) -> bool:
    """Return whether exceptions change what is reserved at a switch: its ports, or the length or MTU of its cables."""
    return device in plan.exceptions.resized or plan.tier_of(device).slots is not plan.tiers[device.tier].slots


class PortCounter:
    """Counts ports of one plan, once for all switches whose ports are as in the plan."""

    def __init__(self, plan: FabricPlan) -> None:
        """Prepare for one plan."""
        self._plan = plan
        self._counted: dict[tuple[int, tuple[bool, ...], Coordinates], list[PortUse]] = {}
        self._regular = [reserved_ports(plan, tier) for tier in plan.tiers]
        self._bare: dict[Hashable, list[PortUse]] = {}
        self._reserved: dict[Hashable, list[PortUse]] = {}

    @cached_property
    def _irregular(self) -> dict[DeviceId, dict[int, LinkException]]:
        return _irregular_ports(self._plan)

    def count(self, device: DeviceId) -> list[PortUse]:
        """Return the ports of one switch, downwards first, with the cable and the MTU that exceptions give each.

        A cable that is not there yet counts at the maximum, as long as the exception says it will be.
        """
        plan, where = self._plan, device.where
        if device in plan.exceptions.recabled or plan.tier_of(device).slots is not plan.tiers[device.tier].slots:
            return self._count_own(device)
        alike = Coordinates(plane=where.plane, group=where.group, index=where.index)
        key = (device.tier, tuple(not device.tier and group.meets(where) for group in plan.hosts), alike)
        if key not in self._counted:
            self._counted[key] = self._count_own(device)
        return self._counted[key]

    def reserved(self, device: DeviceId) -> list[PortUse]:
        """Return the ports of one switch at the reserved maximum, none with a link; equal ones are one list."""
        own = has_own_reserved(self._plan, device)
        return self._count_reserved(device) if own else self._regular[device.tier]

    def _count_own(self, device: DeviceId) -> list[PortUse]:
        """The ports of one switch with the links it has now."""
        plan, tier = self._plan, self._plan.tier_of(device)
        cabled = dict(_cabled(plan, device, tier)).items()
        now = Counter(
            _key(_group_of(plan, tier, tier.slots[at]), change) for at, change in cabled if tier.slots[at].side
        )
        return [use._replace(now=now[_key_of(use)]) for use in self._count_reserved(device)]

    def _count_reserved(self, device: DeviceId) -> list[PortUse]:
        """The ports of one switch at the reserved maximum: those of each link group, less what is irregular of it."""
        plan, tier = self._plan, self._plan.tier_of(device)
        box = tier.number, tuple(sorted((slot.side, slot.position) for slot in tier.slots if slot.side))
        if box not in self._bare:
            self._bare[box] = _count_bare(plan, tier)
        ports = [(tier.slots[at], change) for at, change in sorted(self._irregular.get(device, {}).items())]
        links = [(_group_of(plan, tier, slot), change) for slot, change in ports if slot.side]
        irregular = [(link, _key(link, change)) for link, change in links]
        alike = box, tuple((link.lanes, key) for link, key in irregular)
        if alike not in self._reserved:
            self._reserved[alike] = _count_irregular(self._bare[box], irregular)
        return self._reserved[alike]


def _key(group: LinkGroup, change: LinkException) -> _Key:
    """Return what decides the headroom of a port: link group, length and MTU."""
    return group.name, change.length_m or group.length_m, change.mtu_bytes or group.mtu_bytes


def _key_of(use: PortUse) -> _Key:
    return use.link.name, use.length_m, use.mtu_bytes


def _count_irregular(bare: list[PortUse], irregular: Iterable[tuple[LinkGroup, _Key]]) -> list[PortUse]:
    """The ports of a box, of which some have an irregular cable, by link group."""
    found = {_key_of(use): use.maximum for use in bare}
    links = {use.link.name: use.link for use in bare}
    for link, key in irregular:
        regular = _key(link, _REGULAR)
        found[regular] = found.get(regular, 0) - 1
        found[key] = found.get(key, 0) + 1
        links.setdefault(link.name, link)
    first = {name: at for at, name in enumerate(links)}
    uses = [PortUse(links[key[0]], key[1], key[2], 0, ports) for key, ports in found.items()]
    return sorted(uses, key=lambda use: first[use.link.name])


def _count_bare(plan: FabricPlan, tier: Tier) -> list[PortUse]:
    """The ports of a box, those of a tier's regular switches first, as if no cable on it were irregular."""
    links = [_group_of(plan, tier, slot) for slot in tier.slots if slot.side]
    ports = Counter(link.name for link in links)
    known = {link.name: link for link in (*(use.link for use in reserved_ports(plan, tier)), *links)}
    return [PortUse(link, link.length_m, link.mtu_bytes, 0, ports[name]) for name, link in known.items()]


def _group_of(plan: FabricPlan, tier: Tier, slot: Slot) -> LinkGroup:
    """The links that a port is for."""
    if slot.side == "up":
        return plan.links[tier.number + 1]
    return plan.links[tier.number] if tier.number else group_at(plan.hosts, slot.position).link


def _cabled(plan: FabricPlan, device: DeviceId, tier: Tier) -> Iterator[tuple[int, LinkException]]:
    """Index of every port with a link now, and what is irregular about the link."""
    for link, at in links_at_ports(tier, cables_below(plan, device), up_links(plan, device)):
        if at >= 0:
            yield at, plan.exceptions.links.get(link.id, _REGULAR)


def _irregular_ports(plan: FabricPlan) -> dict[DeviceId, dict[int, LinkException]]:
    """By switch, its ports whose cable has a length or MTU of its own: those with a link, or with one by the plan."""
    found: dict[DeviceId, dict[int, LinkException]] = {}
    for identity, change in plan.exceptions.links.items():
        if not (change.length_m or change.mtu_bytes):
            continue
        link = link_of(plan, identity)
        end, position = link.upper_end, link.upper_position
        if change.end is not None:
            end, position = DeviceId(end.tier, change.end), change.end_position
            if change.state == "absent" or any(map(plan.exceptions.is_absent, (link.lower_end, end))):
                continue
        ends = [(end, plan.tier_of(end).down, position)]
        if isinstance(link, FabricLink) and (up := plan.tier_of(link.lower_end).up):
            ends.append((link.lower_end, up, link.lower_position))
        for device, side, at in ends:
            if 0 <= at < len(side.slots) and side.slots[at] >= 0:
                found.setdefault(device, {})[side.slots[at]] = change
    return found
