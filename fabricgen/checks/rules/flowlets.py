"""Rules on flowlets and resilient hashing: what they need, and what excludes the other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.checks.model import Finding, IntentView, PlanView, rule
from fabricgen.checks.rules.balancing import HASHED
from fabricgen.checks.rules.platforms import NOTES, platform_of, tier_platforms
from fabricgen.checks.rules.tier_settings import ecmp_of, tier_key
from fabricgen.diagnostics import Related, Severity
from fabricgen.diagnostics.words import and_list
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


@rule(
    "FG-RTE-941",
    "Resilient hashing that the platform does not render",
    why="The intent is understood, but nothing would be rendered from it; a silent omission is worse than an error.",
    fix="Leave resilient out, or use a platform and an ASIC that are documented for it.",
    source=NOTES,
)
def check_resilient_rendered(view: IntentView) -> Iterator[Finding]:
    """Resilient hashing only where the platform has it, on documented ASICs."""
    for name, spec in tier_platforms(view):
        asics, model = spec.switch.resilient, view.catalog.switches.get(view.intent.tiers[name].model)
        if not ecmp_of(view, name).resilient or asics is None or (model and model.asic.id.startswith(asics)):
            continue
        named = f"documents it on {and_list(asics)}; {model.id if model else name} has another ASIC" if asics else ""
        yield Finding(
            f"resilient of tier {name!r}: {spec.name} {named or 'is not rendered with it yet'}",
            tier_key(view, name, "resilient"),
            hint="use false",
            value=False,
            related=platform_of(name),
        )


@rule(
    "FG-RTE-044",
    "Release without flowlets",
    why="The release does not know the command, and the switch would go on hashing.",
    fix="Use a newer release, or load_balancing: static.",
    source=NOTES,
)
def check_flowlet_release(view: IntentView) -> Iterator[Finding]:
    """The release that a tier states has flowlets where it is to balance by them."""
    for name, spec in tier_platforms(view):
        since, release = spec.switch.flowlet_since, view.intent.tiers[name].release
        if not since or release is None or ecmp_of(view, name).load_balancing != "flowlet":
            continue
        if _numbers(release) < _numbers(since):
            yield Finding(
                f"tier {name!r} runs {spec.name} {release}; load_balancing flowlet needs {since}",
                ("tiers", name, "release"),
                hint=f"use {since} or later",
                value=since,
                related=(Related("the balancing", tier_key(view, name, "load_balancing")),),
            )


def _numbers(release: str) -> list[int]:
    """Numbers of a release, the most significant first."""
    return [int(text) for text in re.findall(r"\d+", release)]


@rule(
    "FG-RTE-942",
    "Flowlet gap that the platform does not render",
    why="The pause after which a flow may move is the platform's own there, and no source has its command.",
    fix="Leave flowlet_gap_us out.",
    source=NOTES,
)
def check_gap_rendered(view: IntentView) -> Iterator[Finding]:
    """The gap is set only where the platform takes one."""
    for name, spec in tier_platforms(view):
        gap = ecmp_of(view, name).flowlet_gap_us
        if gap != "auto" and not spec.switch.flowlet_gap_us:
            yield Finding(
                f"flowlet_gap_us is {gap}; tier {name!r} runs {spec.name}, which is not rendered with a gap",
                tier_key(view, name, "flowlet_gap_us"),
                hint="use auto",
                value="auto",
                related=platform_of(name),
            )


@rule(
    "FG-RTE-045",
    "Flowlet gap without flowlets",
    severity=Severity.WARNING,
    why="No flow is cut into flowlets there, and the key changes nothing.",
    fix="Leave flowlet_gap_us out, or use load_balancing: flowlet.",
    source="docs/intent.md, routing",
)
def check_gap_used(view: IntentView) -> Iterator[Finding]:
    """The gap is set only where flows are cut into flowlets."""
    for name, spec in tier_platforms(view):
        ecmp = ecmp_of(view, name)
        if ecmp.flowlet_gap_us != "auto" and spec.switch.flowlet_gap_us and ecmp.load_balancing != "flowlet":
            yield Finding(
                f"flowlet_gap_us is {ecmp.flowlet_gap_us}; load_balancing of tier {name!r} is {ecmp.load_balancing}",
                tier_key(view, name, "flowlet_gap_us"),
                hint="use auto",
                value="auto",
                related=(Related("the balancing", tier_key(view, name, "load_balancing")),),
            )


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


@rule(
    "FG-RTE-985",
    "Flowlets whose gap is not published",
    severity=Severity.WARNING,
    why="After which pause a flow may move is the platform's own and not public: nothing proves that it is above the "
    "spread of path delays. Where it is not, NICs that require order ask for packets again.",
    fix="Look at the NICs' counters of packets out of order on one leaf under load, then waive this.",
    source=NOTES,
)
def check_gap_published(view: IntentView) -> Iterator[Finding]:
    """Say where the gap of flowlets cannot be held against the cables."""
    spread_us = path_spread_us(link.cable.length_m for _, link in fabric_links(view.intent))
    for name, spec in tier_platforms(view):
        if (
            ecmp_of(view, name).load_balancing == "flowlet"
            and spec.switch.flowlet != ()
            and not spec.switch.flowlet_gap_us
        ):
            yield Finding(
                f"the gap of {spec.name}'s flowlets is not published; delays of paths of tier {name!r} differ by up to "
                f"{spread_us:.1f} us",
                tier_key(view, name, "load_balancing"),
                related=platform_of(name),
            )
