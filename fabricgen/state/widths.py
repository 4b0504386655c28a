"""Equal next hops that a switch has towards each leaf, and prefixes that it accepts from each neighbor.

Destinations that are alike seen from the switch are worked out once: the number of rows grows with the classes of
destinations, not with their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from fabricgen.analysis.cells import Key, Symmetry
from fabricgen.analysis.forwarding import CellGraph, Routes
from fabricgen.device.lower import Lowering
from fabricgen.plan.model.cabling import down_links, up_links
from fabricgen.plan.model.identity import DeviceId
from fabricgen.state.destinations import Destinations, SwitchTables, single_out_planes


@dataclass(frozen=True, slots=True)
class EcmpWidth:
    """Equal next hops towards some prefixes that are alike seen from one switch.

    Attributes:
        next_hops: How many the forwarding table has; 0 where the switch has no route.
        upwards: They lead to the tier above.
        prefixes: Loopbacks and host blocks, in text.
    """

    next_hops: int
    upwards: bool
    prefixes: tuple[str, ...]


Accepted = dict[tuple[DeviceId, str], int]
"""Prefixes accepted over one session, by neighbor and family."""


class RouteExpectations:
    """Routes that the switches of one plan have."""

    def __init__(self, lowering: Lowering) -> None:
        """Prepare for one plan."""
        self._plan = lowering.plan
        self._symmetry = Symmetry(lowering.plan)
        self._base = single_out_planes(self._symmetry)
        self._destinations = Destinations(lowering)

    def widths(self, device: DeviceId, avoided: Collection[DeviceId] = ()) -> list[EcmpWidth]:
        """Return the widths of a switch, one for each class of destinations.

        Args:
            device: The switch.
            avoided: Neighbors; what has a next hop among them is left out.
        """
        max_paths = self._plan.tier_of(device).routing.max_paths
        view = SwitchTables(self._symmetry, self._base, device, avoided)
        found = []
        theirs = (each for each in self._destinations.of_plane(device.where.plane) if device not in each.owners)
        for members, graph, routes in view.classes(theirs):
            best = routes.get(graph.partition.key(device))
            ends = {end for hop in best.hops for end in (hop.lower, hop.upper)} if best else set()
            if not ends.isdisjoint(map(graph.partition.key, avoided)):
                continue
            width = min(best.width(1), max_paths) if best else 0
            prefixes = tuple(prefix for each in members for prefix in each.prefixes)
            found.append(EcmpWidth(width, bool(best and best.from_above), prefixes))
        return found

    def accepted(self, device: DeviceId) -> Accepted:
        """Return the prefixes that a switch accepts over a session with each switch beside it.

        A neighbor is left out where the plan does not determine the number: where several paths are equally good and
        only some hold the switch's own AS number, it depends on which one is announced; and where leafs announce hosts
        as these come and go.
        """
        if self._plan.addressing.host_len:
            return {}
        view = SwitchTables(self._symmetry, self._base, device)
        adjacent = Counter(self._adjacent(device))
        links: Counter[Key] = Counter()
        for peer, number in adjacent.items():
            links[view.outer.key(peer)] += number
        counts: Counter[tuple[Key, str]] = Counter()
        unsure: set[Key] = set()
        plane = device.where.plane
        for members, graph, routes in view.classes(
            [*self._destinations.of_plane(plane), *self._destinations.above(plane)]
        ):
            sizes = Counter("ipv6" if ":" in prefix else "ipv4" for each in members for prefix in each.prefixes)
            for cell, number, certain in _offers(graph, routes, device):
                outer = view.outer.key(graph.cells[cell].device)
                if not certain:
                    unsure.add(outer)
                for family, size in sizes.items():
                    counts[outer, family] += number * size
        return {
            (peer, family): counts[key, family] // links[key]
            for peer in adjacent
            for family in ("ipv4", "ipv6")
            if (key := view.outer.key(peer)) not in unsure
        }

    def _adjacent(self, device: DeviceId) -> Iterator[DeviceId]:
        """Yield the other end of every link of a switch to a switch."""
        yield from (link.upper_end for link in up_links(self._plan, device))
        yield from (link.lower_end for link in (down_links(self._plan, device) if device.tier else ()))


def _offers(graph: CellGraph, routes: Routes, device: DeviceId) -> Iterator[tuple[Key, int, bool]]:
    """Yield each cell beside a switch that may announce the destination, its links, and whether that is certain."""
    own = graph.partition.key(device)
    asn = graph.asn(own)
    below = [(bundle.lower, bundle.links) for bundle in graph.down.get(own, ())]
    above = [(bundle.upper, bundle.links) for bundle in graph.up[own]]
    for peer, links in (*below, *above):
        path = routes.get(peer)
        if path is None or (peer[0] < own[0] and path.from_above):
            continue
        certainly = _on_every_path(graph, routes, peer) | {graph.asn(peer)}
        if asn not in certainly:
            yield peer, links, asn not in path.asns


def _on_every_path(graph: CellGraph, routes: Routes, key: Key) -> frozenset[int]:
    """Return the AS numbers that all of the equal paths of a cell have."""
    found: frozenset[int] | None = None
    for bundle in routes[key].hops:
        peer = bundle.lower if bundle.upper == key else bundle.upper
        asns = _on_every_path(graph, routes, peer) | {graph.asn(peer)}
        found = asns if found is None else found & asns
    return found or frozenset()
