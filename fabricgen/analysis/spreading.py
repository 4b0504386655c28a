"""Traffic towards one destination, spread over equal next hops."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.cell_graph import Bundle, CellGraph
from fabricgen.analysis.cells import Key
from fabricgen.analysis.forwarding import Routes


class Spread(NamedTuple):
    """Traffic on its way, Gb/s of all members of a cell together.

    Attributes:
        up: On the links of a bundle upwards; ``down`` downwards.
        arrived: At the leafs of the destination.
        passed: Through a cell on its way, its own included.
    """

    up: dict[Bundle, Fraction]
    down: dict[Bundle, Fraction]
    arrived: dict[Key, Fraction]
    passed: dict[Key, Fraction]


def spread(graph: CellGraph, routes: Routes, entering: Mapping[Key, Fraction]) -> Spread:
    """Push traffic from leafs to the destination of some routes; each link of an equal choice takes the same part.

    Args:
        graph: Cells and bundles.
        routes: Routes to the destination.
        entering: What enters at each cell of leafs, each of which has a route.
    """
    flow = dict(entering)
    found = Spread({}, {}, {}, flow)
    order = list(graph.cells)
    for key in order:
        if key in flow and routes[key].from_above:
            _forward(flow, routes, key, found.up, upwards=True)
    for key in reversed(order):
        if key in flow and not routes[key].length:
            found.arrived[key] = flow[key]
        elif key in flow and not routes[key].from_above:
            _forward(flow, routes, key, found.down, upwards=False)
    return found


def _forward(
    flow: dict[Key, Fraction], routes: Routes, key: Key, loads: dict[Bundle, Fraction], *, upwards: bool
) -> None:
    """Share what a cell has among its next hops, link by link."""
    hops = routes[key].hops
    links = sum(bundle.links for bundle in hops)
    for bundle in hops:
        part = flow[key] * bundle.links / links
        loads[bundle] = loads.get(bundle, Fraction(0)) + part
        target = bundle.upper if upwards else bundle.lower
        flow[target] = flow.get(target, Fraction(0)) + part
