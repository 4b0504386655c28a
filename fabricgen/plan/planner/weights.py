"""Decision whether next hops are weighted by the links behind them: in the whole fabric, or nowhere."""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.diagnostics.words import and_list
from fabricgen.physics.path_weights import weighting_rule
from fabricgen.plan.model.fabric import FabricPlan, PathWeights
from fabricgen.plan.model.identity import FabricLinkId
from fabricgen.plan.model.topology import Tier
from fabricgen.plan.planner.platform_facts import PlatformFacts

BY_RELEASE = "by_release"
"""Weights are those of the FRRouting in the release."""


def decide_weights(plan: FabricPlan, asked: str, platforms: Mapping[str, PlatformFacts]) -> PathWeights:
    """Return whether the fabric weights next hops, and how each tier does.

    One path without a bandwidth makes all of a choice plain ECMP, so every tier has to take part. By default only
    parallel links are reason enough: without them a link that is lost withdraws the whole next hop.

    Args:
        plan: The plan with its exceptions.
        asked: ``auto``, ``on`` or ``off``.
        platforms: Facts per platform.

    Source:
        RFC 10005 (link bandwidth): a set of paths of which one has no bandwidth is not weighted.
    """
    rules = tuple(_rule(tier, platforms.get(tier.platform, PlatformFacts())) for tier in plan.tiers)
    lacking = sorted({tier.platform for tier, rule in zip(plan.tiers, rules, strict=True) if not rule})
    parallel = _parallel_links(plan)
    if asked == "off":
        return PathWeights(False, "the intent turns weights off", rules)
    if asked == "auto" and not parallel:
        return PathWeights(False, "no two switches are joined by parallel links", rules)
    if lacking:
        return PathWeights(False, f"{and_list(lacking)} {'is' if len(lacking) == 1 else 'are'} rendered without", rules)
    return PathWeights(True, parallel if asked == "auto" else "the intent turns weights on", rules)


def _rule(tier: Tier, facts: PlatformFacts) -> str:
    """Return how the switches of a tier weight at their release."""
    by_release = facts.path_weights == BY_RELEASE
    return weighting_rule(tier.release.routing) if by_release else facts.path_weights


def _parallel_links(plan: FabricPlan) -> str:
    """Return where parallel links are, by plan or because an exception moves a cable; empty if there are none."""
    names = [group.name for group in plan.links[1:] if group.per_pair > 1]
    moved = any(
        isinstance(link, FabricLinkId) and change.end is not None for link, change in plan.exceptions.links.items()
    )
    if names:
        return f"{and_list(names)} {'has' if len(names) == 1 else 'have'} parallel links"
    return "an exception moves a link beside another" if moved else ""
