"""Cabling: every end of every link in closed form, from coordinates alone, and with the exceptions applied.

A device that no exception touches has its regular links.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple, TypeVar

from fabricgen.plan.model.fabric import DeviceException, FabricPlan, group_hosts
from fabricgen.plan.model.identity import Coordinates, DeviceId, FabricLinkId, HostId, HostLinkId, LinkId
from fabricgen.plan.model.topology import LinkGroup, Tier


class FabricLink(NamedTuple):
    """One link between two switches; positions index the lower box's uplinks and the upper box's downlinks."""

    number: int
    lower: Coordinates
    lower_position: int
    upper: Coordinates
    upper_position: int

    @property
    def id(self) -> FabricLinkId:
        """Its identity."""
        return FabricLinkId(self.lower_end, self.lower_position)

    @property
    def lower_end(self) -> DeviceId:
        """The switch at its lower end."""
        return DeviceId(self.number - 1, self.lower)

    @property
    def upper_end(self) -> DeviceId:
        """The switch at its upper end."""
        return DeviceId(self.number, self.upper)


class HostLink(NamedTuple):
    """One link between a port of a rail's NIC, counted from 0, and a leaf, its upper end."""

    host: HostId
    rail: int
    upper: Coordinates
    upper_position: int
    port: int = 0

    @property
    def id(self) -> HostLinkId:
        """Its identity."""
        return HostLinkId(self.host, self.rail, self.port)

    @property
    def lower_end(self) -> HostId:
        """The host."""
        return self.host

    @property
    def upper_end(self) -> DeviceId:
        """The leaf."""
        return DeviceId(0, self.upper)


Link = FabricLink | HostLink


def link_of(plan: FabricPlan, link: LinkId) -> Link:
    """The link of an identity as the regular plan has it."""
    if isinstance(link, HostLinkId):
        return _host_link(plan, link.host, link.rail, link.port)
    where, number = link.lower.where, link.lower.tier + 1
    group = plan.links[number]
    index, parallel = divmod(link.position, group.per_pair)
    peer = _upper_peer(group, plan.tiers[number], where, index)
    return FabricLink(number, where, link.position, peer, group.ordinal.at(where) * group.per_pair + parallel)


def uplinks(plan: FabricPlan, tier: Tier, where: Coordinates) -> Iterator[FabricLink]:
    """Every link from a device to the tier above, by uplink position."""
    number = tier.number + 1
    if number >= len(plan.tiers):
        return
    links, upper = plan.links[number], plan.tiers[number]
    first = links.ordinal.at(where) * links.per_pair
    position = 0
    for peer in _upper_peers(links, upper, where):
        for parallel in range(links.per_pair):
            yield FabricLink(number, where, position, peer, first + parallel)
            position += 1


def links_to(plan: FabricPlan, lower: DeviceId, upper: DeviceId) -> Iterator[FabricLink]:
    """Every link from a switch to a certain one of the tier above, by uplink position."""
    number, index = lower.tier + 1, upper.where.index
    if upper.tier != number or index >= plan.links[number].width:
        return
    if _upper_peer(plan.links[number], plan.tiers[number], lower.where, index) == upper.where:
        links = plan.links[number]
        first, ordinal = index * links.per_pair, links.ordinal.at(lower.where) * links.per_pair
        for parallel in range(links.per_pair):
            yield FabricLink(number, lower.where, first + parallel, upper.where, ordinal + parallel)


def upper_peers(plan: FabricPlan, device: DeviceId) -> Iterator[DeviceId]:
    """Every switch to which a switch has links upwards."""
    number = device.tier + 1
    if number < len(plan.tiers):
        peers = _upper_peers(plan.links[number], plan.tiers[number], device.where)
        yield from (DeviceId(number, peer) for peer in peers)


def downlinks(plan: FabricPlan, tier: Tier, where: Coordinates) -> Iterator[FabricLink]:
    """Every link from a device to the switches of the tier below, by downlink position."""
    links, lower = plan.links[tier.number], plan.tiers[tier.number - 1]
    first = where.index * links.per_pair
    for peer in _lower_peers(tier, lower, links.pattern, where):
        position = links.ordinal.at(peer) * links.per_pair
        for parallel in range(links.per_pair):
            yield FabricLink(tier.number, peer, first + parallel, where, position + parallel)


def host_links_of_leaf(plan: FabricPlan, where: Coordinates) -> Iterator[HostLink]:
    """Every host link of a leaf, by downlink position; absent hosts included (their cable may be there)."""
    unit = Coordinates(where.zone, where.pod, where.unit)
    for number, group in enumerate(plan.hosts):
        if not group.meets(where):
            continue
        rails, each = group.rails_on(where.group), group.ports_per_leaf
        first_port = (where.plane * group.leafs_per_group + where.index) * each
        for host in group_hosts(group):
            identity = HostId(number, unit, host)
            position = group.slot_base + host * group.slots_per_host
            for rail in rails:
                for port in range(first_port, first_port + each):
                    yield HostLink(identity, rail, where, position, port)
                    position += 1


def links_below(plan: FabricPlan, device: DeviceId) -> Iterator[Link]:
    """Every link from a switch to what is below it, by downlink position."""
    if device.tier == 0:
        return host_links_of_leaf(plan, device.where)
    return downlinks(plan, plan.tiers[device.tier], device.where)


def host_links_of_host(plan: FabricPlan, host: HostId) -> Iterator[HostLink]:
    """Every link of a host, by rail and NIC port."""
    group = plan.hosts[host.group]
    for rail in range(len(group.rails)):
        for port in range(group.nic_ports):
            yield _host_link(plan, host, rail, port)


def _host_link(plan: FabricPlan, host: HostId, rail: int, port: int) -> HostLink:
    """The link of one port of a rail's NIC."""
    group, where = plan.hosts[host.group], host.where
    leaf_group, place = divmod(rail, group.rails_per_leaf)
    member, cable = divmod(port, group.ports_per_leaf)
    plane, index = divmod(member, group.leafs_per_group)
    leaf = Coordinates(where.zone, where.pod, where.unit, plane, leaf_group, index)
    position = group.slot_base + host.host * group.slots_per_host + place * group.ports_per_leaf + cable
    return HostLink(host, rail, leaf, position, port)


def _stripe_group(pattern: str, lower: Coordinates) -> int:
    """The stripe group of the upper devices a lower device meets."""
    if pattern == "stripe_index":
        return lower.index
    return lower.group if pattern == "stripe_rail" else 0


def _upper_peers(links: LinkGroup, upper: Tier, where: Coordinates) -> Iterator[Coordinates]:
    """Every upper device a lower device meets, in the order of its uplink positions."""
    return (_upper_peer(links, upper, where, index) for index in range(links.width))


def _upper_peer(links: LinkGroup, upper: Tier, where: Coordinates, index: int) -> Coordinates:
    """The upper device of a number that a lower device meets."""
    zone = where.zone if upper.scope in ("zone", "pod") else 0
    pod = where.pod if upper.scope == "pod" else 0
    return Coordinates(zone, pod, 0, where.plane, _stripe_group(links.pattern, where), index)


def _lower_peers(tier: Tier, lower: Tier, pattern: str, where: Coordinates) -> Iterator[Coordinates]:
    """Every lower device an upper device meets, in the order of its downlink positions."""
    counts = lower.counts
    zones = range(counts.zone) if tier.scope == "fabric" else (where.zone,)
    pods = (where.pod,) if tier.scope == "pod" else range(counts.pod)
    groups = (where.group,) if pattern == "stripe_rail" else range(counts.group)
    indices = (where.group,) if pattern == "stripe_index" else range(counts.index)
    return (Coordinates(*each) for each in product(zones, pods, range(counts.unit), (where.plane,), groups, indices))


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
    """The links of a switch with the slots they are in, without those for which the box has too few."""
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
    arrived, known = plan.exceptions.arrivals.get(device, ()), plan.exceptions.links
    stays = (link for link in below if link not in known or known[link].end is None)
    return {*(link.id for link in above), *arrived, *stays}


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


def with_drained(plan: FabricPlan, devices: Iterable[DeviceId], reason: str) -> FabricPlan:
    """The plan with some switches drained, whatever else is said of them; one that is drained keeps its own reason."""
    known = plan.exceptions
    found = {device: known.switches.get(device, DeviceException()) for device in devices}
    drained = {
        device: each._replace(state="drained", reason=reason)
        for device, each in found.items()
        if each.state != "drained"
    }
    known = known._replace(switches={**known.switches, **drained}, touched=known.touched.union(found))
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
