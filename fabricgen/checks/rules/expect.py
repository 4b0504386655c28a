"""Rules that hold the result against the user's expectations."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analysis.capacity import count_gpus, tier_oversubscription
from fabricgen.checks.model import Finding, Needs, PlanView, rule
from fabricgen.diagnostics import Related
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.topology import Tier

DOCS = "docs/intent.md, expect"


@rule(
    "FG-EXP-001",
    "Not the expected number of GPUs",
    needs=Needs.PLAN,
    why="The fabric is not the one that was ordered.",
    fix="Correct the counts, or the expectation.",
    source=DOCS,
)
def check_gpus(view: PlanView) -> Iterator[Finding]:
    """GPUs as expected, spares apart."""
    expected, actual = view.intent.expect.gpus, count_gpus(view.plan)
    if expected is not None and expected != actual:
        yield Finding(
            f"expected {expected} GPUs; the fabric has {actual}",
            ("expect", "gpus"),
            hint=f"write {actual}",
            related=(Related("hosts", ("hosts",)), Related("units", ("units",))),
        )


@rule(
    "FG-EXP-002",
    "Not the expected oversubscription",
    needs=Needs.PLAN,
    why="Collectives slow down by the ratio above 1; below 1 ports are paid for and idle.",
    fix="Change counts or speeds, or the expectation.",
    source="RFC 7938 section 3.2; docs/intent.md, expect",
)
def check_oversubscription(view: PlanView) -> Iterator[Finding]:
    """Each tier's ratio as expected, exact or at its written precision."""
    for name, expected in sorted(view.intent.expect.oversubscription.items()):
        tier = next((tier for tier in view.plan.tiers if tier.name == name), None)
        if tier is None:
            continue
        ratio = tier_oversubscription(view.plan, tier)
        path = ("expect", "oversubscription", name)
        if ratio is None:
            yield Finding(f"{name!r} is the top tier and has no oversubscription", path, on_key=True, hint="remove it")
        elif not expected.matches(*ratio):
            down, up = ratio
            yield Finding(
                f"expected {_written(expected.numerator, expected.denominator)} at tier {name!r}; it is "
                f"{down}:{up} ({down / up:.4g})",
                path,
                hint=f'write "{down}:{up}"',
            )


def _written(numerator: int, denominator: int) -> str:
    return f"{numerator / denominator:g}" if denominator in (1, 10, 100, 1000) else f"{numerator}:{denominator}"


@rule(
    "FG-EXP-003",
    "Not the expected number of paths",
    needs=Needs.PLAN,
    why="Fewer equal-cost paths carry less and survive less.",
    fix="Change the upper tier's count or per_pair.",
    source=DOCS,
)
def check_paths(view: PlanView) -> Iterator[Finding]:
    """Equal-cost next hops upwards as expected."""
    for name, expected in sorted(view.intent.expect.paths.items()):
        tier = next((tier for tier in view.plan.tiers if tier.name == name), None)
        if tier is None:
            continue
        link = view.plan.links[tier.number + 1] if tier.up else None
        actual = link.width * link.per_pair if link else 0
        if actual != expected:
            yield Finding(
                f"expected {expected} equal-cost paths upwards from tier {name!r}; there are {actual}",
                ("expect", "paths", name),
                hint=f"write {actual}",
            )


@rule(
    "FG-EXP-004",
    "Fewer failures survived than expected",
    needs=Needs.PLAN,
    why="One failure more than the fabric survives cuts hosts off.",
    fix="Add switches to the tier.",
    source=DOCS,
)
def check_failures(view: PlanView) -> Iterator[Finding]:
    """The tier may lose as many devices as expected."""
    for name, expected in sorted(view.intent.expect.failures.items()):
        tier = next((tier for tier in view.plan.tiers if tier.name == name), None)
        if tier is None:
            continue
        survived = _survived(view.plan, tier)
        if survived < expected:
            yield Finding(
                f"expected to survive {expected} failures of tier {name!r}; it survives {survived}",
                ("expect", "failures", name),
                hint=f"write {survived}, or add switches",
            )


def _survived(plan: FabricPlan, tier: Tier) -> int:
    """How many devices of a tier may fail before a rail is cut off: all but one of those that it goes through."""
    members = min(group.leafs_per_group for group in plan.hosts)
    if not tier.number:
        return tier.counts.plane * members - 1
    return tier.counts.plane * tier.counts.index * _groups_of_a_rail(plan, tier, members) - 1


def _groups_of_a_rail(plan: FabricPlan, tier: Tier, members: int) -> int:
    """Stripe groups of a tier that the same rail goes through: what is striped by index stands in for each other."""
    lower, pattern = plan.tiers[tier.number - 1], plan.links[tier.number].pattern
    if pattern == "stripe_index":
        return tier.counts.group if lower.number else members
    return _groups_of_a_rail(plan, lower, members) if pattern == "stripe_rail" and lower.number else 1


@rule(
    "FG-EXP-005",
    "Expectation of a tier that does not exist",
    needs=Needs.PLAN,
    why="Nothing would be checked.",
    fix="Name a tier.",
    source=DOCS,
)
def check_expected_tiers(view: PlanView) -> Iterator[Finding]:
    """Expectations name tiers of the fabric."""
    names = [tier.name for tier in view.plan.tiers]
    for key in ("oversubscription", "paths", "failures"):
        for name in sorted(getattr(view.intent.expect, key)):
            if name not in names:
                yield Finding(
                    f"there is no tier {name!r}; tiers are {', '.join(names)}",
                    ("expect", key, name),
                    on_key=True,
                    hint=f"use one of {', '.join(names)}",
                )
