"""The uniform matrix as packets: how many flows every pair of NICs gets, and what is counted on each link.

A flow is one packet with a port number of its own, so that each chooses its links anew. How many of them a link gets is
then a sum of independent choices, whose deviation is that of a binomial distribution at most.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from fractions import Fraction
from math import sqrt
from typing import NamedTuple

from fabricgen.analysis.cell_graph import NO_OUTAGE
from fabricgen.analysis.nic_traffic import NicTraffic
from fabricgen.lab.failures.names import Attached, End
from fabricgen.lab.failures.prediction import Pair
from fabricgen.lab.lifecycle.kernel import inside, read_counters, run
from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.verify.packets import Place, Port
from fabricgen.plan.model.identity import HostId
from fabricgen.plan.model.links import HostLink

FLOWS = 60_000
"""Flows of all pairs together unless told; more where there are more pairs."""
DEVIATIONS = 5
"""Standard deviations a link may be off: by chance one of 1.7 million links is."""
_SOURCE_PORT, _FIRST_PORT, _LAST_PORT = 20_002, 32_768, 65_535
_LENGTH_BYTES, _ETHERNET_BYTES = 1000, 14
_ROUTING_PACKETS = 8
"""Traffic of routing, BFD and LLDP on a link meanwhile, in packets of a flow's length: 8 kB, several times of it."""
_DROP = f"""\
add table inet flows
add chain inet flows prerouting {{ type filter hook prerouting priority -300; }}
add rule inet flows prerouting udp dport {_FIRST_PORT}-{_LAST_PORT} drop
"""


class Share(NamedTuple):
    """Packets that a link gets from one of its ends: expected, how far chance may be off, and counted."""

    expected: float
    margin: float
    counted: float

    @property
    def off(self) -> float:
        """Return the distance between counted and expected as a part of the margin; above 1 it is no chance."""
        return abs(self.counted - self.expected) / self.margin


class Matrix:
    """Flows of every pair of addresses of a rail.

    Attributes:
        flows: How many each ordered pair sends.
        packet_gbps: The part of the analysis' traffic that one flow stands for.
    """

    def __init__(self, traffic: NicTraffic, attached: Sequence[Attached], flows: int = FLOWS) -> None:
        """Give each pair flows in proportion to what the analysis lets it send.

        Args:
            traffic: The matrix of the analysis.
            attached: Addresses of the NICs, of one family.
            flows: Flows of all pairs together.
        """
        demand = {(a, b): gbps for a in attached for b in attached if (gbps := _demand(traffic, a, b))}
        total = sum(demand.values(), Fraction(0))
        self.packet_gbps = total / max(flows, len(demand)) if total else Fraction(1)
        most = _LAST_PORT - _FIRST_PORT
        self.flows = {pair: min(most, round(gbps / self.packet_gbps)) for pair, gbps in demand.items()}
        if len(set(demand.values())) == 1:
            # All pairs are alike, and a whole number of flows each makes every figure exact.
            pair, count = next(iter(self.flows.items()))
            self.packet_gbps = demand[pair] / count
        self.total = sum(self.flows.values())
        self._by_nic: Counter[tuple[bool, HostId, int]] = Counter()
        for pair, count in self.flows.items():
            for receives, each in enumerate(pair):
                self._by_nic[bool(receives), each.links[0].host, each.links[0].rail] += count

    def share(self, gbps: Fraction, most: int, counted: float) -> Share:
        """Return what a link should get of the flows, with the margin of chance.

        Args:
            gbps: Load that the analysis predicts.
            most: Flows that can choose the link; one that all of them have to take has no chance in it.
            counted: Packets counted.
        """
        expected = float(gbps / self.packet_gbps)
        variance = expected * max(0.0, 1 - expected / most) if most else 0.0
        return Share(expected, DEVIATIONS * sqrt(variance) + _ROUTING_PACKETS, counted)

    def of_nic(self, link: HostLink) -> tuple[int, int]:
        """Return how many flows a NIC sends and is sent, those of its other ports included."""
        return self._by_nic[False, link.host, link.rail], self._by_nic[True, link.host, link.rail]


def _demand(traffic: NicTraffic, sender: Attached, receiver: Attached) -> Fraction:
    """Return what one address of a NIC sends to one of another, Gb/s; 0 where they are not of one rail and plane."""
    a, b = sender.links[0], receiver.links[0]
    if a.host == b.host or a.rail != b.rail or sender.plane != receiver.plane:
        return Fraction(0)
    one, other = traffic.nic(a.host, a.rail, NO_OUTAGE), traffic.nic(b.host, b.rail, NO_OUTAGE)
    arriving = [link for link in other.ports if link.upper.plane == receiver.plane]
    parts = Fraction(len(sender.links), len(one.ports)) * Fraction(len(receiver.links), len(arriving))
    return traffic.demand_gbps(one, other, 1) * parts


class Sender:
    """Sockets from which the flows start."""

    def __init__(self, blueprint: Blueprint, attached: Sequence[Attached], stack: ExitStack) -> None:
        self._ports: dict[Place, Port] = {}
        for place in dict.fromkeys(each.nic.place for each in attached):
            self._ports[place] = Port(blueprint.namespace(place.device), place, _SOURCE_PORT)
            stack.callback(self._ports[place].close)

    def send(self, flows: Mapping[Pair, int]) -> int:
        """Send one packet over each flow; return how many the kernel of the sender refused."""
        refused = 0
        for (a, b), count in flows.items():
            port, address = self._ports[a.nic.place], b.nic.place.address
            data = b"\0" * (_LENGTH_BYTES - a.nic.place.header_bytes)
            for number in range(_FIRST_PORT, _FIRST_PORT + count):
                try:
                    port.socket.sendto(data, (address, number))
                except OSError:
                    refused += 1
        return refused


@contextmanager
def dropped_at_hosts(blueprint: Blueprint) -> Iterator[None]:
    """Let hosts drop packets of flows as they arrive, so that none is answered; for as long as the block lasts."""
    enter = [["ip", "netns", "exec", blueprint.namespace(host.name), "nft", "-f", "-"] for host in blueprint.hosts]
    try:
        for command in enter:
            run(command, text=_DROP)
        yield
    finally:
        for command in enter:
            run(command, text="add table inet flows\ndelete table inet flows\n")


def count_packets(blueprint: Blueprint) -> dict[End, float]:
    """Return how many packets of a flow's length every interface has sent."""
    found = {}
    for node in blueprint.nodes:
        with inside(blueprint.namespace(node.name)):
            for interface, sent_bytes in read_counters().items():
                found[node.name, interface] = sent_bytes / (_LENGTH_BYTES + _ETHERNET_BYTES)
    return found
