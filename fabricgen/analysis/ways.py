"""The ways of one flow between two NICs: switch by switch, with the equal links it may leave by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.analysis.cells import PLANE, Partition, SingledOut, Symmetry
from fabricgen.analysis.forwarding import NO_OUTAGE, CellGraph, Routes, route, working_ports
from fabricgen.plan.model.cabling import FabricLink, HostLink, Link, down_links, up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, NicId
from fabricgen.plan.model.topology import HostGroup


class PathHop(NamedTuple):
    """A switch on a way.

    Attributes:
        device: The switch, or the first of those that the step before may choose.
        alike: How many switches that step may choose among.
        exits: The equal links it may leave by; the way goes on over the first.
    """

    device: DeviceId
    alike: int
    entry: Link
    exits: tuple[Link, ...]


class PortPath(NamedTuple):
    """The way that starts at one port of the sender's NIC; the last step's exits end at the receiver."""

    sender: HostLink
    steps: tuple[PathHop, ...]

    @property
    def receiver(self) -> HostLink | None:
        """The link by which it arrives; None where a switch on the way has no route."""
        last = self.steps[-1].exits[:1]
        return last[0] if last and isinstance(last[0], HostLink) else None


def list_ways(plan: FabricPlan, one: NicId, other: NicId) -> list[PortPath]:
    """Return one way for each working port of the sender's NIC that has a counterpart.

    Ports of a bond or of a NIC that spreads are one address each, which every port of the receiver in the same plane
    takes part in; any other port talks to the port of its own number.
    """
    symmetry = Symmetry(plan)
    places = symmetry.irregular().joined(symmetry.host_alone(*one)).joined(symmetry.host_alone(*other))
    planes = frozenset((PLANE, plane) for plane in range(plan.tiers[0].counts.plane))
    partition = Partition(symmetry, places.joined(SingledOut(values=planes)))
    group, arriving = plan.hosts[other.host.group], working_ports(plan, *other, NO_OUTAGE)
    found = []
    for sender in working_ports(plan, *one, NO_OUTAGE):
        receivers = [link for link in arriving if _counterparts(group, sender, link)]
        if receivers:
            found.append(PortPath(sender, tuple(_steps(partition, sender, receivers))))
    return found


def _counterparts(group: HostGroup, sender: HostLink, receiver: HostLink) -> bool:
    """Return whether what leaves by one port may arrive at another."""
    if group.bond or group.spread:
        return sender.upper.plane == receiver.upper.plane
    return sender.port == receiver.port and sender.upper.plane == receiver.upper.plane


def _steps(partition: Partition, sender: HostLink, receivers: list[HostLink]) -> Iterator[PathHop]:
    """Yield the switches of a way; the last one has no exits where it has no route."""
    owners = {link.upper_end for link in receivers}
    graph = CellGraph(partition, NO_OUTAGE, sender.upper.plane)
    routes = route(graph, {partition.key(owner) for owner in owners})
    device, alike = sender.upper_end, 1
    entry: Link = sender
    while device not in owners:
        exits = _exits(graph, routes, device)
        yield PathHop(device, alike, entry, exits)
        if not exits:
            return
        ends = dict.fromkeys(_far_end(device, link) for link in exits)
        entry, device, alike = exits[0], next(iter(ends)), len(ends)
    yield PathHop(device, alike, entry, tuple(link for link in receivers if link.upper_end == device))


def _exits(graph: CellGraph, routes: Routes, device: DeviceId) -> tuple[FabricLink, ...]:
    """Return the links by which a switch sends on, by position."""
    found = routes.get(graph.partition.key(device))
    hops = {(hop.lower, hop.upper, hop.drained) for hop in found.hops} if found else set()
    links = [*up_links(graph.plan, device), *(down_links(graph.plan, device) if device.tier else ())]
    key = graph.partition.key
    return tuple(link for link in links if (key(link.lower_end), key(link.upper_end), graph.is_drained(link)) in hops)


def _far_end(device: DeviceId, link: FabricLink) -> DeviceId:
    return link.lower_end if device == link.upper_end else link.upper_end
