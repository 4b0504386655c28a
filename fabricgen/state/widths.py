"""Equal next hops that each switch has towards the prefixes of every leaf.

Destinations that are alike seen from the switch are worked out once: the number of rows grows with the classes of
destinations, not with their number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.analysis.cell_graph import NO_OUTAGE, CellGraph
from fabricgen.analysis.cells import Key, Partition
from fabricgen.analysis.forwarding import Routes, route
from fabricgen.analysis.symmetry import PLANE, SingledOut, Symmetry
from fabricgen.device.lower import Lowering
from fabricgen.device.model import LeafRoutes
from fabricgen.plan.model.identity import DeviceId


@dataclass(frozen=True, slots=True)
class Width:
    """Equal next hops towards some prefixes that are alike seen from one switch.

    Attributes:
        next_hops: How many the forwarding table has; 0 where the switch has no route.
        upwards: They lead to the tier above.
        prefixes: Loopbacks and host blocks, in text.
    """

    next_hops: int
    upwards: bool
    prefixes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Destination:
    """Prefixes that the same devices announce, in a plane."""

    owners: tuple[DeviceId, ...]
    prefixes: tuple[str, ...]


class Widths:
    """Next hops by destination, of the switches of one plan."""

    def __init__(self, lowering: Lowering) -> None:
        """Prepare for one plan."""
        self._lowering = lowering
        self._plan = lowering.plan
        self._symmetry = Symmetry(lowering.plan)
        planes = frozenset((PLANE, plane) for plane in range(self._plan.tiers[0].counts.plane))
        self._base = self._symmetry.irregular().joined(SingledOut(values=planes))
        self._destinations: dict[int, list[_Destination]] = {}

    def of_switch(self, device: DeviceId) -> list[Width]:
        """Return the widths of a switch, one for each class of destinations."""
        max_paths = self._plan.tier_of(device).routing.max_paths
        found = []
        for members, graph, routes in self._classes(device):
            best = routes.get(graph.partition.key(device))
            width = min(best.width(1), max_paths) if best else 0
            prefixes = tuple(prefix for each in members for prefix in each.prefixes)
            found.append(Width(width, bool(best and best.from_above), prefixes))
        return found

    def _classes(self, device: DeviceId) -> Iterator[tuple[list[_Destination], CellGraph, Routes]]:
        """Yield the destinations that are alike seen from a switch, with the routes to the first of them."""
        near = self._base.joined(self._symmetry.singled_out([device]))
        outer = Partition(self._symmetry, near)
        classes: dict[tuple[Key, ...], list[_Destination]] = {}
        for each in self._of_plane(device.where.plane):
            if device not in each.owners:
                classes.setdefault(tuple(map(outer.key, each.owners)), []).append(each)
        for members in classes.values():
            owners = members[0].owners
            partition = Partition(self._symmetry, near.joined(self._symmetry.singled_out(owners)))
            graph = CellGraph(partition, NO_OUTAGE, device.where.plane)
            yield members, graph, route(graph, {partition.key(owner) for owner in owners})

    def _of_plane(self, plane: int) -> list[_Destination]:
        """Return the destinations of a plane: loopbacks by leaf, host blocks by the leafs that share one."""
        found = self._destinations.get(plane)
        if found is None:
            owners: dict[str, list[DeviceId]] = {}
            for device in self._leafs(plane):
                for prefix in list_prefixes(self._lowering.leaf_routes(device.where)):
                    owners.setdefault(prefix, []).append(device)
            shared: dict[tuple[DeviceId, ...], list[str]] = {}
            for prefix, names in owners.items():
                shared.setdefault(tuple(names), []).append(prefix)
            found = [_Destination(names, tuple(prefixes)) for names, prefixes in shared.items()]
            self._destinations[plane] = found
        return found

    def _leafs(self, plane: int) -> Iterator[DeviceId]:
        for where in self._plan.tiers[0].coordinates():
            device = DeviceId(0, where)
            if where.plane == plane and not self._plan.exceptions.is_absent(device):
                yield device


def list_prefixes(leaf: LeafRoutes) -> Iterator[str]:
    """Yield the prefixes that a leaf announces in every fabric: its loopbacks and the blocks of its hosts."""
    if leaf.loopback:
        yield f"{leaf.loopback}/32"
    if leaf.loopback6:
        yield f"{leaf.loopback6}/128"
    yield from (block for block in (leaf.aggregate, leaf.aggregate6) if block)
