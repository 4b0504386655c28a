"""Classes of links that are alike as seen from a failure, and the traffic on them."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.cell_graph import CellGraph, CellLinks, Outage
from fabricgen.analysis.cells import Key, Partition
from fabricgen.analysis.nic_traffic import NicPorts
from fabricgen.plan.model.cabling import up_links
from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.model.links import HostLink

LinkKey = tuple[object, ...]
"""Class of links: of a bundle its cells and whether it is drained, of NIC ports their hosts, rails and leafs."""


class LinkClass(NamedTuple):
    """Links that are alike, and what all of them carry, Gb/s.

    Attributes:
        example: Ends of one of them: a host with its rail and port, or a switch, and the switch above.
        links: How many there are.
        drained: They join switches, and both ends prefer every other way.
    """

    example: HostLink | tuple[DeviceId, DeviceId]
    drained: bool
    links: int
    speed_gbps: int
    up: Fraction
    down: Fraction

    @property
    def load(self) -> Fraction:
        """Return what one of them carries in its busier direction, over its rate."""
        return max(self.up, self.down) / (self.links * self.speed_gbps)


class _Links:
    """A class as it fills."""

    __slots__ = ("down", "drained", "example", "links", "speed_gbps", "up")

    def __init__(self, example: HostLink | tuple[DeviceId, DeviceId], links: int, speed_gbps: int) -> None:
        self.example, self.links, self.speed_gbps = example, links, speed_gbps
        self.drained = False
        self.up = self.down = Fraction(0)


class LinkClasses:
    """The links of a fabric with an outage."""

    def __init__(self, partition: Partition, outage: Outage) -> None:
        """List the links between switches, without load.

        Args:
            partition: The fabric as seen from the outage.
            outage: What fails.
        """
        self.partition, self.plan = partition, partition.plan
        self._known: dict[LinkKey, _Links] = {}
        for plane in partition.planes():
            self._list_bundles(CellGraph(partition, outage, plane.first))

    def _list_bundles(self, graph: CellGraph) -> None:
        """Every bundle of a plane."""
        for bundles in graph.up.values():
            for bundle in bundles:
                ends = graph.cells[bundle.lower].device, graph.cells[bundle.upper].device
                speed = self.plan.links[ends[1].tier].speed_gbps
                example = ends[0], self._upper_of(ends[0], bundle.upper)
                found = self._known[bundle.lower, bundle.upper, bundle.drained] = _Links(example, bundle.links, speed)
                found.drained = bundle.drained

    def _upper_of(self, lower: DeviceId, upper: Key) -> DeviceId:
        """Return a neighbour above a switch that is in a cell."""
        return next(end for link in up_links(self.plan, lower) if self.partition.key(end := link.upper_end) == upper)

    def count_port(self, nic: NicPorts, link: HostLink, nics: int) -> None:
        """Count a port of NICs that are alike.

        Args:
            nic: One of the NICs.
            link: The link of its port.
            nics: How many they are.
        """
        key = self._port_key(nic, link)
        speed = self.plan.hosts[nic.host.group].link.speed_gbps
        plane = self.partition.plane_of(link.upper.plane)
        if link.upper.plane == plane.first:
            if key not in self._known:
                self._known[key] = _Links(link, 0, speed)
            self._known[key].links += nics * plane.size

    def load_port(self, nic: NicPorts, link: HostLink, gbps: Fraction, *, upwards: bool) -> None:
        """Add traffic to the class of a port of a NIC."""
        self._add(self._port_key(nic, link), gbps, upwards)

    def load_bundle(self, graph: CellGraph, bundle: CellLinks, gbps: Fraction, *, upwards: bool) -> None:
        """Add traffic on a bundle, which may be one of a finer partition, to its class."""
        lower, upper = (self.partition.key(graph.cells[key].device) for key in (bundle.lower, bundle.upper))
        self._add((lower, upper, bundle.drained), gbps, upwards)

    def list_classes(self) -> dict[LinkKey, LinkClass]:
        """Return every class, with the traffic that was added so far."""
        return {
            key: LinkClass(found.example, found.drained, found.links, found.speed_gbps, found.up, found.down)
            for key, found in self._known.items()
        }

    def key_of(self, links: LinkClass) -> LinkKey:
        """Return the class in which those of another partition are, if that is a finer one."""
        example = links.example
        if isinstance(example, HostLink):
            rail = self.partition.rail_key(example.host.group, example.rail)
            return "port", self.partition.host_key(example.host), rail, self.partition.key(example.upper_end)
        lower, upper = (self.partition.key(end) for end in example)
        return lower, upper, links.drained

    def _port_key(self, nic: NicPorts, link: HostLink) -> LinkKey:
        rail = self.partition.rail_key(nic.host.group, nic.rail)
        return "port", self.partition.host_key(nic.host), rail, self.partition.key(link.upper_end)

    def _add(self, key: LinkKey, gbps: Fraction, upwards: bool) -> None:
        found = self._known[key]
        if upwards:
            found.up += gbps
        else:
            found.down += gbps
