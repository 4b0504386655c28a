"""Who is really cabled to whom: the regular links of a device as exceptions leave them.

Only devices that an exception touches are asked for; all others have the links that ``links`` gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fabricgen.plan.model.exceptions import DeviceException
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, FabricLinkId, HostId, HostLinkId, LinkId
from fabricgen.plan.model.links import (
    FabricLink,
    HostLink,
    downlinks,
    host_links_of_host,
    host_links_of_leaf,
    uplinks,
)
from fabricgen.plan.model.numbering import Coordinates
from fabricgen.plan.model.topology import Tier


def fabric_link_id(link: FabricLink) -> FabricLinkId:
    """Identity of a link between switches."""
    return FabricLinkId(DeviceId(link.number - 1, link.lower), link.lower_position)


def host_link_id(link: HostLink) -> HostLinkId:
    """Identity of a link between a host and a leaf."""
    return HostLinkId(link.host, link.rail, link.port)


def cabled_uplinks(plan: FabricPlan, tier: Tier, where: Coordinates) -> Iterator[FabricLink]:
    """Links of a switch upwards whose cable and whose other end are there."""
    for link in uplinks(plan, tier, where):
        real = _fabric_link(plan, link)
        if real is not None and not plan.exceptions.is_absent(DeviceId(real.number, real.upper)):
            yield real


def cabled_downlinks(plan: FabricPlan, tier: Tier, where: Coordinates) -> Iterator[FabricLink]:
    """Links of a switch to switches below whose cable and whose other end are there, those that arrived last."""
    here = DeviceId(tier.number, where)
    regular = downlinks(plan, tier, where)
    for link in [*regular, *_arrived(plan, here)]:
        real = _fabric_link(plan, link)
        if real is None or real.upper != where:
            continue
        if not plan.exceptions.is_absent(DeviceId(real.number - 1, real.lower)):
            yield real


def cabled_links_of_leaf(plan: FabricPlan, where: Coordinates) -> Iterator[HostLink]:
    """Host links of a leaf whose cable and whose host are there, those that arrived last."""
    arrived = [
        link
        for arrival in plan.exceptions.arrivals.get(DeviceId(0, where), ())
        if isinstance(arrival, HostLinkId)
        for link in host_links_of_host(plan, arrival.host)
        if host_link_id(link) == arrival
    ]
    for link in [*host_links_of_leaf(plan, where), *arrived]:
        real = _host_link(plan, link)
        if real is not None and real.leaf == where and not plan.exceptions.is_absent(real.host):
            yield real


def cabled_links_of_host(plan: FabricPlan, host: HostId) -> Iterator[HostLink]:
    """Links of a host whose cable is there; an absent leaf leaves the cable dangling."""
    for link in host_links_of_host(plan, host):
        real = _host_link(plan, link)
        if real is not None:
            yield real


def neighbours(plan: FabricPlan, identity: DeviceId | HostId) -> set[DeviceId]:
    """Switches with a regular link to a switch or host."""
    if isinstance(identity, HostId):
        return {DeviceId(0, link.leaf) for link in host_links_of_host(plan, identity)}
    tier, where = plan.tiers[identity.tier], identity.where
    found = {DeviceId(link.number, link.upper) for link in uplinks(plan, tier, where)}
    if identity.tier:
        found |= {DeviceId(link.number - 1, link.lower) for link in downlinks(plan, tier, where)}
    return found


def missing_links(plan: FabricPlan) -> set[LinkId]:
    """Links of the regular plan of which the cable, or the device at one end, is not there."""
    known = plan.exceptions
    found = {link for link, exception in known.links.items() if exception.state == "absent"}
    for device, exception in known.switches.items():
        found |= _links_at(plan, device) if exception.state == "absent" else set()
    for host, exception in known.hosts.items():
        gone = host_links_of_host(plan, host) if exception.state == "absent" else ()
        found |= {host_link_id(link) for link in gone}
    return found


def _links_at(plan: FabricPlan, device: DeviceId) -> set[LinkId]:
    """Links that end at a switch, whatever is at their other end."""
    tier, where = plan.tiers[device.tier], device.where
    found: set[LinkId] = {fabric_link_id(link) for link in uplinks(plan, tier, where)}
    found |= set(plan.exceptions.arrivals.get(device, ()))
    if device.tier:
        found |= {fabric_link_id(link) for link in downlinks(plan, tier, where) if _stays(plan, fabric_link_id(link))}
    else:
        found |= {host_link_id(link) for link in host_links_of_leaf(plan, where) if _stays(plan, host_link_id(link))}
    return found


def _stays(plan: FabricPlan, link: LinkId) -> bool:
    """Whether the upper end of a link is where the regular plan has it."""
    found = plan.exceptions.links.get(link)
    return found is None or found.end is None


def with_absent(plan: FabricPlan, identities: Iterable[DeviceId | HostId], reason: str) -> FabricPlan:
    """The plan without some switches and hosts, whatever else is said of them."""
    gone = DeviceException(state="absent", reason=reason)
    known = plan.exceptions
    switches, hosts, touched = dict(known.switches), dict(known.hosts), set(known.touched)
    recabled = set(known.recabled)
    for identity in identities:
        beside = neighbours(plan, identity)
        touched |= beside
        recabled |= beside
        if isinstance(identity, HostId):
            hosts[identity] = gone
        else:
            switches[identity] = gone
            touched.add(identity)
    known = known._replace(switches=switches, hosts=hosts, touched=frozenset(touched), recabled=frozenset(recabled))
    return plan._replace(exceptions=known)


def _arrived(plan: FabricPlan, here: DeviceId) -> list[FabricLink]:
    """Links that an exception brought here, with the lower end they have in the regular plan."""
    return [
        FabricLink(here.tier, arrival.lower.where, arrival.position, here.where, -1)
        for arrival in plan.exceptions.arrivals.get(here, ())
        if isinstance(arrival, FabricLinkId)
    ]


def _fabric_link(plan: FabricPlan, link: FabricLink) -> FabricLink | None:
    """A link with the upper end it really has; None if its cable is not there."""
    found = plan.exceptions.links.get(fabric_link_id(link))
    if found is None:
        return link
    if found.state == "absent":
        return None
    return link if found.end is None else link._replace(upper=found.end, upper_position=found.end_position)


def _host_link(plan: FabricPlan, link: HostLink) -> HostLink | None:
    """A host link with the leaf it really ends at; None if its cable is not there."""
    found = plan.exceptions.links.get(host_link_id(link))
    if found is None:
        return link
    if found.state == "absent":
        return None
    return link if found.end is None else link._replace(leaf=found.end, position=found.end_position)
