"""Load of every class of links under the uniform matrix, with some elements failed, and who still reaches whom.

All figures are exact. For each class of destination NICs everything alike as seen from there is one cell; what its
traffic puts on a class of links is then shared among the links that are alike as seen from the failure alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.cell_graph import Bundle, CellGraph, Outage
from fabricgen.analysis.cells import HostCell, Key, Partition, RailCell
from fabricgen.analysis.forwarding import Routes, route
from fabricgen.analysis.nic_traffic import Nic, NicTraffic, Target
from fabricgen.analysis.spreading import Spread, spread
from fabricgen.analysis.symmetry import SingledOut
from fabricgen.plan.model.cabling import up_links
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.plan.model.links import HostLink

LinkKey = tuple[object, ...]
"""Class of links: of a bundle its cells and whether it is drained, of NIC ports their hosts, rails and leafs."""
PairKey = tuple[object, ...]
"""Class of ordered pairs of NICs: the receiver's, and the sender's as seen from the receiver."""
WidthKey = tuple[object, ...]
"""A choice: the receiver's class, the plane, the cell that chooses, and whether it chooses upwards."""


class LinkLoad(NamedTuple):
    """Links that are alike, and what all of them carry, Gb/s.

    Attributes:
        example: Ends of one of them: a host with its rail and port, or a switch, and the switch above.
        links: How many there are.
    """

    example: HostLink | tuple[DeviceId, DeviceId]
    links: int
    speed_gbps: int
    up: Fraction
    down: Fraction

    @property
    def load(self) -> Fraction:
        """Return what one of them carries in its busier direction, over its rate."""
        return max(self.up, self.down) / (self.links * self.speed_gbps)


class Reach(NamedTuple):
    """Ordered pairs of NICs that are alike, on rails that are alike, and the part of their traffic that arrives."""

    rails: tuple[int, ...]
    pairs: int
    arriving: Fraction


class Width(NamedTuple):
    """Equal next hops of a switch towards a destination, traffic passing it."""

    tier: int
    upwards: bool
    links: int


class FabricLoad(NamedTuple):
    """Result for one outage."""

    links: dict[LinkKey, LinkLoad]
    pairs: dict[PairKey, Reach]
    widths: dict[WidthKey, Width]


class _Receiver(NamedTuple):
    """NICs that are alike: one of them as it is without and with the outage, and how many they are."""

    hosts: HostCell
    rails: RailCell
    nic: Nic
    size: int


class _View(NamedTuple):
    """The fabric as seen from a receiver, in one plane: routes to each of its targets."""

    graph: CellGraph
    planes: int
    targets: list[tuple[Target, Routes]]


def measure_load(traffic: NicTraffic, singled_out: SingledOut, outage: Outage) -> FabricLoad:
    """Send the uniform matrix through the fabric.

    Args:
        traffic: The matrix.
        singled_out: What stands alone; at least exceptions and what fails.
        outage: What fails.
    """
    return _Measurement(traffic, singled_out, outage).run()


class _Measurement:
    """One outage."""

    def __init__(self, traffic: NicTraffic, singled_out: SingledOut, outage: Outage) -> None:
        self.traffic, self.plan, self.outage = traffic, traffic.plan, outage
        self.partition = Partition(traffic.symmetry, singled_out)
        self.found = FabricLoad({}, {}, {})
        self._nics: dict[tuple[HostId, int], Nic] = {}

    def run(self) -> FabricLoad:
        """List classes of links, then add the traffic to each class of receivers."""
        for plane in self.partition.planes():
            self._list_links(CellGraph(self.partition, self.outage, plane.first))
        receivers = list(self._receivers())
        for receiver in receivers:
            for link in receiver.nic.working:
                self._add_port(receiver, link)
        alike: dict[tuple[DeviceId, ...], list[_Receiver]] = {}
        for receiver in receivers:
            alike.setdefault(tuple(link.upper_end for link in receiver.nic.ports), []).append(receiver)
        for leafs, some in alike.items():
            self._send_to(leafs, some)
        return self.found

    def _receivers(self) -> Iterator[_Receiver]:
        for hosts in self.partition.host_cells():
            for rails in self.partition.rail_cells(hosts.host.group):
                nic = self._nic(hosts.host, rails.rails[0])
                if nic.ports:
                    yield _Receiver(hosts, rails, nic, hosts.size * len(rails.rails))

    def _nic(self, host: HostId, rail: int) -> Nic:
        """Return a NIC with the outage, worked out once."""
        found = self._nics.get((host, rail))
        if found is None:
            found = self._nics[host, rail] = self.traffic.nic(host, rail, self.outage)
        return found

    def _list_links(self, graph: CellGraph) -> None:
        """Every bundle of a plane, without load."""
        for bundles in graph.up.values():
            for bundle in bundles:
                ends = graph.cells[bundle.lower].device, graph.cells[bundle.upper].device
                speed = self.plan.links[ends[1].tier].speed_gbps
                example = ends[0], self._upper_of(ends[0], bundle.upper)
                self.found.links[bundle.lower, bundle.upper, bundle.drained] = LinkLoad(
                    example, bundle.links, speed, Fraction(0), Fraction(0)
                )

    def _upper_of(self, lower: DeviceId, upper: Key) -> DeviceId:
        """Return a neighbour above a switch that is in a cell."""
        return next(end for link in up_links(self.plan, lower) if self.partition.key(end := link.upper_end) == upper)

    def _add_port(self, receiver: _Receiver, link: HostLink) -> None:
        """Count a port of each NIC of a class."""
        key = self._port_key(receiver.nic, link)
        speed = self.plan.hosts[receiver.nic.host.group].link.speed_gbps
        known = self.found.links.get(key) or LinkLoad(link, 0, speed, Fraction(0), Fraction(0))
        planes = self.partition.plane_of(link.upper.plane).size
        if link.upper.plane == self.partition.plane_of(link.upper.plane).first:
            self.found.links[key] = known._replace(links=known.links + receiver.size * planes)

    def _port_key(self, nic: Nic, link: HostLink) -> LinkKey:
        rail = self.partition.rail_key(nic.host.group, nic.rail)
        return "port", self.partition.host_key(nic.host), rail, self.partition.key(link.upper_end)

    def _send_to(self, leafs: tuple[DeviceId, ...], receivers: list[_Receiver]) -> None:
        """Add the traffic to NICs that meet the same leafs."""
        symmetry = self.traffic.symmetry
        planes = [plane for plane in self.partition.planes() if any(leaf.where.plane == plane.first for leaf in leafs)]
        seen = [leaf for leaf in leafs if any(leaf.where.plane == plane.first for plane in planes)]
        partition = Partition(symmetry, self.partition.singled_out.joined(symmetry.singled_out(seen)))
        graphs = {plane.first: CellGraph(partition, self.outage, plane.first) for plane in planes}
        senders, known = list(partition.host_cells()), dict[tuple[DeviceId, ...], Routes]()
        for receiver in receivers:
            views = []
            for plane in planes:
                graph, targets = graphs[plane.first], receiver.nic.targets(plane.first)
                for target in targets:
                    if target.leafs not in known:
                        known[target.leafs] = route(graph, [partition.key(leaf) for leaf in target.leafs])
                views.append(_View(graph, plane.size, [(target, known[target.leafs]) for target in targets]))
            self._receive(receiver, partition, senders, views)

    def _receive(self, receiver: _Receiver, partition: Partition, senders: list[HostCell], views: list[_View]) -> None:
        """Add what one class of NICs is sent."""
        rail, nic = receiver.nic.rail, receiver.nic
        entering: list[list[dict[Key, Fraction]]] = [[{} for _ in view.targets] for view in views]
        for cell in senders:
            if rail >= len(self.plan.hosts[cell.host.group].rails):
                continue
            sender = self._nic(cell.host, rail)
            itself = cell.key == partition.host_key(nic.host)
            count = cell.size - itself
            if not sender.ports or not count:
                continue
            arriving = Fraction(0)
            gbps = self.traffic.demand_gbps(sender, nic) * count * receiver.size
            for view, flows in zip(views, entering, strict=True):
                arriving += self._enter(sender, view, flows, gbps)
            key = receiver.hosts.key, receiver.rails.key, cell.key
            pairs = count * receiver.size
            self.found.pairs[key] = Reach(receiver.rails.rails, pairs, arriving)
        for view, flows in zip(views, entering, strict=True):
            for (target, routes), flow in zip(view.targets, flows, strict=True):
                moved = spread(view.graph, routes, flow)
                self._add_load(view, moved)
                self._deliver(receiver, view, target, moved)
                self._note_widths(receiver, view, target, routes, moved)

    def _enter(self, sender: Nic, view: _View, flows: list[dict[Key, Fraction]], gbps: Fraction) -> Fraction:
        """Add what a class of NICs puts into a plane for each target; return the part that arrives in such planes."""
        arriving = Fraction(0)
        for link, part in sender.sending():
            key = view.graph.partition.key(link.upper_end)
            if key not in view.graph.cells:
                continue
            for (target, routes), flow in zip(view.targets, flows, strict=True):
                if key in routes:
                    amount = gbps * part * target.part
                    flow[key] = flow.get(key, Fraction(0)) + amount
                    arriving += part * target.part * view.planes
                    self._load_port(self._port_key(sender, link), amount * view.planes, upwards=True)
        return arriving

    def _add_load(self, view: _View, moved: Spread) -> None:
        """Add traffic on bundles to the classes of links as seen from the outage."""
        for upwards, loads in ((True, moved.up), (False, moved.down)):
            for bundle, gbps in loads.items():
                self._load_port(self._link_key(view.graph, bundle), gbps * view.planes, upwards=upwards)

    def _link_key(self, graph: CellGraph, bundle: Bundle) -> LinkKey:
        lower, upper = (self.partition.key(graph.cells[key].device) for key in (bundle.lower, bundle.upper))
        return lower, upper, bundle.drained

    def _load_port(self, key: LinkKey, gbps: Fraction, *, upwards: bool) -> None:
        known = self.found.links[key]
        more = known._replace(up=known.up + gbps) if upwards else known._replace(down=known.down + gbps)
        self.found.links[key] = more

    def _deliver(self, receiver: _Receiver, view: _View, target: Target, moved: Spread) -> None:
        """Add what arrived at leafs to the ports of the NICs there."""
        for leaf in target.leafs:
            gbps = moved.arrived.get(view.graph.partition.key(leaf))
            if gbps is not None:
                link = next(link for link in receiver.nic.working if link.upper_end == leaf)
                self._load_port(self._port_key(receiver.nic, link), gbps * view.planes, upwards=False)

    def _note_widths(self, receiver: _Receiver, view: _View, target: Target, routes: Routes, moved: Spread) -> None:
        for key in moved.passed:
            if routes[key].length:
                width = Width(key[0], routes[key].from_above, routes[key].width(view.graph.cells[key].size))
                plane = target.leafs[0].where.plane
                seen = receiver.hosts.key, receiver.rails.key, plane, key, width.upwards
                self.found.widths[seen] = min(width, self.found.widths.get(seen, width))
