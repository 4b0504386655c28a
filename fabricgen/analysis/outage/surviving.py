"""Bandwidth left between leafs while some switches are out.

A pair of leafs keeps what its ways of the planned length carry when no link carries more of it than planned: the sum,
over the switches in which the ways turn, of the smaller of what reaches each from either leaf. For two tiers that is
the sum of the smaller number of links over common spines. One more switch that is out never gives a pair more, so the
worst state of a wave is the one in which all of it is out, in whatever order its members leave.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.outage.leaf_pairs import LeafPairs
from fabricgen.analysis.outage.upward_graph import Flow

PRECISION = 1 << 40
"""Parts of the planned bandwidth of a pair in which losses of different pairs are added up."""


class NodeLoss(NamedTuple):
    """Effect of one more node.

    Attributes:
        flows: What each class of leafs loses at each node.
        pairs: What each class of pairs loses.
    """

    flows: dict[int, Flow]
    pairs: dict[int, int]


class Surviving:
    """State of a fabric while some nodes are out.

    Attributes:
        out: Numbers of the nodes that are out.
        lost: What each class of pairs has lost.
    """

    def __init__(self, model: LeafPairs, nodes: Iterable[int] = ()) -> None:
        """Start with everything in service, then take out some nodes."""
        self.model = model
        self.out: set[int] = set()
        self.lost: dict[int, int] = {}
        self._flows: dict[int, Flow] = {}
        for node in nodes:
            self.add(node)

    def add(self, node: int) -> None:
        """Take a node out."""
        if node in self.out:
            return
        loss = self.loss(node)
        for at, flows in loss.flows.items():
            mine = self._flows.setdefault(at, {})
            for upper, flow in flows.items():
                mine[upper] = mine.get(upper, 0) + flow
        for number, lost in loss.pairs.items():
            self.lost[number] = self.lost.get(number, 0) + lost
        self.out.add(node)

    def loss(self, node: int) -> NodeLoss:
        """Return what pairs lose if a node goes out as well."""
        flows = self._lost_flows(node)
        pairs: dict[int, int] = {}
        for number in {number for at in flows for number in self.model.pairs_of[at]}:
            if lost := self._lost_of(number, node, flows):
                pairs[number] = lost
        return NodeLoss(flows, pairs)

    def allows(self, node: int, floor: Fraction) -> bool:
        """Return whether every pair keeps the floor if a node goes out as well."""
        return node in self.out or self.keeps(self.loss(node), floor)

    def keeps(self, loss: NodeLoss, floor: Fraction) -> bool:
        """Return whether every pair keeps the floor with a further loss."""
        rest, whole = floor.denominator - floor.numerator, floor.denominator
        return all(
            (self.lost.get(number, 0) + lost) * whole <= self.model.pairs[number].planned * rest
            for number, lost in loss.pairs.items()
        )

    def harm(self, loss: NodeLoss) -> tuple[int, int]:
        """Return the sum of the parts that pairs lose, and the largest part that any of them has lost then."""
        total = worst = 0
        for number, lost in loss.pairs.items():
            planned = self.model.pairs[number].planned
            total += lost * PRECISION // planned
            worst = max(worst, (self.lost.get(number, 0) + lost) * PRECISION // planned)
        return total, worst

    def worst(self) -> tuple[Fraction, int | None]:
        """Return the smallest part that a pair keeps and the number of its class; None where none loses any."""
        return self._least(self.lost)

    def worst_after(self, loss: NodeLoss) -> tuple[Fraction, int | None]:
        """Return the same of the pairs that a further loss concerns, once it has happened."""
        return self._least({number: self.lost.get(number, 0) + lost for number, lost in loss.pairs.items()})

    def _least(self, lost: Mapping[int, int]) -> tuple[Fraction, int | None]:
        pairs = self.model.pairs
        number = max(lost, key=lambda at: Fraction(lost[at], pairs[at].planned), default=None)
        if number is None:
            return Fraction(1), None
        return 1 - Fraction(lost[number], pairs[number].planned), number

    def _lost_flows(self, node: int) -> dict[int, Flow]:
        """Return what each class loses at a node and above it when the node goes out.

        What was to pass through a node that is out already is lost already.
        """
        found = {}
        for at in self.model.classes_at[node]:
            flow = self._flow(at, node)
            if not flow or node in self.out:
                continue
            lost = layer = {node: flow}
            while layer := self._in_service(self.model.graph.lifted(layer)):
                lost = lost | layer
            found[at] = lost
        return found

    def _in_service(self, flow: Flow) -> Flow:
        return {node: amount for node, amount in flow.items() if node not in self.out}

    def _flow(self, at: int, node: int) -> int:
        return self.model.classes[at].flow.get(node, 0) - self._flows.get(at, {}).get(node, 0)

    def _lost_of(self, number: int, node: int, flows: dict[int, Flow]) -> int:
        """Return what a class of pairs loses, with what its two classes of leafs lose at each node."""
        pair, tiers = self.model.pairs[number], self.model.graph.tiers
        one, other = flows.get(pair.one, {}), flows.get(pair.other, {})
        lost = 0
        for at in one.keys() | other.keys():
            if tiers[at] != pair.tier or at in self.out:
                continue
            first, second = self._flow(pair.one, at), self._flow(pair.other, at)
            left = 0 if at == node else min(first - one.get(at, 0), second - other.get(at, 0))
            lost += min(first, second) - left
        return lost
