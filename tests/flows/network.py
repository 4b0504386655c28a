"""The network of rendered configurations: links, BGP routes hop by hop, and the longest prefix at each switch."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.flows.configs import Block, HostBond, Marks, Switch, covers, read_host, read_switch

Port = tuple[str, str]
"""A host and its port."""
Dead = frozenset[object]
"""Elements that have failed: names of switches, ports of hosts, and cables as the pair of their addresses."""


class Leg(NamedTuple):
    """One port of a bond, and its leaf."""

    port: Port
    leaf: str


class Nic(NamedTuple):
    """A NIC: its bond, the legs, and the block that its address is in."""

    bond: HostBond
    legs: tuple[Leg, ...]
    subnet: Block

    def up(self, dead: Dead) -> list[Leg]:
        """Return the legs that work."""
        return [leg for leg in self.legs if leg.port not in dead and leg.leaf not in dead]


class Arc(NamedTuple):
    """A session in the direction of routes: who hears it, by which cable and which addresses."""

    hearer: str
    cable: frozenset[int]
    own: int
    far: int


class Network:
    """A rendered tree.

    Attributes:
        switches: By name; ``nics`` are those of hosts that are no spares, by rail.
    """

    def __init__(self, out: Path, hosts_max: int) -> None:
        """Read every switch and host.

        Args:
            out: The tree.
            hosts_max: Highest number of a host of a unit that is no spare.
        """
        self.switches = {path.name: read_switch(path) for path in sorted((out / "switches").iterdir())}
        at = {address: switch.name for switch in self.switches.values() for address in switch.ports}
        self.arcs = {switch.name: list(_arcs(switch, at)) for switch in self.switches.values()}
        leaf_at = {end: switch.name for switch in self.switches.values() for end in switch.bonds}
        self.nics: dict[str, list[Nic]] = {}
        for path in sorted((out / "hosts").iterdir()):
            if int(path.name.rpartition("h")[2]) <= hosts_max:
                for bond in read_host(path):
                    legs = tuple(Leg((bond.host, port), leaf_at[bond.host, port]) for port in bond.ports)
                    subnet = self.switches[legs[0].leaf].subnet
                    assert subnet
                    assert covers(subnet, (bond.address, 32))
                    self.nics.setdefault(bond.rail, []).append(Nic(bond, legs, subnet))
        self._check_uniform()

    def _check_uniform(self) -> None:
        """No list tells hosts of one subnet apart, so that a host route stands for others of the same leafs."""
        subnets = {switch.subnet for switch in self.switches.values() if switch.subnet}
        rules = {rule[0] for switch in self.switches.values() for rules in switch.lists.values() for rule in rules}
        assert not [r for r in rules for subnet in subnets if r[1] > subnet[1] and covers(subnet, r)]

    def cable(self, one: str, other: str) -> frozenset[int]:
        """Return the first cable between two switches."""
        return next(arc.cable for arc in self.arcs[one] if arc.hearer == other)


def _arcs(switch: Switch, at: dict[int, str]) -> Iterator[Arc]:
    """Yield the sessions of a switch; the own end is the other address of the /31."""
    for far in switch.asn_of:
        assert far ^ 1 in switch.ports
        yield Arc(at[far], frozenset((far, far ^ 1)), far ^ 1, far)


Hops = dict[str, list[Arc]]
"""Equal next hops of every switch that has a route, each the arc to it."""


class Tables:
    """Forwarding tables of all switches after routing has followed some failures."""

    def __init__(self, network: Network, dead: Dead) -> None:
        """Prepare; routes are worked out when they are looked up."""
        self.network, self.dead = network, dead
        self.routes = cache(self._routes)

    def part(self, name: str, nic: Nic, dead: Dead, known: dict[str, Fraction]) -> Fraction:
        """Return the part of a flow that arrives from a switch on, hop by hop by the longest prefix.

        Args:
            name: The switch.
            nic: The receiver.
            dead: What drops packets now; routing may not have followed.
            known: Parts that are known for this receiver.
        """
        if name not in known:
            known[name] = self._part(name, nic, dead, known)
        return known[name]

    def _part(self, name: str, nic: Nic, dead: Dead, known: dict[str, Fraction]) -> Fraction:
        if name in dead:
            return Fraction(0)
        heard = {leg.leaf: leg for leg in nic.up(self.dead) if self.network.switches[leg.leaf].exports}
        if name in heard:
            return Fraction(heard[name].port not in dead)
        routes = self.routes((nic.subnet[0], 32), frozenset(heard))
        hops = routes.get(name)
        if hops is None:
            if self.network.switches[name].subnet == nic.subnet:
                return Fraction(0)
            hops = self.routes(nic.subnet, self._owners(nic.subnet)).get(name)
        if hops is None:
            return Fraction(0)
        parts = (self.part(a.hearer, nic, dead, known) if a.cable not in dead else Fraction(0) for a in hops)
        return sum(parts, Fraction(0)) / len(hops)

    def _owners(self, subnet: Block) -> frozenset[str]:
        """Return the leafs that announce a block; they need no host for that."""
        switches = self.network.switches.values()
        return frozenset(s.name for s in switches if subnet in s.networks and s.name not in self.dead)

    def _routes(self, route: Block, origins: Collection[str]) -> Hops:
        """Send a route from its origins over every session, the shortest AS path first."""
        best: dict[str, tuple[tuple[int, ...], Marks]] = {origin: ((), frozenset()) for origin in origins}
        hops: Hops = {}
        frontier = sorted(origins)
        while frontier:
            heard: dict[str, list[tuple[tuple[int, ...], Marks, Arc]]] = {}
            for name in frontier:
                path, marks = best[name]
                for arc in self.network.arcs[name]:
                    found = None if arc.hearer in best else self._hear(name, arc, route, path, marks)
                    if found is not None:
                        heard.setdefault(arc.hearer, []).append(found)
            for hearer, offers in heard.items():
                best[hearer] = min(offers, key=lambda offer: offer[0])[:2]
                hops[hearer] = [offer[2] for offer in offers]
            frontier = sorted(heard)
        return hops

    def _hear(
        self, name: str, arc: Arc, route: Block, path: tuple[int, ...], marks: Marks
    ) -> tuple[tuple[int, ...], Marks, Arc] | None:
        """Return what a neighbour makes of a route: path, communities, and the way back; None where it has none."""
        if arc.hearer in self.dead or arc.cable in self.dead:
            return None
        sender, hearer = self.network.switches[name], self.network.switches[arc.hearer]
        if hearer.asn in path or hearer.asn == sender.asn:
            return None
        sent = sender.passes(sender.maps_of[sender.group_of[arc.far]]["out"], route, marks)
        only = hearer.list_of.get(arc.own)
        if sent is None or (only is not None and not hearer.lets(only, route)):
            return None
        taken = hearer.passes(hearer.maps_of[hearer.group_of[arc.own]]["in"], route, sent)
        return None if taken is None else ((*path, sender.asn), taken, Arc(name, arc.cable, arc.far, arc.own))
