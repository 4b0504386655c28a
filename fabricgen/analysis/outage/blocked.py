"""Switches that limits keep from ever leaving, in words."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.outage.leaf_pairs import LeafPair, LeafPairs
from fabricgen.analysis.outage.surviving import Surviving
from fabricgen.plan.model.identity import DeviceId


class Blocked(NamedTuple):
    """Switches that leave together, and that a floor keeps from leaving.

    Attributes:
        device: The first of them.
        left: Part of its planned bandwidth that a pair keeps without them.
        pair: The class of that pair.
    """

    device: DeviceId
    left: Fraction
    pair: LeafPair


def find_blocked(model: LeafPairs, floor: Fraction) -> Iterator[Blocked]:
    """Yield what cannot leave even alone.

    Args:
        model: The pairs of leafs.
        floor: Part of the planned bandwidth that every pair keeps.
    """
    for node in range(len(model.graph.tiers)):
        left, number = Surviving(model, [node]).worst()
        if number is not None and left < floor:
            yield Blocked(model.graph.example(node), left, model.pairs[number])


def example_leafs(model: LeafPairs, pair: LeafPair, out: Collection[DeviceId] = ()) -> tuple[DeviceId, DeviceId]:
    """Return two leafs of a class of pairs, of those in service while others are out if there are such.

    Args:
        model: The pairs of leafs.
        pair: The class.
        out: Switches that are out.
    """
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
    """Return which switches cannot leave, and what the worst of them costs.

    Args:
        model: The pairs of leafs.
        blocked: What cannot leave; at least one.
        floor: Part of the planned bandwidth that every pair keeps.
    """
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
