"""Points where hashing selects a packet's path, and the number of effective choices at each."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from math import prod
from typing import NamedTuple

from fabricgen.physics.ecmp import GroupSet, effective_next_hops
from fabricgen.plan.model.cabling import downlinks
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.topology import Tier

SPARE_GROUPS = 1
"""Groups that exist beside the regular ones while one link is down: that of the prefixes it led to."""


class HashStage(NamedTuple):
    """One choice on the way up or at the turn: of ``planned`` equal next hops only ``used`` are ever taken.

    Attributes:
        upwards: Whether it chooses among uplinks; else among the parallel links down to where the packet goes.
        earlier: Number of the tier whose equal choice has taken the choice away; -1 where it is a free one.
    """

    tier: int
    upwards: bool
    planned: int
    used: int
    earlier: int


def hashing_stages(plan: FabricPlan, functions: Sequence[Hashable]) -> Iterator[HashStage]:
    """Every choice of a packet's path, tier by tier; tiers whose functions are equal hash alike.

    A packet climbs to some tier and turns there. The choices on the way up and the one at the turn constrain each other
    where they are made with the same function. Below the turn nothing is lost: what arrives there has passed every
    switch of the tiers above, so all outcomes of earlier choices are present.
    """
    passed: list[tuple[int, int]] = []
    for tier in plan.tiers:
        if tier.number:
            yield _stage(tier.number, False, down_width(plan, tier), passed, functions)
        if tier.up:
            link = plan.links[tier.number + 1]
            width = link.width * link.per_pair
            yield _stage(tier.number, True, width, passed, functions)
            passed.append((tier.number, width))


def path_choices(stages: Iterable[HashStage]) -> int:
    """Return among how many paths the hashes of all tiers choose: the space that a search for a free path covers.

    Source:
        Qian et al., Alibaba HPN (SIGCOMM 2024), section on path selection: O(60) in a pod of HPN.
    """
    return prod(stage.planned for stage in stages)


def down_width(plan: FabricPlan, tier: Tier) -> int:
    """Equal next hops downwards from a switch to the leafs that have the same hosts; 1 on a leaf itself."""
    if not tier.number:
        return 1
    links = [link.lower for link in downlinks(plan, tier, next(tier.coordinates()))]
    if not links:
        return 1
    lower, first = plan.tiers[tier.number - 1], links[0]
    if not lower.number:
        block = lower.layout.host_block
        return sum(peer == first or (block is not None and block.at(peer) == block.at(first)) for peer in links)
    shared = {"pod": ("zone", "pod"), "zone": ("zone",)}.get(lower.scope, ())
    return sum(all(getattr(peer, key) == getattr(first, key) for key in shared) for peer in links)


def group_sets(plan: FabricPlan, tier: Tier) -> list[GroupSet]:
    """ECMP groups of a switch at the reserved maximum: upwards, towards each set of lower switches, and spare ones.

    Routing may make a group as wide as ``max_paths`` on the highest tier too.
    """
    sets = [GroupSet(tier.routing.max_paths, 1 + SPARE_GROUPS)]
    width = down_width(plan, tier)
    if width > 1:
        sets.append(GroupSet(width, len(tier.down.slots) // width + SPARE_GROUPS))
    return sets


def _stage(
    tier: int, upwards: bool, width: int, passed: Sequence[tuple[int, int]], functions: Sequence[Hashable]
) -> HashStage:
    alike = [(number, earlier) for number, earlier in passed if functions[number] == functions[tier]]
    used = effective_next_hops([*(earlier for _, earlier in alike), width])[-1]
    return HashStage(tier, upwards, width, used, alike[-1][0] if used < width else -1)
