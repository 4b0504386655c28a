"""Weights of next hops towards one destination, as the link bandwidth that BGP announces makes them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from fabricgen.analysis.cell_graph import CellGraph
from fabricgen.analysis.cells import Key
from fabricgen.analysis.forwarding import Routes
from fabricgen.physics.path_weights import UNITS_MAX, path_weights


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
