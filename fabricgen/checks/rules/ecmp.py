"""Rules on ECMP: width and number of groups, against routing and against the ASIC."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analysis.hashing import group_sets
from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.checks.proposals import factors_of
from fabricgen.checks.rules.tier_settings import tier_key
from fabricgen.diagnostics import Related, set_to
from fabricgen.diagnostics.words import or_list
from fabricgen.physics.ecmp_limits import refused_groups
from fabricgen.physics.refusal import Refusal
from fabricgen.plan.model.topology import Tier
from fabricgen.plan.planner.factors import takes_part


@rule(
    "FG-RTE-011",
    "Fewer equal-cost paths than planned",
    why="Links beyond max_paths carry nothing, and the oversubscription is worse than planned.",
    fix="Use max_paths: auto, or at least the planned width.",
    source="RFC 7938 section 6.1",
)
def check_max_paths(view: PlanView) -> Iterator[Finding]:
    """The ECMP width covers every planned uplink."""
    for tier in view.plan.tiers[:-1]:
        link = view.plan.links[tier.number + 1]
        width = link.width * link.per_pair
        if tier.routing.max_paths < width:
            yield Finding(
                f"max_paths is {tier.routing.max_paths}; tier {tier.name!r} has {width} equal-cost uplinks",
                tier_key(view, tier.name, "max_paths"),
                hint="use auto",
                value="auto",
                related=(Related("the links", ("links", link.name)),),
            )


@rule(
    "FG-RTE-012",
    "More ECMP next hops or groups than the ASIC takes",
    why="The ASIC refuses a group, or installs fewer next hops than routing believes; later prefixes get a single "
    "path.",
    fix="Use fewer uplinks or parallel links per pair, smaller scopes, or static load balancing.",
    source="The ASIC's file in the catalog (facebook/fboss hw/switch_asics)",
    waivable=True,
)
def check_asic_tables(view: PlanView) -> Iterator[Finding]:
    """The groups of every switch, one failure included, fit its ASIC: each in width, all in number and in members."""
    for tier in view.plan.tiers:
        asic = view.catalog.switches[view.intent.tiers[tier.name].model].asic
        balancing = tier.routing.load_balancing
        for refusal in refused_groups(asic, group_sets(view.plan, tier), dynamic=balancing != "static"):
            if "width" in refusal.facts:
                yield _find_wide(view, tier, refusal)
            else:
                yield _find_full(view, tier, refusal)


def _find_wide(view: PlanView, tier: Tier, refusal: Refusal) -> Finding:
    """Return that a group has more next hops than the ASIC takes."""
    facts, balancing = refusal.facts, tier.routing.load_balancing
    kind = "" if balancing == "static" else f" with load_balancing {balancing}"
    path = tier_key(view, tier.name, "max_paths")
    return Finding(
        f"tier {tier.name!r} has groups of {facts['width']} next hops; {facts['asic']} takes "
        f"{facts['width_max']}{kind}",
        path,
        hint=f"use max_paths: {facts['width_max']} or fewer",
        fixes=set_to(path, facts["width_max"], hinted=True),
        related=_asic_places(view, tier),
    )


def _find_full(view: PlanView, tier: Tier, refusal: Refusal) -> Finding:
    """Return that a table of the ASIC does not hold the groups of a switch, or their members."""
    facts, balancing = refusal.facts, tier.routing.load_balancing
    counted = "groups" in facts
    pairs = [f"links.{link.name}.per_pair" for link in view.plan.links[max(tier.number, 1) : tier.number + 2]]
    instead = "use load_balancing: static" if counted and balancing != "static" else "use another model"
    return Finding(
        f"a switch of tier {tier.name!r} needs {facts['groups']} ECMP groups at the reserved maximum; {facts['asic']} "
        f"takes {facts['groups_max']} ({balancing})"
        if counted
        else f"the ECMP groups of tier {tier.name!r} have {facts['members']} members at the reserved maximum; "
        f"{facts['asic']} takes {facts['members_max']}",
        ("tiers", tier.name, "model"),
        hint=f"lower {or_list(pairs)}, or {instead}",
        related=_asic_places(view, tier)[1:],
    )


def _asic_places(view: PlanView, tier: Tier) -> tuple[Related, ...]:
    """The model whose ASIC it is, the keys that make the groups, and the balancing that picks the table."""
    links = [("links", group.name, "per_pair") for group in view.plan.links[max(tier.number, 1) : tier.number + 2]]
    factors = factors_of(view.intent, view.plan, reserved=True)
    counts = [path for path in (*factors.ports_down(tier.number), *factors.ports_up(tier.number)) if path not in links]
    paths = tier_key(view, tier.name, "max_paths")
    return (
        Related("the model", ("tiers", tier.name, "model")),
        Related("the limits of its ASIC", record=("asics", view.catalog.switches[tier.model].asic.id)),
        *(Related("the links", path) for path in links),
        *takes_part(view.intent, (*counts, paths)),
        Related("the balancing", tier_key(view, tier.name, "load_balancing")),
    )
