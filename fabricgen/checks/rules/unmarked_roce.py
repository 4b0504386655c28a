"""Rule on RoCE packets that hosts send without a code point."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, rule
from fabricgen.diagnostics import Related


@rule(
    "FG-QOS-940",
    "Platform does not mark what hosts leave unmarked",
    why="RoCE packets with DSCP 0 would stay in the lossy class at the leafs of that platform, against the intent.",
    fix=(
        "Remove mark_unmarked, or choose leafs whose platform has it; hosts configure the class of every program "
        "anyway."
    ),
    source="The platform's NOTES.md",
)
def check_unmarked(view: IntentView) -> Iterator[Finding]:
    """Leafs mark RoCE packets without a code point only where their platform is rendered with it."""
    name = next(iter(view.intent.tiers), "")
    platform = view.switch(view.intent.tiers[name].platform) if name else None
    if not view.intent.lossless.mark_unmarked or platform is None:
        return
    if not platform.switch.marks_unmarked:
        yield Finding(
            f"leafs on {platform.name} do not mark RoCE packets with DSCP 0{platform.because('marks_unmarked')}",
            ("lossless", "mark_unmarked"),
            hint="remove mark_unmarked",
            value=None,
            related=(Related("the leafs", ("tiers", name, "platform")),),
        )
