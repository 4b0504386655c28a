"""Rules on weighted ECMP: parallel links without it, and what the ASIC makes of weights."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analysis.hashing import down_width
from fabricgen.catalog.records import Asic
from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.checks.rules.lost_paths import MUCH
from fabricgen.checks.rules.platforms import platform_of
from fabricgen.diagnostics import Related, Severity
from fabricgen.physics.path_weights import UNPUBLISHED, factor_without_weights, path_weights
from fabricgen.plan.model.topology import Tier
from fabricgen.plan.planner.routing import weight_sum


@rule(
    "FG-RTE-930",
    "Parallel links without weighted ECMP",
    severity=Severity.WARNING,
    why="Far switches do not know that links of a pair are lost and send as much that way as before: the rest of n "
    "links of which k are lost carries n / (n - k) times its planned load, and a job is as slow as that.",
    fix="State weights: off to accept it, or weights: on where every tier is rendered with it; use fewer parallel "
    "links to more switches.",
    source="RFC 2992 section 2; opencomputeproject/SAI pull request 2166 (by default an SDK repeats next hops in "
    "proportion to their weight); RFC 10005",
    waivable=True,
)
def check_unweighted(view: PlanView) -> Iterator[Finding]:
    """Parallel links whose next hops are left unweighted by default."""
    weights = view.plan.weights
    if weights.on or view.intent.routing.ecmp.weights != "auto":
        return
    for tier in view.plan.tiers[1:]:
        links, width = view.plan.links[tier.number], down_width(view.plan, tier)
        loads = [factor_without_weights(width, lost) for lost in range(1, links.per_pair)]
        if loads and loads[-1] >= MUCH:
            more = f", {float(loads[-1]):.3g} times after {len(loads)}" if len(loads) > 1 else ""
            yield Finding(
                f"{links.name} has {links.per_pair} parallel links and no weighted next hops, because {weights.why}; "
                f"after one link is lost the rest carries {float(loads[0]):.3g} times its planned load{more}",
                ("links", links.name, "per_pair"),
                hint="use weights: off to accept it" + (", or weights: on" if all(weights.rules) else ""),
                related=platform_of(view.plan.tiers[tier.number - 1].name, tier.name),
            )


@rule(
    "FG-RTE-931",
    "Weights and the ASIC",
    severity=Severity.INFO,
    why="FRR gives a next hop of a healthy group the largest weight. An SDK may repeat next hops in the member table "
    "as often, scale weights down, or weight by itself; that decides how finely it distinguishes lost links, and how "
    "many groups fit.",
    fix="Compare the used members of one switch with these before and after: crm show resources nexthop group member.",
    source="opencomputeproject/SAI pull request 2166; sonic-net/sonic-buildimage, "
    "platform/mellanox/docker-syncd-mlnx/sai-common.profile; facebook/fboss, agent/ResourceAccountant.cpp",
)
def check_weights(view: PlanView) -> Iterator[Finding]:
    """The members and the granularity of weights that the intent turns on."""
    for tier, word in zip(view.plan.tiers, view.plan.weights.active, strict=False):
        hops = tier.routing.max_paths
        if view.intent.routing.ecmp.weights == "on" and hops > 1 and word != UNPUBLISHED:
            weight = int(path_weights([(1, hops)], word)[0])
            yield Finding(
                f"a healthy group of tier {tier.name!r} has {hops} next hops; FRR gives each a weight of {weight}; "
                f"{_made_of(tier, view.asic_of(tier), hops, weight)}",
                ("routing", "ecmp", "weights"),
                related=(Related("the model", ("tiers", tier.name, "model")),),
            )


def _made_of(tier: Tier, asic: Asic, hops: int, weight: int) -> str:
    """Return what is published of what an ASIC makes of the weights of a group."""
    if total := weight_sum(tier, asic):
        return f"the SDK of {asic.id} scales them to a sum of {total}, {total // hops} for each"
    entries = asic.weighted_member_entries
    itself = f", one that weights by itself {hops * entries}" if entries else ""
    limit = f" of {asic.ecmp_members_max}" if asic.ecmp_members_max else ""
    return (
        f"an SDK of {asic.id} that repeats next hops needs {hops * weight}{limit} members{itself}; no public source "
        "has its granularity"
    )
