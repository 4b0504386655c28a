"""Ports of a switch by what decides their headroom: link group, length of the cable and MTU, each port's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.plan.model.cabling import cables_below, links_at_ports, up_links
from fabricgen.plan.model.exceptions import LinkException
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.model.links import links_below, uplinks
from fabricgen.plan.model.numbering import Coordinates
from fabricgen.plan.model.topology import LinkGroup, Slot, Tier, group_at, ports_by_link

_REGULAR = LinkException()


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


def count_ports(plan: FabricPlan, device: DeviceId) -> list[PortUse]:
    """The ports of one switch, downwards first, with the cable and the MTU that exceptions give each.

    A cable that is not there yet counts at the maximum, as long as the exception says it will be.
    """
    tier = plan.tier_of(device)
    there: set[int] = set()
    own: dict[int, LinkException] = {}
    for at, change in _cabled(plan, device, tier):
        there.add(at)
        own[at] = change
    for at, change in _missing(plan, device, tier):
        own.setdefault(at, change)
    counted: dict[tuple[str, float, int], PortUse] = {}
    for use in reserved_ports(plan, plan.tiers[device.tier]):
        counted[use.link.name, use.length_m, use.mtu_bytes] = use._replace(maximum=0)
    for at, slot in enumerate(tier.slots):
        if slot.side:
            group, change = _group_of(plan, tier, slot), own.get(at, _REGULAR)
            length_m, mtu_bytes = change.length_m or group.length_m, change.mtu_bytes or group.mtu_bytes
            key = (group.name, length_m, mtu_bytes)
            use = counted.get(key) or PortUse(group, length_m, mtu_bytes, 0, 0)
            counted[key] = use._replace(now=use.now + (at in there), maximum=use.maximum + 1)
    first = {name: at for at, name in enumerate(dict.fromkeys(name for name, _, _ in counted))}
    return sorted(counted.values(), key=lambda use: first[use.link.name])


def has_own_ports(plan: FabricPlan, device: DeviceId) -> bool:
    """Return whether exceptions change what the ports of a switch are, or which of them have a link."""
    return device in plan.exceptions.recabled or plan.tier_of(device).slots is not plan.tiers[device.tier].slots


def has_own_reserved(plan: FabricPlan, device: DeviceId) -> bool:
    """Return whether exceptions change what is reserved at a switch: its ports, or the length or MTU of its cables."""
    return device in plan.exceptions.resized or plan.tier_of(device).slots is not plan.tiers[device.tier].slots


class PortCounter:
    """Counts ports of one plan, once for all switches whose ports are as in the plan."""

    def __init__(self, plan: FabricPlan) -> None:
        """Prepare for one plan."""
        self._plan = plan
        self._counted: dict[tuple[int, tuple[bool, ...], Coordinates], list[PortUse]] = {}
        self._reserved = [reserved_ports(plan, tier) for tier in plan.tiers]

    def count(self, device: DeviceId) -> list[PortUse]:
        """Return the ports of one switch, as ``count_ports`` does."""
        plan, where = self._plan, device.where
        if has_own_ports(plan, device):
            return count_ports(plan, device)
        alike = Coordinates(plane=where.plane, group=where.group, index=where.index)
        key = (device.tier, tuple(not device.tier and group.meets(where) for group in plan.hosts), alike)
        if key not in self._counted:
            self._counted[key] = count_ports(plan, device)
        return self._counted[key]

    def reserved(self, device: DeviceId) -> list[PortUse]:
        """Return the ports of one switch at the reserved maximum, none with a link."""
        if has_own_reserved(self._plan, device):
            return [use._replace(now=0) for use in count_ports(self._plan, device)]
        return self._reserved[device.tier]


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


def _missing(plan: FabricPlan, device: DeviceId, tier: Tier) -> Iterator[tuple[int, LinkException]]:
    """Index of every port whose link is irregular and not there, and what the link will be."""
    if not plan.exceptions.links:
        return
    for link, at in links_at_ports(tier, links_below(plan, device), uplinks(plan, tier, device.where)):
        change = plan.exceptions.links.get(link.id)
        if change is not None and change.end is None and at >= 0:
            yield at, change
