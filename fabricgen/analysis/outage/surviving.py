"""Bandwidth left between leafs while some switches are out.

A pair of leafs keeps what its ways of the planned length carry when no link carries more of it than planned: the sum,
over the switches in which the ways turn, of the smaller of what reaches each from either leaf. For two tiers that is
the sum of the smaller number of links over common spines. One more switch that is out never gives a pair more, so the
worst state of a wave is the one in which all of it is out, in whatever order its members leave.

A link that fails never costs more than the switch above it, of which it is a part.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.outage.leaf_pairs import Flow, LeafPair, LeafPairs
from fabricgen.plan.model.identity import DeviceId

PRECISION = 1 << 40
"""Parts of the planned bandwidth of a pair in which losses of different pairs are added up."""


class NodeLoss(NamedTuple):
    """Effect of one more node: the loss of each class of leafs at each node, and of each class of pairs."""

    flows: dict[int, Flow]
    pairs: dict[int, int]


class Surviving:
    """State of a fabric while some nodes are ``out``, with what each class of pairs has lost."""

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
        """Return what each class loses at a node and above it when the node goes out, less what is lost already."""
        found = {}
        for at in self.model.classes_at[node]:
            flow = self._flow(at, node)
            if not flow or node in self.out:
                continue
            lost = layer = {node: flow}
            while layer := self.model.graph.lifted(layer):
                layer = {node: amount for node, amount in layer.items() if node not in self.out}
                lost = lost | layer
            found[at] = lost
        return found

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


class WorstFailure(NamedTuple):
    """The failure that leaves least.

    Attributes:
        left: Smallest part of its planned bandwidth that a pair keeps.
        node: The node that fails; None where none costs a pair any more.
        pair: Number of the class of that pair; None where no pair has lost any.
    """

    left: Fraction
    node: int | None
    pair: int | None


class OneMore:
    """Answers for one state at a time; equal ones are worked out once."""

    def __init__(self, model: LeafPairs) -> None:
        """Know no state yet."""
        self._model = model
        self._known: dict[frozenset[int], WorstFailure] = {}

    def worst(self, surviving: Surviving) -> WorstFailure:
        """Return the failure of a single further node that leaves least."""
        out = frozenset(surviving.out)
        found = self._known.get(out)
        if found is None:
            found = self._known[out] = self._find(surviving)
        return found

    def _find(self, surviving: Surviving) -> WorstFailure:
        left, number = surviving.worst()
        found = WorstFailure(left, None, number)
        for node in range(len(self._model.graph.tiers)):
            if node not in surviving.out:
                left, number = surviving.worst_after(surviving.loss(node))
                if left < found.left:
                    found = WorstFailure(left, node, number)
        return found


class Blocked(NamedTuple):
    """Switches that leave together, and that a floor keeps from leaving.

    ``device`` is the first of them, ``left`` the part of its planned bandwidth that the pair keeps without them.
    """

    device: DeviceId
    left: Fraction
    pair: LeafPair


def find_blocked(model: LeafPairs, floor: Fraction) -> Iterator[Blocked]:
    """Yield what cannot leave even alone, where every pair keeps a part of its planned bandwidth."""
    for node in range(len(model.graph.tiers)):
        left, number = Surviving(model, [node]).worst()
        if number is not None and left < floor:
            yield Blocked(model.graph.example(node), left, model.pairs[number])


def example_leafs(model: LeafPairs, pair: LeafPair, out: Collection[DeviceId] = ()) -> tuple[DeviceId, DeviceId]:
    """Return two leafs of a class of pairs, of those in service while others are out if there are such."""
    tier = model.plan.tiers[pair.tier]
    ones, others = (
        [leaf for leaf in model.classes[at].leafs if leaf not in out] or list(model.classes[at].leafs)
        for at in (pair.one, pair.other)
    )
    for other in others:
        for one in ones[:2]:
            same_pod = one.where[:2] == other.where[:2]
            if one != other and (tier.scope != "pod" or same_pod):
                return one, other
    return ones[0], others[-1]


def describe_blocked(model: LeafPairs, blocked: Collection[Blocked], floor: Fraction) -> str:
    """Return which switches cannot leave, at least one, and what the worst of them costs."""
    plan = model.plan
    worst = min(blocked, key=lambda each: each.left)
    one, other = example_leafs(model, worst.pair)
    tier, total = worst.device.tier, model.graph.tiers.count(worst.device.tier)
    some = sum(each.device.tier == tier for each in blocked)
    none = some == total > 1
    who = f"{'no switch' if none else f'{some} of {total} switches'} of tier {plan.tiers[tier].name!r}"
    return (
        f"at a floor of {share_text(floor)} {who} {'can' if none else 'cannot'} leave: without "
        f"{plan.device_name(worst.device)} the leafs {plan.device_name(one)} and {plan.device_name(other)} keep "
        f"{share_text(worst.left)} of their bandwidth"
    )


def share_text(share: Fraction) -> str:
    """Return a share as the intent writes it: a decimal where that is exact with four digits, else a fraction."""
    return f"{float(share):g}" if (share * 10_000).denominator == 1 else str(share)
