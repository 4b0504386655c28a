"""Classes of NICs that receive alike, and the fabric as seen from each: routes to the leafs that announce it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.analysis.cell_graph import CellGraph, Outage
from fabricgen.analysis.cells import HostCell, Partition, RailCell
from fabricgen.analysis.forwarding import Routes, route
from fabricgen.analysis.nic_traffic import NicPorts, NicTraffic, TrafficTarget
from fabricgen.plan.model.identity import DeviceId, HostId


class Receiver(NamedTuple):
    """NICs that are alike: one of them as it is without and with the outage, and how many they are."""

    hosts: HostCell
    rails: RailCell
    nic: NicPorts
    size: int


class ReceiverView(NamedTuple):
    """The fabric as seen from a receiver, in one plane: routes to each of its targets."""

    graph: CellGraph
    planes: int
    targets: list[tuple[TrafficTarget, Routes]]


class Nics:
    """The NICs of a fabric with an outage."""

    def __init__(self, traffic: NicTraffic, outage: Outage) -> None:
        """Prepare; NICs are worked out when they are asked for, each once."""
        self.traffic, self.outage = traffic, outage
        self._known: dict[tuple[HostId, int], NicPorts] = {}

    def nic(self, host: HostId, rail: int) -> NicPorts:
        """Return a NIC with the outage."""
        found = self._known.get((host, rail))
        if found is None:
            found = self._known[host, rail] = self.traffic.nic(host, rail, self.outage)
        return found

    def receivers(self, partition: Partition) -> Iterator[Receiver]:
        """Yield the classes of NICs that have ports.

        Args:
            partition: The fabric as seen from the outage.
        """
        for hosts in partition.host_cells():
            for rails in partition.rail_cells(hosts.host.group):
                nic = self.nic(hosts.host, rails.rails[0])
                if nic.ports:
                    yield Receiver(hosts, rails, nic, hosts.size * len(rails.rails))


class Surroundings:
    """The fabric as seen from NICs that meet the same leafs.

    Attributes:
        partition: That of the outage, with these leafs singled out.
        senders: Hosts that are alike from there.
    """

    def __init__(self, partition: Partition, outage: Outage, leafs: tuple[DeviceId, ...]) -> None:
        """Single out the leafs.

        Args:
            partition: The fabric as seen from the outage.
            outage: What fails.
            leafs: Leafs that a NIC meets as long as nothing fails.
        """
        symmetry = partition.symmetry
        self._planes = [plane for plane in partition.planes() if any(leaf.where.plane == plane.first for leaf in leafs)]
        firsts = {plane.first for plane in self._planes}
        seen = [leaf for leaf in leafs if leaf.where.plane in firsts]
        self.partition = Partition(symmetry, partition.singled_out.joined(symmetry.singled_out(seen)))
        self.senders = list(self.partition.host_cells())
        self._graphs = {first: CellGraph(self.partition, outage, first) for first in firsts}
        self._routes: dict[tuple[DeviceId, ...], Routes] = {}

    def views(self, nic: NicPorts) -> list[ReceiverView]:
        """Return the planes with the routes to a NIC, each for all planes that are like it."""
        return [
            ReceiverView(
                self._graphs[plane.first],
                plane.size,
                [(target, self._routes_to(target, plane.first)) for target in nic.targets(plane.first)],
            )
            for plane in self._planes
        ]

    def _routes_to(self, target: TrafficTarget, plane: int) -> Routes:
        found = self._routes.get(target.leafs)
        if found is None:
            owners = [self.partition.key(leaf) for leaf in target.leafs]
            found = self._routes[target.leafs] = route(self._graphs[plane], owners)
        return found
