"""Rules on what the hash reads, on polarisation, and on the width and number of ECMP groups."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from fabricgen.analysis.hashing import HashStage, group_sets, hashing_stages
from fabricgen.checks.model import Finding, IntentView, PlanView, rule
from fabricgen.checks.rules.balancing import tier_key
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import or_list
from fabricgen.intent.topology import HashWord
from fabricgen.physics import Refusal
from fabricgen.physics.ecmp import refused_groups
from fabricgen.plan.model.topology import Tier
from fabricgen.plan.planner.factors import takes_part
from fabricgen.platforms.manifest.spec import TierHash, find_hash

UDF_WORD = "roce_dest_qp"


def hash_function(view: PlanView, tier: Tier) -> Hashable:
    """Return what decides how a tier hashes; tiers with equal values choose alike."""
    asic = view.asic_of(tier)
    return asic.vendor, hash_of_tier(view, tier).choice, frozenset(tier.routing.hash_fields)


def hash_of_tier(view: PlanView, tier: Tier) -> TierHash:
    """Return algorithm and seed of a tier."""
    asic = view.asic_of(tier)
    return find_hash(view.switch(tier.platform), tier.number, tier.routing.hash_rank, asic.id)


def _idle(view: PlanView) -> Iterator[tuple[HashStage, Tier]]:
    """Choices that an earlier one takes away, in whole or in part."""
    functions = [hash_function(view, tier) for tier in view.plan.tiers]
    for stage in hashing_stages(view.plan, functions):
        if stage.used < stage.planned:
            yield stage, view.plan.tiers[stage.tier]


def _polarised(view: PlanView, stage: HashStage, tier: Tier) -> str:
    way = "uplinks" if stage.upwards else "parallel links down to a pair"
    earlier = view.plan.tiers[stage.earlier].name
    return f"tier {tier.name!r} hashes like {earlier!r}: each flow uses {stage.used} of {stage.planned} {way}"


def _links_of(view: PlanView, stage: HashStage) -> tuple[Related, ...]:
    """The links that carry the wasted choice, and those of the choice that wasted it."""
    plan = view.plan
    own, earlier = plan.links[stage.tier + stage.upwards].name, plan.links[stage.earlier + 1].name
    names = [own] if own == earlier else [own, earlier]
    return tuple(Related("the links", ("links", name)) for name in names)


@rule(
    "FG-RTE-014",
    "Tiers that polarise and cannot be decorrelated",
    why="With the same hash at two tiers the second sees only the flows the first chose: next hops stay idle.",
    fix="Use a platform with a seed or several algorithms, other hash fields, or counts without common divisor.",
    source="Arithmetic of modulo hashing, fabricgen/physics/ecmp.py; sonic-net/sonic-buildimage 17215",
    waivable=True,
)
def check_polarisation(view: PlanView) -> Iterator[Finding]:
    """Every planned next hop is used where the platform has nothing to tell tiers apart."""
    for stage, tier in _idle(view):
        spec = view.switch(tier.platform)
        unrendered = bool(spec and spec.switch.hash_seed_unrendered)
        means = hash_of_tier(view, tier).by_rank
        if tier.routing.hash_rank and (means or not unrendered):
            yield Finding(
                f"{_polarised(view, stage, tier)}, and {tier.platform} has "
                + ("no other seed left" if means else "no configurable hash seed or algorithm"),
                tier_key(view, tier.name, "decorrelate"),
                hint="give the tier other hash fields, or use a platform with a seed or several algorithms",
                related=(Related("the platform", ("tiers", tier.name, "platform")), *_links_of(view, stage)),
            )


@rule(
    "FG-RTE-015",
    "Decorrelation off",
    severity=Severity.WARNING,
    why="With the same hash at two tiers the second sees only the flows the first chose: next hops stay idle.",
    fix="Use decorrelate: auto.",
    source="Arithmetic of modulo hashing, fabricgen/physics/ecmp.py; sonic-net/sonic-buildimage 17215",
)
def check_decorrelate_off(view: PlanView) -> Iterator[Finding]:
    """Say aloud which next hops stay idle because tiers hash alike as the intent asks, and what changes nothing."""
    for stage, tier in _idle(view):
        if not tier.routing.hash_rank:
            path = tier_key(view, tier.name, "decorrelate")
            yield Finding(_polarised(view, stage, tier), path, hint="use auto", related=_links_of(view, stage))
    leaf = view.plan.tiers[0].name
    own = view.intent.tiers[leaf].ecmp
    if own is not None and own.decorrelate == "off":
        message = f"decorrelate: off has no effect on {leaf!r}: the other tiers hash differently"
        yield Finding(message, ("tiers", leaf, "ecmp", "decorrelate"), hint="remove it")


@rule(
    "FG-RTE-016",
    "A hash word twice, or no five_tuple",
    why="A second one changes nothing and hides a slip; without five_tuple all flows between two hosts share one link.",
    fix="Name every word once, five_tuple among them.",
    source="docs/intent.md, routing",
)
def check_hash_once(view: IntentView) -> Iterator[Finding]:
    """Hash words are unique, and five_tuple is one of them."""
    named: list[tuple[IntentPath, list[HashWord]]] = [(("routing", "ecmp", "hash"), view.intent.routing.ecmp.hash)]
    named += [
        (("tiers", name, "ecmp", "hash"), tier.ecmp.hash)
        for name, tier in sorted(view.intent.tiers.items())
        if tier.ecmp and tier.ecmp.hash
    ]
    for path, words in named:
        for word in sorted({word for word in words if words.count(word) > 1}):
            yield Finding(f"{word} is named {words.count(word)} times", path, hint="name it once")
        if "five_tuple" not in words:
            yield Finding(
                "five_tuple is missing; without it all flows of a pair share one link", path, hint="add five_tuple"
            )


@rule(
    "FG-RTE-011",
    "Fewer equal-cost paths than planned",
    why="Links beyond max_paths carry nothing, and the oversubscription is worse than planned.",
    fix="Use max_paths: auto, or at least the planned width; remove it from an exception, or make links absent there.",
    source="RFC 7938 section 6.1",
)
def check_max_paths(view: PlanView) -> Iterator[Finding]:
    """The ECMP width covers every planned uplink."""
    for tier in view.plan.tiers[:-1]:
        link = view.plan.links[tier.number + 1]
        width = link.width * link.per_pair
        if tier.routing.max_paths < width:
            message = f"max_paths is {tier.routing.max_paths}; tier {tier.name!r} has {width} equal-cost uplinks"
            path = tier_key(view, tier.name, "max_paths")
            yield Finding(message, path, hint="use auto", related=(Related("the links", ("links", link.name)),))


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
        asic = view.asic_of(tier)
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
    factors = view.factors(reserved=True)
    counts = [path for path in (*factors.ports_down(tier.number), *factors.ports_up(tier.number)) if path not in links]
    paths = tier_key(view, tier.name, "max_paths")
    return (
        Related("the model", ("tiers", tier.name, "model")),
        Related("the limits of its ASIC", record=("asics", view.catalog.switches[tier.model].asic.id)),
        *(Related("the links", path) for path in links),
        *takes_part(view.intent, (*counts, paths)),
        Related("the balancing", tier_key(view, tier.name, "load_balancing")),
    )
