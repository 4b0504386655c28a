"""Prefixes of a fabric by who announces them, and which of them are alike seen from one switch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from fabricgen.analysis.cells import PLANE, Key, Partition, SingledOut, Symmetry
from fabricgen.analysis.forwarding import NO_OUTAGE, CellGraph, Routes, route
from fabricgen.device.lower import Lowering
from fabricgen.device.model import LeafRoutes
from fabricgen.plan.model.identity import DeviceId


@dataclass(frozen=True, slots=True)
class Destination:
    """Prefixes that the same switches announce, in one plane."""

    owners: tuple[DeviceId, ...]
    prefixes: tuple[str, ...]


class Destinations:
    """Destinations of one plan; keeps those of each plane."""

    def __init__(self, lowering: Lowering) -> None:
        """Prepare for one plan."""
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
        pool = self._plan.addressing.loopbacks
        for tier in self._plan.tiers[1:]:
            for device in self._switches(plane, tier.number):
                number = tier.layout.loopback.at(device.where)
                yield Destination((device,), tuple(_singles(pool.text4(number), pool.text6(number))))

    def _switches(self, plane: int, tier: int) -> Iterator[DeviceId]:
        for where in self._plan.tiers[tier].coordinates():
            device = DeviceId(tier, where)
            if where.plane == plane and not self._plan.exceptions.is_absent(device):
                yield device


class SwitchTables:
    """Fabric as one switch sees it: everything alike that is alike beside it.

    Attributes:
        outer: Cells with nothing singled out but the switch.
    """

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
    yield from _singles(leaf.loopback, leaf.loopback6)
    yield from (block for block in (leaf.aggregate, leaf.aggregate6) if block)


def _singles(ipv4: str, ipv6: str) -> Iterator[str]:
    """Yield addresses as prefixes of their own; a family that is not there is left out."""
    if ipv4:
        yield f"{ipv4}/32"
    if ipv6:
        yield f"{ipv6}/128"
