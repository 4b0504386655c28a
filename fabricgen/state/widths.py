"""Equal next hops that a switch has towards each leaf, and prefixes that it accepts from each neighbor.

Destinations that are alike seen from the switch are worked out once: the number of rows grows with the classes of
destinations, not with their number.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from fabricgen.analysis.cells import PLANE, Key, Partition, SingledOut, Symmetry
from fabricgen.analysis.forwarding import NO_OUTAGE, CellGraph, Routes, route
from fabricgen.device.lower import Lowering
from fabricgen.device.model import LeafRoutes
from fabricgen.plan.model.cabling import down_links, up_links
from fabricgen.plan.model.identity import DeviceId


@dataclass(frozen=True, slots=True)
class Destination:
    """Prefixes that the same switches announce, in one plane."""

    owners: tuple[DeviceId, ...]
    prefixes: tuple[str, ...]


class Destinations:
    """Destinations of one plan; keeps those of each plane."""

    def __init__(self, lowering: Lowering) -> None:
        self._lowering = lowering
        self._plan = lowering.plan
        self._found: dict[int, list[Destination]] = {}

    def of_plane(self, plane: int) -> list[Destination]:
        """Return loopbacks by leaf, and host blocks by the leafs that share one."""
        found = self._found.get(plane)
        if found is None:
            owners: dict[str, list[DeviceId]] = {}
            for device in self._switches(plane, 0):
                for prefix in list_prefixes(self._lowering.leaf_routes(device.where)):
                    owners.setdefault(prefix, []).append(device)
            shared: dict[tuple[DeviceId, ...], list[str]] = {}
            for prefix, names in owners.items():
                shared.setdefault(tuple(names), []).append(prefix)
            found = self._found[plane] = [Destination(names, tuple(prefixes)) for names, prefixes in shared.items()]
        return found

    def above(self, plane: int) -> Iterator[Destination]:
        """Yield the loopbacks of the switches above the leafs."""
        for tier in self._plan.tiers[1:]:
            for device in self._switches(plane, tier.number):
                identity = self._plan.identity(device)
                yield Destination((device,), single_addresses(identity.loopback, identity.loopback6))

    def _switches(self, plane: int, tier: int) -> Iterator[DeviceId]:
        for where in self._plan.tiers[tier].coordinates():
            device = DeviceId(tier, where)
            if where.plane == plane and not self._plan.exceptions.is_absent(device):
                yield device


class SwitchTables:
    """Fabric as one switch sees it; ``outer`` are cells with nothing singled out but the switch."""

    def __init__(self, symmetry: Symmetry, base: SingledOut, device: DeviceId, others: Iterable[DeviceId] = ()) -> None:
        """Single out a switch, and others that count as unlike all."""
        self._symmetry, self._device = symmetry, device
        self._near = base.joined(symmetry.singled_out([device, *others]))
        self.outer = Partition(symmetry, self._near)

    def classes(self, destinations: Iterable[Destination]) -> Iterator[tuple[list[Destination], CellGraph, Routes]]:
        """Yield the destinations that are alike, with the routes to the first of them."""
        alike: dict[tuple[Key, ...], list[Destination]] = {}
        for each in destinations:
            alike.setdefault(tuple(map(self.outer.key, each.owners)), []).append(each)
        for members in alike.values():
            owners = members[0].owners
            partition = Partition(self._symmetry, self._near.joined(self._symmetry.singled_out(owners)))
            graph = CellGraph(partition, NO_OUTAGE, self._device.where.plane)
            yield members, graph, route(graph, {partition.key(owner) for owner in owners})


def single_out_planes(symmetry: Symmetry) -> SingledOut:
    """Return what is singled out for every switch: what exceptions touch, and each plane."""
    planes = frozenset((PLANE, plane) for plane in range(symmetry.plan.tiers[0].counts.plane))
    return symmetry.irregular().joined(SingledOut(values=planes))


def list_prefixes(leaf: LeafRoutes) -> Iterator[str]:
    """Yield the prefixes that a leaf announces in every fabric: its loopbacks and the blocks of its hosts."""
    yield from single_addresses(leaf.loopback, leaf.loopback6)
    yield from (block for block in (leaf.aggregate, leaf.aggregate6) if block)


def single_addresses(ipv4: str, ipv6: str) -> tuple[str, ...]:
    """Return addresses as prefixes of their own; a family that is not there is left out."""
    return tuple(f"{address}/{length}" for address, length in ((ipv4, 32), (ipv6, 128)) if address)


@dataclass(frozen=True, slots=True)
class EcmpWidth:
    """Equal next hops, 0 without a route, towards loopbacks and host blocks that are alike seen from a switch."""

    next_hops: int
    prefixes: tuple[str, ...]


Accepted = dict[tuple[DeviceId, str], int]
"""Prefixes accepted over one session, by neighbor and family."""


class RouteExpectations:
    """Routes that the switches of one plan have."""

    def __init__(self, lowering: Lowering) -> None:
        self._plan = lowering.plan
        self._symmetry = Symmetry(lowering.plan)
        self._base = single_out_planes(self._symmetry)
        self._destinations = Destinations(lowering)

    def widths(self, device: DeviceId, avoided: Collection[DeviceId] = ()) -> list[EcmpWidth]:
        """Return the widths of a switch, one for each class of destinations; none over a neighbor that is avoided."""
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
            found.append(EcmpWidth(width, prefixes))
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
