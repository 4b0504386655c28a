"""Pairs of leafs in service by class, and the bandwidth planned between the two of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.analysis.outage.upward_graph import Flow, UpwardGraph, UpwardHops
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId

RELATIONS = (("pod", "zone", "fabric"), ("zone", "fabric"), ("fabric",))
"""Scopes of a tier whose switches can join two leafs: of one pod, of one zone, and of different zones."""
Places = Counter[tuple[int, int]]


class LeafClass(NamedTuple):
    """Leafs with the same way up.

    Attributes:
        flow: Traffic at each node above them when every uplink is full.
        places: How many there are in each zone and pod.
    """

    leafs: tuple[DeviceId, ...]
    flow: Flow
    places: Places


class LeafPair(NamedTuple):
    """Pairs of leafs of two classes that meet in a tier.

    Attributes:
        one: Number of the class of the first; ``other`` of the second.
        tier: The lowest tier in which their ways meet; traffic turns there.
        planned: What the links can carry between the two, in the unit of the flows.
    """

    one: int
    other: int
    tier: int
    planned: int


class LeafPairs:
    """Every class of pairs of leafs in service.

    Two leafs of different planes never meet, and are no pair.

    Attributes:
        graph: The nodes above the leafs.
        classes: Classes of leafs.
        pairs: Classes of pairs.
        pairs_of: Numbers of the pairs that a class takes part in.
        classes_at: Numbers of the classes with traffic at a node.
    """

    def __init__(self, plan: FabricPlan) -> None:
        """Work out classes and pairs."""
        self.plan, self.graph = plan, UpwardGraph(plan)
        self.classes = list(self._list_classes())
        self.pairs = list(dict.fromkeys(self._list_pairs()))
        self.pairs_of: list[list[int]] = [[] for _ in self.classes]
        for number, pair in enumerate(self.pairs):
            for at in {pair.one, pair.other}:
                self.pairs_of[at].append(number)
        self.classes_at: list[list[int]] = [[] for _ in self.graph.tiers]
        for at, found in enumerate(self.classes):
            for node in found.flow:
                self.classes_at[node].append(at)

    def _list_classes(self) -> Iterator[LeafClass]:
        plan, graph = self.plan, self.graph
        pattern = plan.links[1].pattern if len(plan.tiers) > 1 else ""
        steps: dict[tuple[int, ...], UpwardHops] = {}
        found: dict[tuple[tuple[int, int], UpwardHops], list[DeviceId]] = {}
        for where in plan.tiers[0].coordinates():
            leaf = DeviceId(0, where)
            change = plan.exceptions.of(leaf)
            if change is not None and change.state:
                continue
            place = graph.place(where.zone, where.pod)
            if leaf in plan.exceptions.touched:
                step = graph.first_step(leaf)
            else:
                stripe = {"stripe_index": where.index, "stripe_rail": where.group}.get(pattern, 0)
                key = (*place, where.plane, stripe)
                if key not in steps:
                    steps[key] = graph.first_step(leaf)
                step = steps[key]
            found.setdefault((place, step), []).append(leaf)
        for (_, step), leafs in found.items():
            places = Counter((leaf.where.zone, leaf.where.pod) for leaf in leafs)
            yield LeafClass(tuple(leafs), graph.flow(step), places)

    def _list_pairs(self) -> Iterator[LeafPair]:
        for one, first in enumerate(self.classes):
            for other in range(one, len(self.classes)):
                second = self.classes[other]
                if first.flow.keys().isdisjoint(second.flow.keys()):
                    continue
                for scopes, exists in zip(RELATIONS, _relations(first, second, same=one == other), strict=True):
                    tier, planned = self._meeting(first.flow, second.flow, scopes) if exists else (0, 0)
                    if planned:
                        yield LeafPair(one, other, tier, planned)

    def _meeting(self, one: Flow, other: Flow, scopes: tuple[str, ...]) -> tuple[int, int]:
        """Return the lowest tier of some scopes that joins two leafs, and the bandwidth planned there."""
        planned: Counter[int] = Counter()
        for node, flow in one.items():
            if node in other:
                planned[self.graph.tiers[node]] += min(flow, other[node])
        tiers = [tier for tier in sorted(planned) if self.plan.tiers[tier].scope in scopes and planned[tier]]
        return (tiers[0], planned[tiers[0]]) if tiers else (0, 0)


def _relations(one: LeafClass, other: LeafClass, *, same: bool) -> tuple[bool, bool, bool]:
    """Return whether two leafs of the classes stand in one pod, in two pods of a zone, and in two zones."""
    pod = any(count > 1 for count in one.places.values()) if same else bool(one.places.keys() & other.places.keys())
    pods: list[dict[int, set[int]]] = [{}, {}]
    for found, places in zip(pods, (one.places, other.places), strict=True):
        for zone, number in places:
            found.setdefault(zone, set()).add(number)
    first, second = pods
    zone = any(len(first[at] | second[at]) > 1 for at in first.keys() & second.keys())
    return pod, zone, len(first.keys() | second.keys()) > 1
