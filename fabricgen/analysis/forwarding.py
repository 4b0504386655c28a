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

from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple, Protocol

from fabricgen.analysis.cell_graph import CellLinks
from fabricgen.analysis.cells import Key


class Graph(Protocol):
    """Cells of switches and the bundles over which each of them learns routes: a ``CellGraph``, or devices of a lab.

    Attributes:
        up: Bundles upwards of each cell, by key, which begins with the number of the tier: the leafs first.
        down: Bundles downwards.
        drained: Cells whose switches are drained.
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
        from_above: It was learnt from the tier above.
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
    """Return the best route of every cell that has one.

    Args:
        graph: Cells and bundles of one plane, or of a lab.
        owners: Cells of the leafs that announce the destination.
    """
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
