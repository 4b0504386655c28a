"""Routes sent through the fabric on paper: every leaf's must reach every switch, and none may come down and go up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..policy import NO_MARKS, Marks, Policy, Prefix
from ..routeset import Bits, Routes
from .bonds import attached
from .case import Case
from .routes import host_subnets, originated

Way = tuple[frozenset[int], Marks]
"""Attributes that routes which travel together have in common: AS numbers after the origin's, and communities."""


@dataclass(slots=True)
class Arc:
    """Sessions from one switch to a neighbour that treat routes alike; ``numbers`` may not stand twice in a path."""

    sender: str
    receiver: str
    numbers: frozenset[int] = frozenset()
    policies: tuple[Policy, ...] = ()
    links: int = 0


Arcs = dict[str, list[Arc]]
"""Arcs by sender."""


@dataclass(slots=True)
class Spread:
    """Reach of routes.

    ``counts``: switch to the routes it learns by shortest paths, by the number of links over which it does.
    ``valleys``: arcs on which a route that came from above would go up again.
    """

    counts: dict[str, dict[int, Bits]] = field(default_factory=dict)
    valleys: list[Arc] = field(default_factory=list)

    def count(self, receiver: str, routes: Bits, links: int) -> None:
        """Note that a switch learns routes over so many links more."""
        counted: dict[int, Bits] = {}
        before = self.counts.get(receiver, {})
        for number, known in ((0, routes & ~_union(before.values())), *before.items()):
            for total, part in ((number, known & ~routes), (number + links, known & routes)):
                if part:
                    counted[total] = counted.get(total, 0) | part
        self.counts[receiver] = counted


def _union(sets: Iterable[Bits]) -> Bits:
    found = 0
    for routes in sets:
        found |= routes
    return found


def _by_sender(arcs: Iterable[Arc]) -> Arcs:
    found: Arcs = {}
    for arc in arcs:
        found.setdefault(arc.sender, []).append(arc)
    return found


def _sessions(case: Case, bits: int) -> Arcs:
    """Arcs of a family: both directions of every pair of sessions over a link."""
    sessions = case.sessions()
    found: dict[tuple[object, ...], Arc] = {}
    for lower, upper in case.switch_links:
        for here, there in ((lower, upper), (upper, lower)):
            exporting = case.session(sessions, here, there, bits)
            importing = case.session(sessions, there, here, bits)
            receiver = case.fabric.devices[there[0]].bgp
            if exporting is None or importing is None or receiver is None:
                continue
            policies = (*exporting.export_policies, *importing.import_policies)
            arc = Arc(here[0], there[0], frozenset((receiver.asn,)), policies)
            found.setdefault((here[0], there[0], *map(id, policies)), arc).links += 1
    return _by_sender(found.values())


def _cables(case: Case) -> Arcs:
    peers = {name: case.graph.peers.get(name, {}) for name in (switch.name for switch in case.fabric.switches())}
    arcs = (Arc(name, peer, links=len(links)) for name, far in peers.items() for peer, links in far.items())
    return _by_sender(arc for arc in arcs if arc.receiver in peers)


@dataclass(slots=True)
class _Journey:
    """All routes on their way, breadth first: the shortest AS path wins, a path never meets an AS twice."""

    case: Case
    routes: Routes
    arcs: Arcs
    reached: dict[str, Bits] = field(default_factory=dict)
    descended: dict[str, Bits] = field(default_factory=dict)
    own: dict[int, Bits] = field(default_factory=dict)
    found: Spread = field(default_factory=Spread)

    def go(self) -> Spread:
        """Send every route from its origin until none gets any further."""
        self.reached = dict(self.routes.of)
        for origin, routes in self.routes.of.items():
            bgp = self.case.fabric.devices[origin].bgp
            if bgp:
                self.own[bgp.asn] = self.own.get(bgp.asn, 0) | routes
        frontier: dict[str, dict[Way, Bits]] = {o: {(frozenset(), NO_MARKS): r} for o, r in self.routes.of.items()}
        while frontier:
            arrived: dict[str, dict[Way, Bits]] = {}
            for name, ways in frontier.items():
                for arc in self.arcs.get(name, ()):
                    for way, routes in ways.items():
                        self._step(arc, way, routes, arrived.setdefault(arc.receiver, {}))
            for name, ways in arrived.items():
                self.reached[name] = self.reached.get(name, 0) | _union(ways.values())
            frontier = {name: ways for name, ways in arrived.items() if ways}
        return self.found

    def _step(self, arc: Arc, way: Way, routes: Bits, arrived: dict[Way, Bits]) -> None:
        """Send routes over an arc; those that are new to the receiver go on from there by the way that came first."""
        path, marks = way
        if arc.numbers & path:
            return
        routes &= ~_union(self.own.get(number, 0) for number in arc.numbers)
        level = self.case.graph.level
        upwards = level.get(arc.receiver, 0) > level.get(arc.sender, 0)
        for carried, permitted in self.routes.through(arc.policies, marks).items():
            passed = routes & permitted
            if upwards and passed & self.descended.get(arc.sender, 0):
                self.found.valleys.append(arc)
            fresh = passed & ~self.reached.get(arc.receiver, 0)
            if not fresh:
                continue
            if not upwards:
                self.descended[arc.receiver] = self.descended.get(arc.receiver, 0) | fresh
            self.found.count(arc.receiver, fresh, arc.links)
            first = fresh & ~_union(arrived.values())
            onward = (path | arc.numbers, carried)
            if first:
                arrived[onward] = arrived.get(onward, 0) | first


def _originations(case: Case) -> dict[str, set[Prefix]]:
    leafs = [name for name in host_subnets(case) if case.fabric.devices[name].bgp]
    hosts = attached(case)
    return {name: originated(case.fabric.devices[name]) | hosts.get(name, set()) for name in leafs}


def _missing(routes: Routes, expected: Spread, spread: Spread) -> list[str]:
    """Return the devices where routes arrive over more or fewer links than cables lead there."""
    found = []
    for name, wanted_by in expected.counts.items():
        counts = spread.counts.get(name, {})
        nowhere = routes.all & ~_union(counts.values())
        for wanted, wanting in wanted_by.items():
            for has, having in ((0, nowhere), *counts.items()):
                differing = wanting & having if has != wanted else 0
                said = f"arrives over {has} of {wanted} links"
                found += [f"{name}: {route} of {origin} {said}" for route, origin in routes.named(differing)]
    return found


def prove_routes_arrive(case: Case) -> list[str]:
    """Every leaf's prefixes reach every switch, over every equally short link, within maximum-paths."""
    found, valleys = [], set[str]()
    by_origin, cables = _originations(case), _cables(case)
    widest: dict[str, int] = {}
    for bits in case.families:
        routes = Routes(bits, by_origin)
        expected = _Journey(case, routes, cables).go()
        spread = _Journey(case, routes, _sessions(case, bits)).go()
        found += _missing(routes, expected, spread)
        valleys |= {f"{a.sender}: hands routes from above on to {a.receiver} above it" for a in spread.valleys}
        for name, counts in expected.counts.items():
            widest[name] = max(widest.get(name, 0), *counts)
    for name, count in sorted(widest.items()):
        bgp = case.fabric.devices[name].bgp
        if bgp and bgp.max_paths < count:
            found.append(f"{name}: maximum-paths {bgp.max_paths}, but {count} equal-cost links")
    return found + sorted(valleys)
