"""From names that exceptions use to identities, and from pairs of names to the links between them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from fabricgen.intent.exceptions import Exception_
from fabricgen.plan.model.fabric import FabricPlan, group_hosts
from fabricgen.plan.model.identity import DeviceId, FabricLinkId, HostId, LinkId
from fabricgen.plan.model.links import host_links_of_host, links_to, upper_peers
from fabricgen.plan.model.topology import LinkGroup

Names = dict[str, DeviceId | HostId]


def names_of(items: Iterable[Exception_]) -> set[str]:
    """Every name of a device that exceptions use."""
    named = ((item.device, item.host, item.to, *(item.link or ()), *(item.ports or ())) for item in items)
    return {name for names in named for name in names if name}


class RegularLink(NamedTuple):
    """A link of the regular plan: its two ends, the downlink position at the upper one, and its group."""

    id: LinkId
    lower: DeviceId | HostId
    upper: DeviceId
    position: int
    group: LinkGroup


def find_names(plan: FabricPlan, wanted: Collection[str]) -> Names:
    """Switches and hosts of the regular plan that bear one of the names."""
    found: Names = {}
    for tier in plan.tiers:
        for where in tier.coordinates():
            name = tier.device_name(where)
            if name in wanted:
                found[name] = DeviceId(tier.number, where)
    for unit in plan.units():
        for number, group in enumerate(plan.hosts):
            for host in group_hosts(group) if group.in_unit(unit.unit) else ():
                name = group.host_name(unit, host)
                if name in wanted:
                    found[name] = HostId(number, unit, host)
    return found


def name_of(plan: FabricPlan, identity: DeviceId | HostId) -> str:
    """Name of a switch or host."""
    return plan.device_name(identity) if isinstance(identity, DeviceId) else plan.host_name(identity)


def links_between(plan: FabricPlan, one: DeviceId | HostId, other: DeviceId | HostId) -> list[RegularLink]:
    """Links of the regular plan between two devices, in the order in which they are counted."""
    if isinstance(other, HostId):
        one, other = other, one
    if isinstance(other, HostId):
        return []
    if isinstance(one, HostId):
        return links_of_host(plan, one, other)
    lower, upper = sorted((one, other))
    return [
        RegularLink(link.id, lower, upper, link.upper_position, plan.links[link.number])
        for link in links_to(plan, lower, upper)
    ]


def link_group(plan: FabricPlan, names: Names, ends: Sequence[str]) -> LinkGroup | None:
    """The group of the links between two devices; None if there are no such links, or the names have no such device."""
    if len(ends) != 2 or ends[0] == ends[1] or not names.keys() >= set(ends):
        return None
    one, other = (names[end] for end in ends)
    if isinstance(one, DeviceId) and isinstance(other, DeviceId):
        lower, upper = sorted((one, other))
        return plan.links[upper.tier] if next(links_to(plan, lower, upper), None) else None
    return next((cable.group for cable in links_between(plan, one, other)), None)


def links_of_host(plan: FabricPlan, host: HostId, leaf: DeviceId) -> list[RegularLink]:
    """Links of a host to a switch."""
    group = plan.hosts[host.group].link
    return [
        RegularLink(link.id, host, leaf, link.upper_position, group)
        for link in host_links_of_host(plan, host)
        if link.upper_end == leaf
    ]


def in_reach(plan: FabricPlan, cable: RegularLink) -> set[DeviceId]:
    """Devices at which a cable may end instead of its upper end."""
    where = cable.upper.where
    if isinstance(cable.lower, DeviceId):
        return {*upper_peers(plan, cable.lower)} - {cable.upper}
    counts, hosts = plan.tiers[0].counts, plan.hosts[cable.lower.group]
    leafs = (where._replace(group=group, index=index) for group in range(counts.group) for index in range(counts.index))
    return {DeviceId(0, leaf) for leaf in leafs if hosts.meets(leaf)} - {cable.upper}


def link_text(plan: FabricPlan, link: LinkId) -> str:
    """A link in words, by its lower end."""
    if isinstance(link, FabricLinkId):
        return f"uplink {link.position + 1} of {plan.device_name(link.lower)}"
    return f"rail {link.rail} of {plan.host_name(link.host)}"
