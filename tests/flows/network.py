"""The network of rendered configurations: links, BGP routes hop by hop, and the longest prefix at each switch."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import NamedTuple

from tests.flows.configs import Block, Clause, HostBond, Marks, Policy, Switch, covers, read_host, read_switch

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
    """A session in the direction of routes: who announces, who hears it, by which cable; ``asn`` is the hearer's."""

    sender: str
    hearer: str
    cable: frozenset[int]
    asn: int


class Sessions(NamedTuple):
    """Sessions of a switch on which announced routes pass the same policies, in this order."""

    policies: tuple[Policy, ...]
    arcs: list[Arc]

    def taken(self, route: Block, marks: Marks) -> Marks | None:
        """Return the communities with which hearers take a route; None where they do not get it."""
        passed: Marks | None = marks
        for policy in self.policies:
            passed = None if passed is None else policy.passes(route, passed)
        return passed


class Network:
    """A rendered tree."""

    def __init__(self, out: Path, hosts_max: int) -> None:
        self.switches = {path.name: read_switch(path) for path in sorted((out / "switches").iterdir())}
        at = {address: switch.name for switch in self.switches.values() for address in switch.ports}
        self._policies: dict[tuple[Clause, ...], Policy] = {}
        self.sessions = {switch.name: self._sessions(switch, at) for switch in self.switches.values()}
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
        return next(arc.cable for kind in self.sessions[one] for arc in kind.arcs if arc.hearer == other)

    def kinds(self) -> list[list[object]]:
        """Return what may fail, by kind: switches by how far they are above the hosts, cables by both ends, ports."""
        level = {name: 0 for name, switch in self.switches.items() if switch.bonds}
        arcs = [arc for sessions in self.sessions.values() for each in sessions for arc in each.arcs]
        while len(level) < len(self.switches):
            above = {arc.hearer for arc in arcs if arc.sender in level and arc.hearer not in level}
            level |= dict.fromkeys(above, max(level.values()) + 1)
        found: dict[tuple[int, ...], list[object]] = {}
        for name in self.switches:
            found.setdefault((level[name],), []).append(name)
        for arc in arcs:
            if level[arc.sender] < level[arc.hearer]:
                found.setdefault((level[arc.sender], level[arc.hearer]), []).append(arc.cable)
        ports = [leg.port for nics in self.nics.values() for nic in nics for leg in nic.legs]
        return [*found.values(), [*ports]]

    def _sessions(self, sender: Switch, at: dict[int, str]) -> list[Sessions]:
        """Return the sessions of a switch; the own end is the other address of the /31."""
        found: dict[tuple[Policy, ...], list[Arc]] = {}
        for far in sender.asn_of:
            own = far ^ 1
            assert own in sender.ports
            hearer = self.switches[at[far]]
            only = hearer.list_of.get(own)
            clauses = (
                sender.clauses(sender.maps_of[sender.group_of[far]]["out"]),
                *((hearer.permitted(only),) if only is not None else ()),
                hearer.clauses(hearer.maps_of[hearer.group_of[own]]["in"]),
            )
            policies = tuple(self._policies.setdefault(each, Policy(each)) for each in clauses)
            found.setdefault(policies, []).append(Arc(sender.name, hearer.name, frozenset((far, own)), hearer.asn))
        return [Sessions(policies, arcs) for policies, arcs in found.items()]


AsPath = tuple[int, ...]
"""AS numbers, the nearest last."""
ALL, NONE = Fraction(1), Fraction(0)
"""Parts of a flow; each is one object, so that next hops that lose nothing are told apart without arithmetic."""
Hops = dict[str, list[Arc]]
"""Equal next hops of every switch that has a route, each the session by which it heard it."""


class Tables:
    """Forwarding tables of all switches after routing has followed some failures."""

    def __init__(self, network: Network, dead: Dead) -> None:
        """Prepare; routes are worked out when they are looked up."""
        self.network, self.dead = network, dead
        self.routes = cache(self._routes)

    def part(self, name: str, nic: Nic, dead: Dead, known: dict[str, Fraction]) -> Fraction:
        """Part of a flow that arrives from a switch on, by the longest prefix; what is ``dead`` drops packets."""
        if name not in known:
            known[name] = self._part(name, nic, dead, known)
        return known[name]

    def _part(self, name: str, nic: Nic, dead: Dead, known: dict[str, Fraction]) -> Fraction:
        if name in dead:
            return NONE
        heard = {leg.leaf: leg for leg in nic.up(self.dead) if self.network.switches[leg.leaf].exports}
        if name in heard:
            return ALL if heard[name].port not in dead else NONE
        length = self.network.switches[nic.legs[0].leaf].host_len
        hops = self.routes((nic.subnet[0], length), frozenset(heard)).get(name)
        if hops is None:
            if self.network.switches[name].subnet == nic.subnet:
                return NONE
            hops = self.routes(nic.subnet, self._owners(nic.subnet)).get(name)
        if hops is None:
            return NONE
        parts = [self.part(a.sender, nic, dead, known) if a.cable not in dead else NONE for a in hops]
        return parts[0] if all(part is parts[0] for part in parts) else sum(parts, NONE) / len(hops)

    def _owners(self, subnet: Block) -> frozenset[str]:
        """Return the leafs that announce a block; they need no host for that."""
        switches = self.network.switches.values()
        return frozenset(s.name for s in switches if subnet in s.networks and s.name not in self.dead)

    def _routes(self, route: Block, origins: Collection[str]) -> Hops:
        """Send a route from its origins over every session, the shortest AS path first."""
        best: dict[str, tuple[AsPath, Marks]] = {origin: ((), frozenset()) for origin in origins}
        hops: Hops = {}
        frontier = sorted(origins)
        while frontier:
            heard: dict[str, list[tuple[AsPath, Marks, Arc]]] = {}
            for name in frontier:
                self._announce(name, route, best, heard)
            for hearer, offers in heard.items():
                best[hearer] = min(offers, key=lambda offer: offer[0])[:2]
                hops[hearer] = [offer[2] for offer in offers]
            frontier = sorted(heard)
        return hops

    def _announce(
        self,
        name: str,
        route: Block,
        best: dict[str, tuple[AsPath, Marks]],
        heard: dict[str, list[tuple[AsPath, Marks, Arc]]],
    ) -> None:
        """Offer the route of a switch to its neighbours that have none; a path with their own number is refused."""
        path, marks = best[name]
        longer = (*path, self.network.switches[name].asn)
        for sessions in self.network.sessions[name]:
            taken = sessions.taken(route, marks)
            if taken is None:
                continue
            for arc in sessions.arcs:
                hearer = arc.hearer
                if hearer in best or arc.asn in longer or hearer in self.dead or arc.cable in self.dead:
                    continue
                heard.setdefault(hearer, []).append((longer, taken, arc))
