"""Load of every class of links under the uniform matrix, with some elements failed, and who still reaches whom.

All figures are exact. For each class of destination NICs everything alike as seen from there is one cell; what its
traffic puts on a class of links is then shared among the links that are alike as seen from the failure alone.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.cell_graph import Outage
from fabricgen.analysis.cells import Key, Partition
from fabricgen.analysis.forwarding import Routes
from fabricgen.analysis.link_classes import LinkClass, LinkClasses, LinkKey
from fabricgen.analysis.nic_traffic import NicPorts, NicTraffic, TrafficTarget
from fabricgen.analysis.receivers import Nics, Receiver, ReceiverView, Surroundings
from fabricgen.analysis.spreading import TrafficSpread, spread
from fabricgen.analysis.symmetry import SingledOut
from fabricgen.plan.model.identity import DeviceId, HostId, NicId

ReceiverKey = tuple[object, ...]
"""Class of NICs that receive alike: that of their hosts, and that of their rails."""
WidthKey = tuple[int, Key, bool]
"""A choice: the plane, the cell that chooses, and whether it chooses upwards."""


class NicPairs(NamedTuple):
    """Ordered pairs of NICs that are alike, on rails that are alike, and the part of their traffic that arrives.

    Attributes:
        sender: Host of one of the senders.
    """

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
        nic: One of them.
        partition: The fabric as seen from there.
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
    """Send the uniform matrix through the fabric.

    Args:
        traffic: The matrix.
        singled_out: What stands alone; at least exceptions and what fails.
        outage: What fails.
    """
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
                self.links.count_port(receiver.nic, link, receiver.size)
        for leafs, some in alike.items():
            around = Surroundings(self.partition, self.outage, leafs)
            for receiver in some:
                received[receiver.hosts.key, receiver.rails.key] = self.receive(receiver, around)
        return FabricLoad(self.links.list_classes(), received)

    def receive(self, receiver: Receiver, around: Surroundings) -> Received:
        """Add what one class of NICs is sent.

        Args:
            receiver: The class.
            around: The fabric as seen from it.
        """
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
                self.links.load_port(sender, link, own * reached * view.planes, upwards=True)
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
                self.links.load_port(receiver.nic, link, gbps * view.planes, upwards=False)


def _note_widths(
    widths: dict[WidthKey, HopWidth], view: ReceiverView, target: TrafficTarget, routes: Routes, moved: TrafficSpread
) -> None:
    for key in moved.passed:
        if routes[key].length:
            cell, upwards = view.graph.cells[key], routes[key].from_above
            width = HopWidth(cell.device, upwards, routes[key].width(cell.size))
            seen = target.leafs[0].where.plane, key, upwards
            widths[seen] = min(width, widths.get(seen, width))
