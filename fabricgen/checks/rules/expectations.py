"""Rules that hold the result against the user's expectations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from fabricgen.analysis.capacity import count_gpus, tier_oversubscription
from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.checks.proposals import factors_of, scaled
from fabricgen.diagnostics import Fix, IntentPath, Nearest, Related, format_path, instead, set_to
from fabricgen.diagnostics.words import counted
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.topology import Tier
from fabricgen.plan.planner.factors import takes_part

DOCS = "docs/intent.md, expect"


@rule(
    "FG-EXP-001",
    "Not the expected number of GPUs",
    why="The fabric is not the one that was ordered.",
    fix="Correct the counts, or the expectation.",
    source=DOCS,
)
def check_gpus(view: PlanView) -> Iterator[Finding]:
    """GPUs as expected, spares apart."""
    expected, actual = view.intent.expect.gpus, count_gpus(view.plan)
    if expected is not None and expected != actual:
        groups = [("hosts", name, "per_unit") for name in sorted(view.intent.hosts)]
        paths: list[IntentPath] = [("units",), ("pods",), ("zones",), *(groups if len(groups) == 1 else [])]
        by = Fraction(expected, actual) if actual else Fraction(0)
        yield Finding(
            f"expected {expected} GPUs, computed {actual}",
            ("expect", "gpus"),
            hint=f"set expect.gpus to {actual} if the plan is right",
            related=takes_part(view.intent, factors_of(view.intent, view.plan).gpus()),
            fixes=(*scaled(view.intent, paths, by, f"{expected} GPUs"), *set_to(("expect", "gpus"), actual)),
        )


@rule(
    "FG-EXP-002",
    "Not the expected oversubscription",
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
            text = f"{name!r} is the top tier and has no oversubscription"
            yield Finding(text, path, on_key=True, hint="remove it", fixes=set_to(path, None))
        elif not expected.matches(*ratio):
            down, up = ratio
            wanted = _written(expected.numerator, expected.denominator)
            by = Fraction(down * expected.denominator, up * expected.numerator)
            yield Finding(
                f"expected oversubscription {wanted} at tier {name!r}, computed {down}:{up} ({down / up:.4g})",
                path,
                hint=f'set {format_path(path)} to "{down}:{up}" if the plan is right',
                related=_both_sides(view, tier),
                fixes=(*_other_ratio(view, tier, by, wanted), *set_to(path, f"{down}:{up}")),
            )


def _both_sides(view: PlanView, tier: Tier) -> tuple[Related, ...]:
    """Return what a tier's ratio is made of: the ports below, then those above."""
    factors = factors_of(view.intent, view.plan)
    number = tier.number
    return takes_part(view.intent, (*factors.ports_down(number), *factors.ports_up(number), *factors.speeds(number)))


def _other_ratio(view: PlanView, tier: Tier, by: Fraction, wanted: str) -> tuple[Fix, ...]:
    """Proposals that multiply what a tier has upwards, or divide what it has downwards."""
    gives = f"{wanted} at tier {tier.name!r}"
    fewer: list[IntentPath] = [("hosts", name, "per_unit") for name in view.intent.hosts]
    if tier.number:
        fewer = [("links", view.plan.links[tier.number].name, "per_pair")]
    below = scaled(view.intent, fewer, 1 / by, gives) if len(fewer) == 1 else ()
    return (*scaled(view.intent, _upwards(view, tier), by, gives), *below)


def _upwards(view: PlanView, tier: Tier) -> list[IntentPath]:
    """Counts of the switches above a tier, and of its links to each."""
    upper = view.plan.tiers[tier.number + 1 : tier.number + 2]
    return [path for one in upper for path in (("tiers", one.name, "count"), ("links", one.down.link, "per_pair"))]


def _written(numerator: int, denominator: int) -> str:
    return f"{numerator / denominator:g}" if denominator in (1, 10, 100, 1000) else f"{numerator}:{denominator}"


@rule(
    "FG-EXP-003",
    "Not the expected number of paths",
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
            path = ("expect", "paths", name)
            planned = f"set {format_path(path)} to {actual} if the plan is right"
            yield Finding(
                f"expected {expected} equal-cost paths upwards from tier {name!r}, computed {actual}",
                path,
                hint=planned if actual else f"remove it: {name!r} is the top tier",
                related=takes_part(view.intent, factors_of(view.intent, view.plan).ports_up(tier.number)),
                fixes=set_to(path, actual or None),
            )


@rule(
    "FG-EXP-004",
    "Fewer failures survived than expected",
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
        survived = survived_failures(view.plan, tier)
        if survived < expected:
            path = ("expect", "failures", name)
            yield Finding(
                f"expected tier {name!r} to survive {counted(expected, 'failure')}, computed {survived}",
                path,
                hint=f"set {format_path(path)} to {survived} if the plan is right",
                related=takes_part(view.intent, factors_of(view.intent, view.plan).siblings(tier.number)),
                fixes=set_to(path, survived),
            )


def survived_failures(plan: FabricPlan, tier: Tier) -> int:
    """Return how many devices of a tier may fail before a rail is cut off.

    All but one of those that it goes through.
    """
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
    why="Nothing would be checked.",
    fix="Name a tier.",
    source=DOCS,
)
def check_expected_tiers(view: PlanView) -> Iterator[Finding]:
    """Expectations name tiers of the fabric."""
    names = [tier.name for tier in view.plan.tiers]
    nearest = Nearest()
    expect = view.intent.expect
    by_tier: list[tuple[IntentPath, Mapping[str, object]]] = [
        (("oversubscription",), expect.oversubscription),
        (("paths",), expect.paths),
        (("failures",), expect.failures),
        (("bandwidth", "after_one"), expect.bandwidth.after_one),
    ]
    for key, values in by_tier:
        for name in sorted(values):
            if name not in names:
                near = nearest.find(name, names)
                path, value = ("expect", *key, name), values[name]
                yield Finding(
                    f"there is no tier {name!r}; tiers are {', '.join(names)}",
                    path,
                    on_key=True,
                    hint=f"did you mean {near!r}?" if near else f"use one of {', '.join(names)}",
                    fixes=instead(path, near, value) if near and isinstance(value, int | float) else (),
                )
