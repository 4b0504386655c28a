"""Rules on what a fabric comes to and nobody has stated."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analysis.capacity import tier_oversubscription
from fabricgen.checks.model import Finding, Needs, PlanView, rule
from fabricgen.diagnostics import Related, Severity


@rule(
    "FG-TOP-044",
    "Oversubscription that nobody states",
    needs=Needs.PLAN,
    severity=Severity.INFO,
    why="A missing link per pair or a slower uplink changes the ratio and nothing else; stated, it is an error when it "
    "is not what was meant.",
    fix="State it: expect.oversubscription.",
    source="RFC 7938 section 3.2; docs/intent.md, expect",
)
def check_ratio_stated(view: PlanView) -> Iterator[Finding]:
    """A tier that offers less upwards than it takes from below has its ratio stated."""
    for tier in view.plan.tiers:
        ratio = tier_oversubscription(view.plan, tier)
        if ratio is None or ratio[0] <= ratio[1] or tier.name in view.intent.expect.oversubscription:
            continue
        link = view.plan.links[tier.number + 1]
        yield Finding(
            f"tier {tier.name!r} is oversubscribed {ratio[0]}:{ratio[1]}, and expect does not say so",
            ("links", link.name),
            on_key=True,
            hint=f'if that is meant, write expect: {{oversubscription: {{{tier.name}: "{ratio[0]}:{ratio[1]}"}}}}',
            related=(Related("what comes from below", ("links", view.plan.links[tier.number].name)),),
        )
