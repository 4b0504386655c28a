"""Rules on what the topmost tier joins."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.diagnostics import Related, Severity, set_to
from fabricgen.plan.model.fabric import FabricPlan

SCOPES = ("zone", "pod", "unit")
"""Dimensions of which a fabric may have several, the widest first."""
JOINED = {"fabric": 0, "zone": 1, "pod": 2, "unit": 3}
"""Number of them that the switches of a scope stand apart in."""


@rule(
    "FG-TOP-033",
    "Parts of the fabric that do not meet",
    severity=Severity.WARNING,
    why="No path leads from one part to another, but every host has a route to all: what it sends there is lost.",
    fix="Build the topmost tier per fabric, or add one above it; or make each part an inventory of its own.",
    source="RFC 7938 section 3.2; docs/intent.md, tiers",
)
def check_parts_meet(view: PlanView) -> Iterator[Finding]:
    """The topmost tier joins all that stands below it, and the leafs of each pair."""
    top, leaf = view.plan.tiers[-1], view.plan.tiers[0]
    if len(view.plan.tiers) < len(view.intent.tiers):
        # A tier that no link reaches is reported as such.
        return
    apart = [name for name in SCOPES[: JOINED[top.scope]] if getattr(leaf.counts, name) > 1]
    if apart:
        counted = " of ".join(f"{getattr(leaf.counts, name)} {name}s" for name in reversed(apart))
        above = "is above the leafs" if top is leaf else f"is above tier {top.name!r}, which is built per {top.scope}"
        yield Finding(
            f"nothing joins {counted}: no tier {above}",
            ("tiers", top.name) if top is leaf else ("tiers", top.name, "per"),
            hint="add a tier above them" if top is leaf else "use per: fabric, or add a tier above",
            fixes=() if top is leaf else set_to(("tiers", top.name, "per"), "fabric", hinted=True),
            related=tuple(Related(f"the {name}s", (f"{name}s",)) for name in apart),
        )
    yield from _pairs(view.plan)


def _pairs(plan: FabricPlan) -> Iterator[Finding]:
    """Leafs over which hosts bond meet above them; otherwise none can stand in for the other's lost link."""
    leaf, links = plan.tiers[0], plan.links[1:]
    if leaf.counts.index < 2 or not plan.addressing.host_len:
        return
    message = "the leafs of a pair, over which hosts bond, meet nowhere"
    if not links:
        yield Finding(f"{message}: no tier is above them", ("tiers", leaf.name), hint="add a tier above them")
    elif links[0].pattern == "stripe_index" and all(link.pattern == "stripe_rail" for link in links[1:]):
        path = ("links", links[0].name, "pattern")
        yield Finding(f"{message}: stripe: index keeps them apart", path, hint="leave the pattern out", value=None)
