"""Load of a fabric with nothing failed, measured once and looked up for every failure.

A failure singles out more than exceptions do, so what is alike as seen from it is alike without it too: one of a finer
class stands for the coarser one that it is in.
"""

from __future__ import annotations

from fractions import Fraction

from fabricgen.analysis.cell_graph import NO_OUTAGE
from fabricgen.analysis.cells import HostCell, Partition, RailCell
from fabricgen.analysis.fabric_load import HopWidth, Measurement, NicPairs, Received
from fabricgen.analysis.failure_classes import class_key
from fabricgen.analysis.link_classes import LinkClass
from fabricgen.analysis.nic_traffic import NicTraffic
from fabricgen.analysis.receivers import Receiver, Surroundings
from fabricgen.plan.model.identity import DeviceId, NicId
from fabricgen.plan.model.links import HostLink, Link


class PlannedLoad:
    """The uniform matrix in the fabric that exceptions leave.

    Attributes:
        highest: Highest load of any link.
        pairs: Ordered pairs of NICs of one rail between which something arrives.
        delivered_gbps: What arrives.
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
