"""Rules on what the hash reads, on polarisation, and on balancing that reorders packets."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from fabricgen.analysis.hashing import HashStage, hashing_stages
from fabricgen.checks.model import Finding, IntentView, PlanView, rule
from fabricgen.checks.rules.tier_settings import tier_key
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.intent.topology import HashWord
from fabricgen.plan.model.topology import Tier
from fabricgen.platforms.views.hashing import TierHash, find_hash

UDF_WORD = "roce_dest_qp"


def hash_function(view: PlanView, tier: Tier) -> Hashable:
    """Return what decides how a tier hashes; tiers with equal values choose alike."""
    asic = view.catalog.switches[view.intent.tiers[tier.name].model].asic
    return asic.vendor, hash_of_tier(view, tier).choice, frozenset(tier.routing.hash_fields)


def hash_of_tier(view: PlanView, tier: Tier) -> TierHash:
    """Return algorithm and seed of a tier."""
    asic = view.catalog.switches[view.intent.tiers[tier.name].model].asic
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
            yield Finding(
                _polarised(view, stage, tier),
                tier_key(view, tier.name, "decorrelate"),
                hint="use auto",
                value="auto",
                related=_links_of(view, stage),
            )
    leaf = view.plan.tiers[0].name
    own = view.intent.tiers[leaf].ecmp
    if own is not None and own.decorrelate == "off":
        yield Finding(
            f"decorrelate: off has no effect on {leaf!r}: the other tiers hash differently",
            ("tiers", leaf, "ecmp", "decorrelate"),
            hint="remove it",
            value=None,
        )


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
            yield Finding(
                f"{word} is named {words.count(word)} times",
                path,
                hint="name it once",
                value=list(dict.fromkeys(words)),
            )
        if "five_tuple" not in words:
            yield Finding(
                "five_tuple is missing; without it all flows of a pair share one link",
                path,
                hint="add five_tuple",
                value=["five_tuple", *words],
            )
