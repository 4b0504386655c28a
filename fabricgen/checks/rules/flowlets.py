"""Rules on flowlets and resilient hashing: what they need, and what excludes the other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, PlanView, rule
from fabricgen.checks.rules.balancing import HASHED
from fabricgen.checks.rules.tier_settings import ecmp_of, tier_key
from fabricgen.diagnostics import Related, Severity
from fabricgen.physics.path_delay import gap_above_us, path_spread_us
from fabricgen.plan.planner.balancing import fabric_links

_LEAST_GAP_US = 16


@rule(
    "FG-RTE-043",
    "Resilient hashing beside balancing by load",
    why="A table that keeps flows where they are and one that moves them by load exclude each other in the ASIC.",
    fix="Take out resilient, or use load_balancing: static.",
    source="Juniper, Dynamic Load Balancing: DLB and resilient hashing together fail to commit; NVIDIA, Cumulus Linux "
    "user guide, Adaptive Routing",
)
def check_resilient_alone(view: IntentView) -> Iterator[Finding]:
    """A tier hashes resiliently or balances by load."""
    for name in sorted(view.intent.tiers):
        ecmp = ecmp_of(view, name)
        if ecmp.resilient and ecmp.load_balancing not in HASHED:
            yield Finding(
                f"resilient is true; load_balancing of tier {name!r} is {ecmp.load_balancing}",
                tier_key(view, name, "resilient"),
                hint="use false",
                value=False,
                related=(Related("the balancing", tier_key(view, name, "load_balancing")),),
            )


def _numbers(release: str) -> list[int]:
    """Numbers of a release, the most significant first."""
    return [int(text) for text in re.findall(r"\d+", release)]


@rule(
    "FG-RTE-046",
    "Flowlet gap below the spread of path delays",
    severity=Severity.WARNING,
    why="A flow that moves to a shorter path overtakes its own packets; NICs that require order ask for them again.",
    fix="Use flowlet_gap_us: auto, or a gap above the difference between the longest and the shortest path.",
    source="fabricgen/physics/path_delay.py; Juniper, Dynamic Load Balancing, flowlet mode",
)
def check_gap_wide(view: PlanView) -> Iterator[Finding]:
    """The pause that ends a flowlet is longer than paths differ."""
    spread_us = path_spread_us(link.length_m for link in view.plan.links[1:])
    for tier in view.plan.tiers:
        gap = tier.routing.flowlet_gap_us
        if tier.routing.load_balancing == "flowlet" and 0 < gap <= spread_us:
            links = [Related("the cables", ("links", name, "cable")) for name, _ in fabric_links(view.intent)]
            yield Finding(
                f"flowlet_gap_us of tier {tier.name!r} is {gap}; delays of its paths differ by up to {spread_us:.1f}",
                tier_key(view, tier.name, "flowlet_gap_us"),
                hint=f"use auto, or {gap_above_us(spread_us, _LEAST_GAP_US)} or more",
                value="auto",
                related=tuple(links),
            )
