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

_ASIC_SOURCE = "The ASIC's file in the catalog (facebook/fboss hw/switch_asics)"


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


def _refused(view: PlanView, code: str) -> Iterator[tuple[Tier, Refusal]]:
    """Tiers whose ASIC refuses their groups for one reason."""
    for tier in view.plan.tiers:
        asic = view.catalog.switches[view.intent.tiers[tier.name].model].asic
        dynamic = tier.routing.load_balancing != "static"
        for refusal in refused_groups(asic, group_sets(view.plan, tier), dynamic=dynamic):
            if refusal.code == code:
                yield tier, refusal


@rule(
    "FG-RTE-012",
    "ECMP width above what the ASIC takes",
    why="The ASIC refuses the group or installs fewer next hops than routing believes.",
    fix="Use fewer uplinks per switch, or balance statically where only dynamic groups are that narrow.",
    source=_ASIC_SOURCE,
    waivable=True,
)
def check_asic_width(view: PlanView) -> Iterator[Finding]:
    """No group is wider than the ASIC's widest."""
    for tier, refusal in _refused(view, "FG-RTE-012"):
        facts, balancing = refusal.facts, tier.routing.load_balancing
        kind = "" if balancing == "static" else f" with load_balancing {balancing}"
        yield Finding(
            f"tier {tier.name!r} has groups of {facts['width']} next hops; {facts['asic']} takes "
            f"{facts['width_max']}{kind}",
            tier_key(view, tier.name, "max_paths"),
            hint=f"use max_paths: {facts['width_max']} or fewer",
            fixes=set_to(tier_key(view, tier.name, "max_paths"), facts["width_max"], unsaid=True),
            related=_asic_places(view, tier),
        )


@rule(
    "FG-RTE-025",
    "More ECMP groups than the ASIC takes",
    why="Prefixes without a group of their own are refused, or fall back to a single path.",
    fix="Use fewer parallel links per pair, smaller scopes, or static load balancing.",
    source=_ASIC_SOURCE,
    waivable=True,
)
def check_asic_groups(view: PlanView) -> Iterator[Finding]:
    """The groups of a switch, one failure included, fit the ASIC."""
    yield from _find_full(
        view,
        "FG-RTE-025",
        "a switch of tier {tier!r} needs {groups} ECMP groups at the reserved maximum; {asic} takes {groups_max} "
        "({balancing})",
        static=True,
    )


@rule(
    "FG-RTE-019",
    "More ECMP members than the ASIC takes",
    why="The table of next hops runs full and later prefixes get fewer paths than planned.",
    fix="Use fewer parallel links per pair, or smaller scopes.",
    source=_ASIC_SOURCE,
    waivable=True,
)
def check_asic_members(view: PlanView) -> Iterator[Finding]:
    """The members of all groups of a switch fit the ASIC."""
    yield from _find_full(
        view,
        "FG-RTE-019",
        "the ECMP groups of tier {tier!r} have {members} members at the reserved maximum; {asic} takes {members_max}",
    )


def _find_full(view: PlanView, code: str, message: str, *, static: bool = False) -> Iterator[Finding]:
    """Tiers whose groups a table of the ASIC does not hold; the message takes the figures of the refusal."""
    for tier, refusal in _refused(view, code):
        pairs = [f"links.{link.name}.per_pair" for link in view.plan.links[max(tier.number, 1) : tier.number + 2]]
        dynamic = static and tier.routing.load_balancing != "static"
        yield Finding(
            message.format(tier=tier.name, balancing=tier.routing.load_balancing, **refusal.facts),
            ("tiers", tier.name, "model"),
            hint=f"lower {or_list(pairs)}"
            + (", or use load_balancing: static" if dynamic else ", or use another model"),
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


@rule(
    "FG-RTE-024",
    "More equal-cost paths than the platform's routing takes",
    why="The daemon rejects the line, or keeps its own limit and links stay idle.",
    fix="Use fewer uplinks per switch, or another platform.",
    source="The platform's NOTES.md; sonic-net/sonic-buildimage sonic-bgp-global.yang (max_ebgp_paths)",
)
def check_platform_width(view: PlanView) -> Iterator[Finding]:
    """No tier asks its routing daemon for more paths than it takes."""
    for tier in view.plan.tiers:
        spec = view.switch(tier.platform)
        limit = spec.switch.ecmp_paths_max if spec else None
        if limit is not None and limit < tier.routing.max_paths:
            yield Finding(
                f"tier {tier.name!r} has {tier.routing.max_paths} equal-cost paths; {tier.platform} takes {limit}",
                tier_key(view, tier.name, "max_paths"),
                hint=f"use {limit} or fewer",
                value=limit,
                related=(Related("the platform", ("tiers", tier.name, "platform")),),
            )
