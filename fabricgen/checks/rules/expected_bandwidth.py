"""Rules on the bandwidth that failures must leave."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fabricgen.analysis.failures import Effect, PlanFailures
from fabricgen.analysis.symmetry import Symmetry
from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.checks.proposals import factors_of
from fabricgen.diagnostics import format_path, set_to
from fabricgen.plan.model.exceptions import NO_EXCEPTIONS
from fabricgen.plan.planner.factors import takes_part

DIGITS = 10_000
"""A proposed value has four digits, rounded down."""


@rule(
    "FG-EXP-010",
    "Less bandwidth after a failure than expected",
    why="With one switch gone its traffic moves to the links that are left. A job waits for the slowest of them.",
    fix="Add switches or links to the tier, or change the expectation.",
    source="RFC 2992 section 2 (equal-cost paths get equal shares); docs/failures.md",
)
def check_bandwidth(view: PlanView) -> Iterator[Finding]:
    """The plan without its exceptions keeps the expected bandwidth, whichever switch of the tier is lost."""
    expected = view.intent.expect.bandwidth.after_one
    tiers = {tier.name: tier for tier in view.plan.tiers if tier.name in expected}
    if not tiers:
        return
    failures = PlanFailures(Symmetry(view.plan._replace(exceptions=NO_EXCEPTIONS)))
    for name, tier in sorted(tiers.items()):
        worst = min(map(failures.effect, failures.single([name])), key=lambda effect: effect.bandwidth)
        if worst.bandwidth >= Fraction(str(expected[name])):
            continue
        path = ("expect", "bandwidth", "after_one", name)
        left = int(worst.bandwidth * DIGITS) / DIGITS
        yield Finding(
            f"expected {expected[name]:g} of the all-to-all bandwidth after the loss of one switch of tier {name!r}, "
            f"computed {left:g}{_reason(worst)}",
            path,
            hint=f"set {format_path(path)} to {left:g} if the plan is right"
            if left
            else "remove it, or attach the hosts to two leafs",
            related=takes_part(view.intent, factors_of(view.intent, view.plan).siblings(tier.number)),
            fixes=set_to(path, left or None),
        )


def _reason(worst: Effect) -> str:
    """Return how the figure comes about."""
    if worst.cut:
        return f": it cuts off {round(sum(worst.cut.values()))} pairs of NICs"
    return (
        f": the busiest link carries {float(worst.before):.4g} of its rate in the plan, {float(worst.after):.4g} then"
    )
