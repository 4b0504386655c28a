"""Rules of forwarding as the rendered policies have them, for the analysis of deadlocks; no check loads them."""

from __future__ import annotations

import itertools

from fabricgen.analysis.deadlock.turns import ForwardingRules, plan_rules
from fabricgen.device.lower import Lowering
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.platforms.views.policy import (
    DENY,
    DESCENDED,
    LOWER,
    PERMIT,
    UPPER,
    RoutePolicy,
    class_policies,
)

Policies = dict[tuple[str, bool], RoutePolicy]
"""Policies of a switch by side and direction, inward ones ``True``."""


def read_rules(plan: FabricPlan) -> ForwardingRules:
    """Return the rules of a plan: those of the policies that all platforms render, and its broadcast domains."""
    lowering = Lowering(plan)
    policies: list[Policies] = []
    for tier in plan.tiers:
        cls = lowering.switch_class(DeviceId(tier.number, next(tier.coordinates())))
        found = class_policies(cls, LOWER if tier.number else "", demotes=True)
        policies.append({(policy.side, policy.inward): policy for policy in found})
    return plan_rules(plan)._replace(valleys=find_valleys(policies))


def find_valleys(policies: list[Policies]) -> frozenset[int]:
    """Return the tiers that announce upwards what they learnt from there, to a tier that accepts it; leafs first."""
    return frozenset(
        tier
        for tier, (own, above) in enumerate(itertools.pairwise(policies))
        if not (_marks(own[UPPER, True]) and (_turns_back(own[UPPER, False]) or _turns_back(above[LOWER, True])))
    )


def _marks(policy: RoutePolicy) -> bool:
    """Return whether every route that is let in carries the mark of what came from above."""
    return all(row.adds == DESCENDED for row in policy.statements if row.action == PERMIT)


def _turns_back(policy: RoutePolicy) -> bool:
    """Return whether marked routes are denied before anything is permitted."""
    first = policy.statements[0]
    return first.action == DENY and first.community == DESCENDED and not first.prefixes
