"""Forwarding towards a destination, as eBGP with the policies of the plan chooses it, cell by cell.

The shortest AS path wins; a path through something drained is used only where there is no other; all equal next hops
carry an equal share, one for each link. A route that came from above is announced downwards only, so traffic goes up
once and down once. A path with the receiver's own AS number is refused; of several equal best paths it is enough that
one of them has it, because which of them is announced is not defined: no load counts on such a path.
``deadlock.routes`` chooses in the same order among single switches, and takes each of the equal paths as announced,
since a cycle has to be excluded for all of them.

Source:
    RFC 7938 sections 5.2 and 6; RFC 4271 section 9.1.2.2; RFC 8326; RFC 2992 section 2.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple, Protocol

from fabricgen.analysis.cells import Cell, Element, Key, Partition
from fabricgen.physics.path_weights import UNITS_MAX, path_weights
from fabricgen.plan.model.cabling import FabricLink, HostLink, links_of_host, up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import HostId


class Outage(NamedTuple):
    """Elements that have failed, and those that ask to be left out (RFC 8326), beside what exceptions say."""

    failed: frozenset[Element] = frozenset()
    drained: frozenset[Element] = frozenset()


NO_OUTAGE = Outage()


class CellLinks(NamedTuple):
    """The links between the members of two cells that carry traffic; those over drained links stand apart.

    Attributes:
        drained: Both ends prefer every other way.
    """

    lower: Key
    upper: Key
    links: int
    drained: bool


class CellGraph:
    """Cells of switches that work, in a plane, and the bundles between them.

    Attributes:
        cells: By key, tier by tier from the leafs up.
        up: Bundles upwards of each cell; ``down`` those downwards.
    """

    def __init__(self, partition: Partition, outage: Outage, plane: int) -> None:
        """Build from the cables of the switches that stand for their cells; outage and plane are singled out there."""
        self.plan, self.partition, self.outage = partition.plan, partition, outage
        self.cells: dict[Key, Cell] = {}
        self.up: dict[Key, list[CellLinks]] = {}
        self.down: dict[Key, list[CellLinks]] = {}
        self.drained: set[Key] = set()
        for tier in self.plan.tiers:
            for cell in partition.cells(tier.number):
                if cell.device.where.plane == plane and cell.device not in outage.failed:
                    self._add(cell)
        for cell in self.cells.values():
            self.up[cell.key] = list(self._bundles(cell))
            for bundle in self.up[cell.key]:
                self.down.setdefault(bundle.upper, []).append(bundle)
        self.has_drains = bool(self.drained) or any(each.drained for bundles in self.up.values() for each in bundles)

    def _add(self, cell: Cell) -> None:
        self.cells[cell.key] = cell
        found = self.plan.exceptions.of(cell.device)
        if cell.device in self.outage.drained or (found is not None and found.state == "drained"):
            self.drained.add(cell.key)

    def _bundles(self, cell: Cell) -> Iterator[CellLinks]:
        """Yield the bundles upwards of a cell."""
        found: Counter[tuple[Key, bool]] = Counter()
        failed = self.outage.failed
        for link in up_links(self.plan, cell.device):
            # Where nothing has failed no identity of a link is worked out, of which there are many.
            if not failed or (link.id not in failed and link.upper_end not in failed):
                found[self.partition.key(link.upper_end), self.is_drained(link)] += 1
        for (upper, drained), links in found.items():
            yield CellLinks(cell.key, upper, links * cell.size, drained)

    def asn(self, key: Key) -> int:
        """Return the AS number of the switch that stands for a cell."""
        return self.plan.asn_of(self.cells[key].device)

    def is_drained(self, link: FabricLink) -> bool:
        """Return whether both ends of a link prefer every other way."""
        known, drained = self.plan.exceptions.links, self.outage.drained
        if not known and not drained:
            return False
        found = known.get(link.id)
        return link.id in drained or (found is not None and found.state == "drained")


def working_ports(plan: FabricPlan, host: HostId, rail: int, outage: Outage = NO_OUTAGE) -> list[HostLink]:
    """Links of a rail's NIC whose cable, leaf and port work, by port."""
    failed, known = outage.failed, plan.exceptions
    links = (link for link in links_of_host(plan, host) if link.rail == rail and link.id not in failed)
    return [link for link in links if link.upper_end not in failed and not known.is_absent(link.upper_end)]


class Graph(Protocol):
    """Cells of switches and the bundles over which each of them learns routes: a ``CellGraph``, or devices of a lab.

    Attributes:
        up: Bundles upwards of each cell, by key, which begins with the number of the tier: the leafs first.
        has_drains: Anything is drained; otherwise one sweep up and one down find every route.
    """

    up: dict[Key, list[CellLinks]]
    down: dict[Key, list[CellLinks]]
    drained: set[Key]
    has_drains: bool

    def asn(self, key: Key) -> int:
        """Return the AS number of a cell."""


class BestRoute(NamedTuple):
    """The best route of the switches of a cell; sorts by preference.

    Attributes:
        drained: It leads through something that asks to be left out.
        length: AS numbers on its path; 0 at a destination.
        asns: AS numbers on any of the equal paths.
        hops: Bundles that lead there, each link of them with an equal share.
    """

    drained: bool
    length: int
    from_above: bool
    asns: frozenset[int]
    hops: tuple[CellLinks, ...]

    def width(self, members: int) -> int:
        """Return the equal next hops of one switch; its cell has so many members."""
        return sum(bundle.links for bundle in self.hops) // members


Routes = Mapping[Key, BestRoute]
_DESTINATION = BestRoute(False, 0, False, frozenset(), ())


def route(graph: Graph, owners: Collection[Key]) -> Routes:
    """Return the best route of every cell that has one to a destination that leafs announce, in one plane or a lab."""
    routes: dict[Key, BestRoute] = {key: _DESTINATION for key in owners if key in graph.up}
    order = list(graph.up)
    for _ in range(len(order) + 2):
        before = dict(routes)
        for key in (*order, *reversed(order)):
            if key not in owners:
                _choose(routes, key, list(list_offers(graph, routes, key)))
        if not graph.has_drains or routes == before:
            break
    return routes


def list_offers(graph: Graph, routes: Routes, key: Key) -> Iterator[BestRoute]:
    """Yield what is announced to the switches of a cell over each bundle."""
    for bundle in graph.down.get(key, ()):
        path = routes.get(bundle.lower)
        if path is not None and not path.from_above:
            yield from _accepted(graph, key, bundle, bundle.lower, path)
    for bundle in graph.up[key]:
        path = routes.get(bundle.upper)
        if path is not None:
            yield from _accepted(graph, key, bundle, bundle.upper, path)


def _accepted(graph: Graph, key: Key, bundle: CellLinks, neighbour: Key, path: BestRoute) -> Iterator[BestRoute]:
    """Yield the route that a neighbour's path makes, unless it has the receiver's own AS number."""
    asns = path.asns | {graph.asn(neighbour)}
    if graph.asn(key) not in asns:
        drained = path.drained or bundle.drained or key in graph.drained or neighbour in graph.drained
        yield BestRoute(drained, path.length + 1, neighbour[0] > key[0], asns, (bundle,))


def _choose(routes: dict[Key, BestRoute], key: Key, offers: list[BestRoute]) -> None:
    """Take the best offers together; none at all means no route."""
    if not offers:
        routes.pop(key, None)
        return
    best = min(offer[:3] for offer in offers)
    equal = [offer for offer in offers if offer[:3] == best]
    asns = frozenset[int]().union(*(offer.asns for offer in equal))
    routes[key] = BestRoute(*best, asns, tuple(bundle for offer in equal for bundle in offer.hops))


class TrafficSpread(NamedTuple):
    """Traffic on its way, Gb/s of all members of a cell together.

    Attributes:
        up: On the links of a bundle upwards; ``down`` downwards.
        arrived: At the leafs of the destination.
        passed: Through a cell on its way, its own included.
    """

    up: dict[CellLinks, Fraction]
    down: dict[CellLinks, Fraction]
    arrived: dict[Key, Fraction]
    passed: dict[Key, Fraction]


def spread(
    graph: CellGraph, routes: Routes, entering: Mapping[Key, Fraction], rules: Sequence[str] = ()
) -> TrafficSpread:
    """Push traffic from leafs, each of which has a route, to the destination of some routes.

    Each link of an equal choice takes the same part, or one that follows its weight where tiers have rules for that.
    """
    flow, weighting = dict(entering), Weighting(graph, routes, rules)
    found = TrafficSpread({}, {}, {}, flow)
    order = list(graph.cells)
    for key in order:
        if key in flow and routes[key].from_above:
            _forward(flow, routes, key, found.up, weighting.weights(key), upwards=True)
    for key in reversed(order):
        if key in flow and not routes[key].length:
            found.arrived[key] = flow[key]
        elif key in flow and not routes[key].from_above:
            _forward(flow, routes, key, found.down, weighting.weights(key), upwards=False)
    return found


def _forward(
    flow: dict[Key, Fraction],
    routes: Routes,
    key: Key,
    loads: dict[CellLinks, Fraction],
    weights: Sequence[Fraction],
    *,
    upwards: bool,
) -> None:
    """Share what a cell has among its next hops, link by link."""
    hops = routes[key].hops
    total = sum(bundle.links * weight for bundle, weight in zip(hops, weights, strict=True))
    for bundle, weight in zip(hops, weights, strict=True):
        part = flow[key] * bundle.links * weight / total
        loads[bundle] = loads.get(bundle, Fraction(0)) + part
        target = bundle.upper if upwards else bundle.lower
        flow[target] = flow.get(target, Fraction(0)) + part


class Weighting:
    """Leafs announce one unit for each of their links; every other switch adds up what its next hops announce."""

    def __init__(self, graph: CellGraph, routes: Routes, rules: Sequence[str]) -> None:
        """Prepare; without rules switches do not weight."""
        self._graph, self._routes, self._rules = graph, routes, rules
        self._units: dict[Key, int] = {}

    def weights(self, key: Key) -> tuple[Fraction, ...]:
        """Return the weight of a link of each bundle that a cell sends over, in the order of its next hops."""
        hops = self._routes[key].hops
        units = [self._announced(key, at) for at in range(len(hops))] if self._rules else []
        if len(set(units)) < 2:
            return (Fraction(1),) * len(hops)
        return path_weights([(each, self._links(key, at)) for at, each in enumerate(units)], self._rules[key[0]])

    def _links(self, key: Key, at: int) -> int:
        """Return the links of a bundle at one switch of a cell."""
        return self._routes[key].hops[at].links // self._graph.cells[key].size

    def _announced(self, key: Key, at: int) -> int:
        """Return the units that the other end of a bundle announces."""
        hop = self._routes[key].hops[at]
        return self._sum(hop.upper if self._routes[key].from_above else hop.lower)

    def _sum(self, key: Key) -> int:
        """Return the units that the switches of a cell announce on."""
        known = self._units.get(key)
        if known is None:
            route = self._routes[key]
            found = sum(self._links(key, at) * self._announced(key, at) for at in range(len(route.hops)))
            known = self._units[key] = min(found, UNITS_MAX) if route.length else 1
        return known
