"""Actual cabling: the regular links of a device with the exceptions applied.

A device that no exception touches has the links that ``links`` gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from fabricgen.plan.model.exceptions import DeviceException
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, FabricLinkId, HostId, HostLinkId, LinkId
from fabricgen.plan.model.links import (
    FabricLink,
    HostLink,
    Link,
    downlinks,
    host_links_of_host,
    host_links_of_leaf,
    link_of,
    links_below,
    uplinks,
    upper_peers,
)
from fabricgen.plan.model.topology import Tier

L = TypeVar("L", FabricLink, HostLink)


def up_links(plan: FabricPlan, device: DeviceId) -> Iterator[FabricLink]:
    """Links of a switch to switches above whose cable and whose other end are there."""
    regular = uplinks(plan, plan.tiers[device.tier], device.where)
    if device not in plan.exceptions.touched:
        return regular
    cabled = (_cabled(plan, link) for link in regular)
    return (link for link in cabled if link is not None and not plan.exceptions.is_absent(link.upper_end))


def down_links(plan: FabricPlan, device: DeviceId) -> Iterator[FabricLink]:
    """Links of a switch to switches below whose cable and whose other end are there, those that arrived last."""
    arrived = (
        FabricLink(device.tier, arrival.lower.where, arrival.position, device.where, -1)
        for arrival in plan.exceptions.arrivals.get(device, ())
        if isinstance(arrival, FabricLinkId)
    )
    return _below(plan, device, downlinks(plan, plan.tiers[device.tier], device.where), arrived)


def host_links(plan: FabricPlan, device: DeviceId) -> Iterator[HostLink]:
    """Host links of a leaf whose cable and whose host are there, those that arrived last."""
    arrived = (
        HostLink(arrival.host, arrival.rail, device.where, -1, arrival.port)
        for arrival in plan.exceptions.arrivals.get(device, ())
        if isinstance(arrival, HostLinkId)
    )
    return _below(plan, device, host_links_of_leaf(plan, device.where), arrived)


def cables_below(plan: FabricPlan, device: DeviceId) -> Iterator[Link]:
    """Links of a switch to whatever is below it, as ``host_links`` and ``down_links`` give them."""
    return down_links(plan, device) if device.tier else host_links(plan, device)


def links_of_host(plan: FabricPlan, host: HostId) -> Iterator[HostLink]:
    """Links of a host whose cable is there; an absent leaf leaves the cable dangling."""
    regular = host_links_of_host(plan, host)
    if host not in plan.exceptions.touched_hosts:
        return regular
    return (link for each in regular if (link := _cabled(plan, each)) is not None)


def links_at_ports(tier: Tier, below: Iterable[Link], above: Iterable[FabricLink]) -> Iterator[tuple[Link, int]]:
    """The links of a switch with the slots they are in; a link without one, because the box has too few, is left out.

    Args:
        tier: Its tier, with the ports of its box.
        below: Its links downwards.
        above: Its links upwards.
    """
    down, up = tier.down.slots, tier.up.slots if tier.up else ()
    for link in below:
        if 0 <= link.upper_position < len(down):
            yield link, down[link.upper_position]
    for link in above if up else ():
        if 0 <= link.lower_position < len(up):
            yield link, up[link.lower_position]


def neighbours(plan: FabricPlan, identity: DeviceId | HostId) -> set[DeviceId]:
    """Switches with a regular link to a switch or host."""
    if isinstance(identity, HostId):
        return {link.upper_end for link in host_links_of_host(plan, identity)}
    found = set(upper_peers(plan, identity))
    if identity.tier:
        found |= {link.lower_end for link in downlinks(plan, plan.tiers[identity.tier], identity.where)}
    return found


def rewired(plan: FabricPlan) -> set[DeviceId]:
    """Switches at which exceptions move or take away a cable, or take away a neighbour."""
    known, found = plan.exceptions, set[DeviceId]()
    for identity, change in known.links.items():
        if change.state == "absent" or change.end is not None:
            link = link_of(plan, identity)
            found |= {link.upper_end} | ({link.lower_end} if isinstance(link, FabricLink) else set())
            found |= {DeviceId(link.upper_end.tier, change.end)} if change.end is not None else set()
    for exceptions in (known.switches, known.hosts):
        for device, exception in exceptions.items():
            found |= neighbours(plan, device) if exception.state == "absent" else set()
    return found


def missing_links(plan: FabricPlan) -> set[LinkId]:
    """Links of the regular plan of which the cable, or the device at one end, is not there."""
    known = plan.exceptions
    found = {link for link, exception in known.links.items() if exception.state == "absent"}
    for device, exception in known.switches.items():
        found |= _links_at(plan, device) if exception.state == "absent" else set()
    for host, exception in known.hosts.items():
        gone = host_links_of_host(plan, host) if exception.state == "absent" else ()
        found |= {link.id for link in gone}
    return found


def _links_at(plan: FabricPlan, device: DeviceId) -> set[LinkId]:
    """Links that end at a switch, whatever is at their other end."""
    above = uplinks(plan, plan.tiers[device.tier], device.where)
    below = (link.id for link in links_below(plan, device))
    arrived = plan.exceptions.arrivals.get(device, ())
    return {*(link.id for link in above), *arrived, *(link for link in below if _stays(plan, link))}


def _stays(plan: FabricPlan, link: LinkId) -> bool:
    """Return whether the upper end of a link is where the regular plan has it."""
    found = plan.exceptions.links.get(link)
    return found is None or found.end is None


def with_absent(plan: FabricPlan, identities: Iterable[DeviceId | HostId], reason: str) -> FabricPlan:
    """The plan without some switches and hosts, whatever else is said of them."""
    gone = DeviceException(state="absent", reason=reason)
    known = plan.exceptions
    switches, hosts, touched = dict(known.switches), dict(known.hosts), set(known.touched)
    recabled = set(known.recabled)
    for identity in identities:
        adjacent = neighbours(plan, identity)
        touched |= adjacent
        recabled |= adjacent
        if isinstance(identity, HostId):
            hosts[identity] = gone
        else:
            switches[identity] = gone
            touched.add(identity)
    known = known._replace(switches=switches, hosts=hosts, touched=frozenset(touched), recabled=frozenset(recabled))
    return plan._replace(exceptions=known)


def _below(plan: FabricPlan, device: DeviceId, regular: Iterator[L], arrived: Iterator[L]) -> Iterator[L]:
    """The links of a switch downwards, each with the upper end it really has."""
    if device not in plan.exceptions.touched:
        return regular
    cabled = (_cabled(plan, link) for links in (regular, arrived) for link in links)
    known = plan.exceptions
    return (each for each in cabled if each and each.upper == device.where and not known.is_absent(each.lower_end))


def _cabled(plan: FabricPlan, link: L) -> L | None:
    """A link with the upper end it really has; None if its cable is not there."""
    found = plan.exceptions.links.get(link.id)
    if found is None:
        return link
    if found.state == "absent":
        return None
    return link if found.end is None else link._replace(upper=found.end, upper_position=found.end_position)
