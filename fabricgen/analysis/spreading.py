"""Traffic towards one destination, spread over next hops that are equal or weighted by the bandwidth behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.cell_graph import CellGraph, CellLinks
from fabricgen.analysis.cells import Key
from fabricgen.analysis.forwarding import Routes
from fabricgen.physics.path_weights import UNITS_MAX, path_weights


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
    """Push traffic from leafs to the destination of some routes.

    Each link of an equal choice takes the same part, or one that follows its weight.

    Args:
        graph: Cells and bundles.
        routes: Routes to the destination.
        entering: What enters at each cell of leafs, each of which has a route.
        rules: How the switches of each tier weight next hops; empty where they do not.
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
        """Prepare.

        Args:
            graph: Cells and bundles.
            routes: Routes to the destination.
            rules: How the switches of each tier weight; empty where they do not.
        """
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
