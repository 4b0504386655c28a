"""Load of every class of links under the uniform matrix, with some elements failed, and who still reaches whom.

All figures are exact. For each class of destination NICs everything alike as seen from there is one cell; what its
traffic puts on a class of links is then shared among the links that are alike as seen from the failure alone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.cells import HostCell, Key, Partition, RailCell, SingledOut
from fabricgen.analysis.failure_classes import class_key, port_key
from fabricgen.analysis.forwarding import NO_OUTAGE, CellGraph, CellLinks, Outage, Routes, TrafficSpread, spread
from fabricgen.analysis.nic_traffic import (
    NicPorts,
    Nics,
    NicTraffic,
    Receiver,
    ReceiverView,
    Surroundings,
    TrafficTarget,
)
from fabricgen.plan.model.cabling import HostLink, Link, up_links
from fabricgen.plan.model.identity import DeviceId, HostId, NicId

LinkKey = tuple[object, ...]
"""Class of links: of a bundle its cells and whether it is drained, of NIC ports their hosts, rails and leafs."""


@dataclass(slots=True)
class LinkClass:
    """Links that are alike, and what all of them carry, Gb/s; filled as traffic is added.

    Attributes:
        example: Ends of one of them: a host with its rail and port, or a switch, and the switch above.
        drained: They join switches, and both ends prefer every other way.
    """

    example: HostLink | tuple[DeviceId, DeviceId]
    drained: bool
    links: int
    speed_gbps: int
    up: Fraction = Fraction(0)
    down: Fraction = Fraction(0)

    @property
    def load(self) -> Fraction:
        """Return what one of them carries in its busier direction, over its rate."""
        return max(self.up, self.down) / (self.links * self.speed_gbps)


class LinkClasses:
    """The links of a fabric with an outage."""

    def __init__(self, partition: Partition, outage: Outage) -> None:
        """List the links between switches, without load."""
        self.partition, self.plan = partition, partition.plan
        self.known: dict[LinkKey, LinkClass] = {}
        for plane in partition.planes():
            self._list_bundles(CellGraph(partition, outage, plane.first))

    def _list_bundles(self, graph: CellGraph) -> None:
        """Every bundle of a plane."""
        for bundles in graph.up.values():
            for bundle in bundles:
                ends = graph.cells[bundle.lower].device, graph.cells[bundle.upper].device
                speed = self.plan.links[ends[1].tier].speed_gbps
                uppers = (link.upper_end for link in up_links(self.plan, ends[0]))
                example = ends[0], next(end for end in uppers if self.partition.key(end) == bundle.upper)
                key = bundle.lower, bundle.upper, bundle.drained
                self.known[key] = LinkClass(example, bundle.drained, bundle.links, speed)

    def count_port(self, link: HostLink, nics: int) -> None:
        """Count the port of a link of some NICs that are alike."""
        key = port_key(self.partition, link)
        speed = self.plan.hosts[link.host.group].link.speed_gbps
        plane = self.partition.plane_of(link.upper.plane)
        if link.upper.plane == plane.first:
            if key not in self.known:
                self.known[key] = LinkClass(link, False, 0, speed)
            self.known[key].links += nics * plane.size

    def load_port(self, link: HostLink, gbps: Fraction, *, upwards: bool) -> None:
        """Add traffic to the class of a port of a NIC."""
        self._add(port_key(self.partition, link), gbps, upwards)

    def load_bundle(self, graph: CellGraph, bundle: CellLinks, gbps: Fraction, *, upwards: bool) -> None:
        """Add traffic on a bundle, which may be one of a finer partition, to its class."""
        lower, upper = (self.partition.key(graph.cells[key].device) for key in (bundle.lower, bundle.upper))
        self._add((lower, upper, bundle.drained), gbps, upwards)

    def key_of(self, links: LinkClass) -> LinkKey:
        """Return the class in which those of another partition are, if that is a finer one."""
        example = links.example
        if isinstance(example, HostLink):
            return port_key(self.partition, example)
        lower, upper = (self.partition.key(end) for end in example)
        return lower, upper, links.drained

    def _add(self, key: LinkKey, gbps: Fraction, upwards: bool) -> None:
        found = self.known[key]
        if upwards:
            found.up += gbps
        else:
            found.down += gbps


ReceiverKey = tuple[object, ...]
"""Class of NICs that receive alike: that of their hosts, and that of their rails."""
WidthKey = tuple[int, Key, bool]
"""A choice: the plane, the cell that chooses, and whether it chooses upwards."""


class NicPairs(NamedTuple):
    """Ordered pairs of NICs that are alike, on rails that are alike, and the part of their traffic that arrives."""

    sender: HostId
    rails: tuple[int, ...]
    pairs: int
    arriving: Fraction


class HopWidth(NamedTuple):
    """Equal next hops of a switch, or of others that are like it, towards a destination; traffic passes it."""

    device: DeviceId
    upwards: bool
    links: int


class Received(NamedTuple):
    """Traffic to NICs that are alike.

    Attributes:
        pairs: Pairs with each class of senders.
        widths: The fewest next hops on the way, by where they are chosen.
    """

    nic: NicId
    partition: Partition
    pairs: dict[Key, NicPairs]
    widths: dict[WidthKey, HopWidth]


class FabricLoad(NamedTuple):
    """Result for one outage."""

    links: dict[LinkKey, LinkClass]
    received: dict[ReceiverKey, Received]


def measure_load(traffic: NicTraffic, singled_out: SingledOut, outage: Outage) -> FabricLoad:
    """Send the uniform matrix through the fabric; exceptions and what fails are singled out at least."""
    return Measurement(traffic, singled_out, outage).run()


class Measurement:
    """One outage; see ``measure_load``."""

    def __init__(self, traffic: NicTraffic, singled_out: SingledOut, outage: Outage) -> None:
        """Prepare."""
        self.traffic, self.plan, self.outage = traffic, traffic.plan, outage
        self.partition = Partition(traffic.symmetry, singled_out)
        self.nics, self.links = Nics(traffic, outage), LinkClasses(self.partition, outage)

    def run(self) -> FabricLoad:
        """Count the ports of NICs, then add the traffic to each class of receivers."""
        received: dict[ReceiverKey, Received] = {}
        alike: dict[tuple[DeviceId, ...], list[Receiver]] = {}
        for receiver in self.nics.receivers(self.partition):
            alike.setdefault(tuple(link.upper_end for link in receiver.nic.ports), []).append(receiver)
            for link in receiver.nic.working:
                self.links.count_port(link, receiver.size)
        for leafs, some in alike.items():
            around = Surroundings(self.partition, self.outage, leafs)
            for receiver in some:
                received[receiver.hosts.key, receiver.rails.key] = self.receive(receiver, around)
        # Traffic to further NICs, see ``PlannedLoad``, is added to the classes but belongs to none of these figures.
        return FabricLoad({key: replace(each) for key, each in self.links.known.items()}, received)

    def receive(self, receiver: Receiver, around: Surroundings) -> Received:
        """Add what one class of NICs is sent, from the fabric as seen from it."""
        rail, nic, views = receiver.nic.rail, receiver.nic, around.views(receiver.nic)
        found = Received(NicId(nic.host, rail), around.partition, {}, {})
        entering: list[list[dict[Key, Fraction]]] = [[{} for _ in view.targets] for view in views]
        for cell in around.senders:
            if rail >= len(self.plan.hosts[cell.host.group].rails):
                continue
            sender = self.nics.nic(cell.host, rail)
            itself = cell.key == around.partition.host_key(nic.host)
            count = cell.size - itself
            if not sender.ports or not count:
                continue
            arriving = Fraction(0)
            gbps = self.traffic.demand_gbps(sender, nic, count * receiver.size)
            for view, flows in zip(views, entering, strict=True):
                arriving += self._enter(sender, view, flows, gbps)
            found.pairs[cell.key] = NicPairs(cell.host, receiver.rails.rails, count * receiver.size, arriving)
        for view, flows in zip(views, entering, strict=True):
            for (target, routes), flow in zip(view.targets, flows, strict=True):
                moved = spread(view.graph, routes, flow, self.plan.weights.active)
                self._add_load(view, moved)
                self._deliver(receiver, view, target, moved)
                _note_widths(found.widths, view, target, routes, moved)
        return found

    def _enter(
        self, sender: NicPorts, view: ReceiverView, flows: list[dict[Key, Fraction]], gbps: Fraction
    ) -> Fraction:
        """Add what a class of NICs puts into a plane for each target; return the part that arrives in such planes."""
        arriving = Fraction(0)
        for link, part in sender.sending():
            key = view.graph.partition.key(link.upper_end)
            if key not in view.graph.cells:
                continue
            own, reached = gbps * part, Fraction(0)
            for (target, routes), flow in zip(view.targets, flows, strict=True):
                if key in routes:
                    flow[key] = flow.get(key, 0) + own * target.part
                    reached += target.part
            if reached:
                arriving += part * reached * view.planes
                self.links.load_port(link, own * reached * view.planes, upwards=True)
        return arriving

    def _add_load(self, view: ReceiverView, moved: TrafficSpread) -> None:
        """Add traffic on bundles to the classes of links as seen from the outage."""
        for upwards, loads in ((True, moved.up), (False, moved.down)):
            for bundle, gbps in loads.items():
                self.links.load_bundle(view.graph, bundle, gbps * view.planes, upwards=upwards)

    def _deliver(self, receiver: Receiver, view: ReceiverView, target: TrafficTarget, moved: TrafficSpread) -> None:
        """Add what arrived at leafs to the ports of the NICs there."""
        for leaf in target.leafs:
            gbps = moved.arrived.get(view.graph.partition.key(leaf))
            if gbps is not None:
                link = next(link for link in receiver.nic.working if link.upper_end == leaf)
                self.links.load_port(link, gbps * view.planes, upwards=False)


def _note_widths(
    widths: dict[WidthKey, HopWidth], view: ReceiverView, target: TrafficTarget, routes: Routes, moved: TrafficSpread
) -> None:
    for key in moved.passed:
        if routes[key].length:
            cell, upwards = view.graph.cells[key], routes[key].from_above
            width = HopWidth(cell.device, upwards, routes[key].width(cell.size))
            seen = target.leafs[0].where.plane, key, upwards
            widths[seen] = min(width, widths.get(seen, width))


class PlannedLoad:
    """The uniform matrix in the fabric that exceptions leave.

    Attributes:
        pairs: Ordered pairs of NICs of one rail between which something arrives.
    """

    def __init__(self, traffic: NicTraffic) -> None:
        """Send the matrix once."""
        self._measurement = Measurement(traffic, traffic.symmetry.irregular(), NO_OUTAGE)
        self._load = self._measurement.run()
        self._received = {each.nic: each for each in self._load.received.values()}
        self._around: dict[tuple[DeviceId, ...], Surroundings] = {}
        links = self._load.links.values()
        self.highest = max((each.load for each in links), default=Fraction(0))
        reached = (each for received in self._load.received.values() for each in received.pairs.values())
        self.pairs = sum(each.pairs for each in reached if each.arriving)
        self.delivered_gbps = sum((each.down for each in links if isinstance(each.example, HostLink)), Fraction(0))

    @property
    def _partition(self) -> Partition:
        return self._measurement.partition

    def load_of(self, links: LinkClass) -> Fraction:
        """Return the load of links that are alike as seen from some failure."""
        found = self._load.links.get(self._measurement.links.key_of(links))
        return found.load if found else Fraction(0)

    def carried(self, link: Link) -> tuple[Fraction, Fraction]:
        """Return what a link carries up and down, Gb/s."""
        if isinstance(link, HostLink) and not self._partition.serves(link.host):
            return Fraction(0), Fraction(0)
        kind, *rest = class_key(self._partition, link.id)
        found = self._load.links.get((kind, *rest) if kind == "port" else (*rest[:2], rest[2] == "drained"))
        return (found.up / found.links, found.down / found.links) if found else (Fraction(0), Fraction(0))

    def reach(self, nic: NicId, reach: NicPairs) -> NicPairs:
        """Return the pairs in which those between a NIC and some senders are."""
        received = self._to(nic)
        return received.pairs[received.partition.host_key(reach.sender)]

    def width(self, nic: NicId, plane: int, width: HopWidth) -> HopWidth | None:
        """Return the next hops at the same choice; None if none is made there."""
        received, first = self._to(nic), self._partition.plane_of(plane).first
        device = width.device._replace(where=width.device.where._replace(plane=first))
        return received.widths.get((first, received.partition.key(device), width.upwards))

    def _to(self, nic: NicId) -> Received:
        """Return the traffic to a NIC, worked out for one of its class, or for itself when it is asked for."""
        found = self._received.get(nic)
        if found is None:
            ports = self._measurement.nics.nic(*nic)
            leafs = tuple(link.upper_end for link in ports.ports)
            around = self._around.get(leafs)
            if around is None:
                around = self._around[leafs] = Surroundings(self._partition, NO_OUTAGE, leafs)
            alone = Receiver(HostCell((), nic.host, 1), RailCell((0, 0), (nic.rail,)), ports, 1)
            found = self._received[nic] = self._measurement.receive(alone, around)
        return found
