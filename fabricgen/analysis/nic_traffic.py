"""The uniform traffic matrix: every NIC sends at line rate to all others of its rail.

A NIC spreads its rate over the other NICs of its rail in proportion to their rates. Its ports share in sending: those
of a bond, or of a NIC that spreads, as long as they work; ports that hosts see one by one send their part or lose it.
To each port of a bond routing leads by the host's own route; any other port belongs to the block of its leaf, which
announces it whether the port works or not.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.cells import HostCell, Partition, RailCell, Symmetry
from fabricgen.analysis.forwarding import NO_OUTAGE, CellGraph, Outage, Routes, route, working_ports
from fabricgen.plan.model.cabling import HostLink
from fabricgen.plan.model.identity import DeviceId, HostId


class NicPorts(NamedTuple):
    """The NIC of a rail of a host, with its ports as an outage leaves them.

    Attributes:
        ports: Links of its ports that work as long as nothing fails; ``working`` are those that work now.
        gbps: Rate of the ports that work as long as nothing fails.
        moves: It sends over those of its ports that work.
    """

    host: HostId
    rail: int
    ports: tuple[HostLink, ...]
    working: tuple[HostLink, ...]
    gbps: int
    bond: bool
    moves: bool

    def sending(self) -> list[tuple[HostLink, Fraction]]:
        """Return the ports that send, each with its part of the NIC's traffic; parts of broken ports are lost."""
        sharing = self.working if self.moves else self.ports
        return [(link, Fraction(1, len(sharing))) for link in self.working] if sharing else []

    def targets(self, plane: int) -> list[TrafficTarget]:
        """Return where traffic for the NIC that is in a plane goes."""
        planned = [link for link in self.ports if link.upper.plane == plane]
        working = [link for link in self.working if link.upper.plane == plane]
        if self.bond:
            leafs = tuple(sorted({link.upper_end for link in working}))
            return [TrafficTarget(leafs, Fraction(1))] if working else []
        parts: dict[DeviceId, Fraction] = {}
        for link in working:
            parts[link.upper_end] = parts.get(link.upper_end, Fraction(0)) + Fraction(1, len(planned))
        return [TrafficTarget((leaf,), part) for leaf, part in parts.items()]


class TrafficTarget(NamedTuple):
    """Leafs that announce a NIC, and the part of its traffic that is meant for it there."""

    leafs: tuple[DeviceId, ...]
    part: Fraction


class NicTraffic:
    """The matrix of one plan, in Gb/s.

    ``rail_gbps`` is the rate of all NICs of a rail, ``total_gbps`` what all send; one alone on its rail sends none.
    """

    def __init__(self, symmetry: Symmetry) -> None:
        """Add up the rails of the plan with nothing failed."""
        self.symmetry, self.plan = symmetry, symmetry.plan
        self._ports: dict[tuple[HostId, int], tuple[HostLink, ...]] = {}
        partition = Partition(symmetry, symmetry.irregular())
        self.rail_gbps: dict[int, int] = {}
        self.total_gbps = 0
        nics: dict[int, int] = {}
        for cell in partition.host_cells():
            for rail in range(len(self.plan.hosts[cell.host.group].rails)):
                gbps = self.nic(cell.host, rail, NO_OUTAGE).gbps * cell.size
                self.rail_gbps[rail] = self.rail_gbps.get(rail, 0) + gbps
                nics[rail] = nics.get(rail, 0) + (cell.size if gbps else 0)
        self.total_gbps = sum(gbps for rail, gbps in self.rail_gbps.items() if nics[rail] > 1)

    def nic(self, host: HostId, rail: int, outage: Outage) -> NicPorts:
        """Return a NIC as it is with some elements failed."""
        group = self.plan.hosts[host.group]
        ports = self._ports.get((host, rail))
        if ports is None:
            ports = self._ports[host, rail] = tuple(working_ports(self.plan, host, rail))
        failed = outage.failed
        working = tuple(link for link in ports if link.upper_end not in failed and link.id not in failed)
        moves = group.bond or group.spread
        return NicPorts(host, rail, ports, working, len(ports) * group.link.speed_gbps, group.bond, moves)

    def demand_gbps(self, sender: NicPorts, receiver: NicPorts, pairs: int) -> Fraction:
        """Return what so many NICs have to send, each to another one of its rail."""
        others = self.rail_gbps[sender.rail] - sender.gbps
        return Fraction(sender.gbps * receiver.gbps * pairs, others) if others else Fraction(0)


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
        """Yield the classes of NICs that have ports."""
        for hosts in partition.host_cells():
            for rails in partition.rail_cells(hosts.host.group):
                nic = self.nic(hosts.host, rails.rails[0])
                if nic.ports:
                    yield Receiver(hosts, rails, nic, hosts.size * len(rails.rails))


class Surroundings:
    """The fabric as seen from NICs that meet the same leafs; it singles these out, and has senders that are alike."""

    def __init__(self, partition: Partition, outage: Outage, leafs: tuple[DeviceId, ...]) -> None:
        """Single out the leafs that a NIC meets as long as nothing fails."""
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
