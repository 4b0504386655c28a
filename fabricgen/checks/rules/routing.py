"""Rules on BGP and BFD."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, Needs, rule
from fabricgen.diagnostics import Related


@rule(
    "FG-RTE-010",
    "BFD asked where it does not run",
    needs=Needs.INTENT,
    why="Failures would be noticed by the hold timer only, although the intent says otherwise.",
    fix="Use bfd: auto or off, or another platform.",
    source="The platform's NOTES.md",
)
def check_bfd(view: IntentView) -> Iterator[Finding]:
    """BFD is asked only of platforms that run it."""
    if view.intent.routing.bfd != "on":
        return
    for name, tier in sorted(view.intent.tiers.items()):
        spec = view.platforms.get(tier.platform)
        if spec is not None and not spec.capabilities.get("bfd", False):
            yield Finding(
                f"tier {name!r} runs {tier.platform}, which has no BFD",
                ("routing", "bfd"),
                hint="use auto",
                related=(Related("the platform", ("tiers", name, "platform")),),
            )
