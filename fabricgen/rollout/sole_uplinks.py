"""Switches that reach a tier above them over one switch of it alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from fabricgen.analysis.outage.leaf_pairs import LeafPairs
from fabricgen.plan.model.identity import DeviceId


class SoleUplinks:
    """Answers for one switch at a time."""

    def __init__(self, model: LeafPairs) -> None:
        """List the nodes and classes of leafs that hang on one node."""
        self._model = model
        graph = model.graph
        tops: list[frozenset[int]] = [frozenset()] * len(graph.tiers)
        for node in sorted(range(len(graph.tiers)), key=lambda each: -graph.tiers[each]):
            uppers = [upper for upper, _ in graph.above[node]]
            tops[node] = frozenset(uppers).union(*(tops[upper] for upper in uppers))
        self._nodes: dict[int, list[int]] = defaultdict(list)
        for node, above in enumerate(tops):
            for upper in self._only(above):
                self._nodes[upper].append(node)
        self._classes: dict[int, list[int]] = defaultdict(list)
        for number, found in enumerate(model.classes):
            for upper in self._only(frozenset(found.flow)):
                self._classes[upper].append(number)

    def below(self, device: DeviceId) -> Iterator[DeviceId]:
        """Yield the switches that reach the tier of a switch over it alone, leafs first."""
        model = self._model
        node = model.graph.node(device)
        if node is None:
            return
        for number in self._classes[node]:
            yield from (leaf for leaf in model.classes[number].leafs if self._meets(leaf, device))
        columns = {model.graph.column(model.graph.example(each)) for each in self._nodes[node]}
        for tier in model.plan.tiers[1 : device.tier] if columns else ():
            for where in tier.coordinates():
                lower = DeviceId(tier.number, where)
                if model.graph.column(lower) in columns and self._meets(lower, device):
                    yield lower

    def _only(self, above: frozenset[int]) -> Iterator[int]:
        """Yield the nodes that are the only ones of their tier."""
        by_tier: dict[int, list[int]] = defaultdict(list)
        for node in above:
            by_tier[self._model.graph.tiers[node]].append(node)
        yield from (nodes[0] for nodes in by_tier.values() if len(nodes) == 1)

    def _meets(self, lower: DeviceId, upper: DeviceId) -> bool:
        """Return whether a switch stands where another one serves: in its pod, in its zone, or anywhere."""
        scope = self._model.plan.tier_of(upper).scope
        same_zone = lower.where.zone == upper.where.zone
        return scope == "fabric" or (same_zone and (scope == "zone" or lower.where.pod == upper.where.pod))
