"""Regular cabling in closed form: every end of every link from coordinates alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.plan.model.fabric import FabricPlan, group_hosts
from fabricgen.plan.model.identity import DeviceId, FabricLinkId, HostId, HostLinkId, LinkId
from fabricgen.plan.model.numbering import Coordinates
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
    for zone in zones:
        for pod in pods:
            for unit in range(counts.unit):
                for group in groups:
                    for index in indices:
                        yield Coordinates(zone, pod, unit, where.plane, group, index)
