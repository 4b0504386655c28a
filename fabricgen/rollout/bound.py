"""Numbers of waves below which no rollout keeps its limits, each with the limit that sets it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import count
from typing import NamedTuple

from fabricgen.analysis.outage.groups import Group
from fabricgen.analysis.outage.leaf_pairs import LeafPair, LeafPairs
from fabricgen.analysis.outage.surviving import Surviving
from fabricgen.diagnostics.words import counted
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.rollout.members import Limits, Member, Pair

_MORE = "larger groups (rollout.scheduler_group) or a share (rollout.out_max) make them fewer"


class Bound(NamedTuple):
    """A lower bound and the limit behind it, in words."""

    waves: int
    limit: str


def highest_bound(limits: Limits, members: Sequence[Member], others: Sequence[Bound] = ()) -> Bound:
    """Return the highest lower bound on the waves of some members that the limits on numbers set.

    Args:
        limits: The limits.
        members: Members, each of which can leave alone.
        others: Bounds that are known from elsewhere.
    """
    found = [Bound(1 if members else 0, "nothing limits it"), *_of_groups(limits, members), *_of_units(limits, members)]
    return max([*found, *others], key=lambda bound: bound.waves)


def floor_bound(limits: Limits, members: Sequence[Member]) -> Bound:
    """Return the highest lower bound on the waves of members above the leafs that the floor sets.

    Args:
        limits: The limits.
        members: Members, each of which can leave alone.
    """
    found = _of_floor(limits, [member for member in members if member.node is not None])
    return max(found, key=lambda bound: bound.waves, default=Bound(0, ""))


def _of_groups(limits: Limits, members: Sequence[Member]) -> Iterator[Bound]:
    """The members of a group by how many of it may be out."""
    sizes = Counter(group for member in members for group in member.groups)
    for group, size in sizes.items():
        most = limits.most(group)
        if isinstance(group, Group):
            share = limits.plan.rollout.share(group.scope)
            text = f"out_max.{group.scope} {share}: {most} of {limits.grouping.amount(group)}"
            yield Bound(-(-size // most), text)
        elif isinstance(group, Pair) and size > 1:
            yield Bound(size, "one leaf of a pair")


def _of_units(limits: Limits, members: Sequence[Member]) -> Iterator[Bound]:
    """Scheduler groups that leave one after another."""
    units = {member.unit for member in members} - {None}
    if limits.units_apart and units:
        more = f"; {_MORE}" if len(units) > 1 else ""
        plan = limits.plan
        words = {"zone": plan.zone_name, "pod": plan.pod_name, "unit": plan.unit_name}
        number = counted(len(units), words[plan.rollout.scheduler_group] or plan.rollout.scheduler_group)
        text = f"one scheduler group after another: {number}{more}"
        yield Bound(len(units), text)


def _of_floor(limits: Limits, members: Sequence[Member]) -> Iterator[Bound]:
    """Members above the leafs, those that a leaf of one pod has above it, by what the floor lets out at once."""
    alone = {
        member.node: Surviving(limits.model).loss(member.node).pairs for member in members if member.node is not None
    }
    for nodes in sorted({frozenset(nodes) for nodes in _by_place(limits.plan, members).values()}, key=sorted):
        for (number, tier), losses in _losses(limits.model, {node: alone[node] for node in sorted(nodes)}).items():
            yield _by_count(limits, limits.model.pairs[number], tier, losses)
        for pair in limits.model.pairs:
            yield from _of_product(limits, pair, nodes)


def _by_place(plan: FabricPlan, members: Sequence[Member]) -> dict[tuple[int, int], set[int]]:
    """Nodes of members by the zone and pod of the leafs that climb to them."""
    places = {(m.device.where.zone, m.device.where.pod) for m in members if plan.tiers[m.device.tier].scope == "pod"}
    found: dict[tuple[int, int], set[int]] = defaultdict(set)
    for zone, pod in places or {(m.device.where.zone, 0) for m in members}:
        for member in members:
            where, scope = member.device.where, plan.tiers[member.device.tier].scope
            if scope == "fabric" or (where.zone == zone and scope in ("zone", "pod") and where.pod in (0, pod)):
                found[zone, pod].add(member.node or 0)
    return found


def _losses(model: LeafPairs, alone: Mapping[int, Mapping[int, int]]) -> dict[tuple[int, int], list[int]]:
    """Return what pairs lose with each node alone, by pair and tier of the node, where such losses add up."""
    found: dict[tuple[int, int], list[int]] = {}
    for node, losses in alone.items():
        tier = model.climb.tiers[node]
        for number, lost in losses.items():
            pair = model.pairs[number]
            if tier == pair.tier or (tier < pair.tier and pair.one == pair.other):
                found.setdefault((number, tier), []).append(lost)
    return found


def _by_count(limits: Limits, pair: LeafPair, tier: int, losses: Sequence[int]) -> Bound:
    """As many as the floor lets out at once, the lightest first; and all losses by what may be lost at once."""
    room = pair.planned * (1 - limits.floor)
    most, used = 0, 0
    for lost in sorted(losses):
        used += lost
        if used > room:
            break
        most += 1
    large = sum(2 * lost > room for lost in losses)
    waves = max(-(-len(losses) // most), -(-sum(losses) // room), large) if most else len(losses)
    name = limits.plan.tiers[tier].name
    return Bound(int(waves), f"floor {limits.floor}: {most} of {len(losses)} switches of tier {name!r} above a leaf")


def _of_product(limits: Limits, pair: LeafPair, nodes: frozenset[int]) -> Iterator[Bound]:
    """Tiers that are meshed: parts of all of them that are out multiply, so their sum is bounded.

    With part x of each of T tiers out a pair keeps the product of 1 - x, which is at least the floor; by the inequality
    of arithmetic and geometric means the sum of the x of one wave is at most T (1 - floor^(1/T)).
    """
    if not _is_meshed(limits.model, pair):
        return
    tiers = range(1, pair.tier + 1)
    parts = sum((_part_out(limits.model, pair, nodes, tier) for tier in tiers), Fraction(0))
    waves = next(waves for waves in count(1) if _keeps(parts, waves, pair.tier, limits.floor))
    names = " and ".join(repr(limits.plan.tiers[tier].name) for tier in tiers)
    yield Bound(waves, f"floor {limits.floor}: tiers {names} share what it lets out at once")


def _is_meshed(model: LeafPairs, pair: LeafPair) -> bool:
    """Return whether the tiers below the top of a pair are meshed: all switches of a tier have the same above them."""
    if pair.one != pair.other or pair.tier < 2:
        return False
    tiers, above = model.climb.tiers, model.climb.above
    below = [node for node in model.classes[pair.one].flow if tiers[node] < pair.tier]
    return len({(tiers[node], above[node]) for node in below}) < pair.tier


def _part_out(model: LeafPairs, pair: LeafPair, nodes: frozenset[int], tier: int) -> Fraction:
    """Return the part of what a pair sends through a tier that goes through some nodes."""
    tiers, flow = model.climb.tiers, model.classes[pair.one].flow
    whole = sum(part for node, part in flow.items() if tiers[node] == tier)
    out = sum(flow.get(node, 0) for node in nodes if tiers[node] == tier)
    return Fraction(out, whole) if whole else Fraction(0)


def _keeps(parts: Fraction, waves: int, tiers: int, floor: Fraction) -> bool:
    """Return whether parts of tiers can leave in so many waves with the floor kept in each."""
    return parts <= waves * tiers and bool((1 - parts / (waves * tiers)) ** tiers >= floor)
