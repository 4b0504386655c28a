"""Rules on what the hash reads, on polarisation, and on balancing that reorders packets."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from fabricgen.analysis.hashing import Stage, hashing_stages
from fabricgen.catalog.records import SwitchModel
from fabricgen.checks.model import UNKNOWN, Finding, IntentView, PlanView, rule
from fabricgen.checks.rules.tier_settings import hash_of, tier_key
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.intent.topology import HashWord
from fabricgen.plan.model.topology import Tier
from fabricgen.platforms.views.hashing import TierHash, find_hash

UDF_WORD = "roce_dest_qp"


@rule(
    "FG-RTE-013",
    "The platform cannot hash on this",
    why="Without the field, few and large RoCE flows collide on a link.",
    fix="Leave the word out, or choose a platform that reads the field.",
    source="The platform's NOTES.md; sonic-hash.yang has no BTH field",
)
def check_hash_words(view: IntentView) -> Iterator[Finding]:
    """Every hash word is one the platform can express."""
    for name, tier in sorted(view.intent.tiers.items()):
        spec = view.switch(tier.platform)
        for word in hash_of(view, name) if spec else ():
            if spec and not spec.switch.hashes_on(word):
                yield Finding(
                    f"tier {name!r} asks for {word}, which {tier.platform} cannot hash on",
                    tier_key(view, name, "hash"),
                    hint="use five_tuple" if spec.switch.hash_five_tuple else "use another platform",
                    value=["five_tuple"] if spec.switch.hash_five_tuple else UNKNOWN,
                    related=(Related("the platform", ("tiers", name, "platform")),),
                )


def hash_function(view: PlanView, tier: Tier) -> Hashable:
    """Return what decides how a tier hashes; tiers with equal values choose alike."""
    asic = view.catalog.switches[view.intent.tiers[tier.name].model].asic
    return asic.vendor, hash_of_tier(view, tier).choice, frozenset(tier.routing.hash_fields)


def hash_of_tier(view: PlanView, tier: Tier) -> TierHash:
    """Return algorithm and seed of a tier."""
    asic = view.catalog.switches[view.intent.tiers[tier.name].model].asic
    return find_hash(view.switch(tier.platform), tier.number, tier.routing.hash_rank, asic.id)


def _idle(view: PlanView) -> Iterator[tuple[Stage, Tier]]:
    """Choices that an earlier one takes away, in whole or in part."""
    functions = [hash_function(view, tier) for tier in view.plan.tiers]
    for stage in hashing_stages(view.plan, functions):
        if stage.used < stage.planned:
            yield stage, view.plan.tiers[stage.tier]


def _polarised(view: PlanView, stage: Stage, tier: Tier) -> str:
    way = "uplinks" if stage.upwards else "parallel links down to a pair"
    earlier = view.plan.tiers[stage.earlier].name
    return f"tier {tier.name!r} hashes like {earlier!r}: each flow uses {stage.used} of {stage.planned} {way}"


def _links_of(view: PlanView, stage: Stage) -> tuple[Related, ...]:
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


@rule(
    "FG-RTE-023",
    "The ASIC has no user-defined hash field",
    why="The queue pair lies behind the UDP header, where only a user-defined field reads it; large flows collide.",
    fix="Leave roce_dest_qp out, or use a model whose ASIC has user-defined fields.",
    source="facebook/fboss hw/switch_asics, feature SAI_UDF_HASH; the ASIC's file in the catalog",
)
def check_udf(view: IntentView) -> Iterator[Finding]:
    """The destination queue pair is asked only of ASICs that can read it."""
    for name, tier in sorted(view.intent.tiers.items()):
        model = view.catalog.switches.get(tier.model)
        if model is not None and UDF_WORD in hash_of(view, name) and not model.asic.udf_hash:
            yield Finding(
                f"tier {name!r} asks for {UDF_WORD}; {_udf_of(model)}",
                tier_key(view, name, "hash"),
                hint="use five_tuple and more queue pairs per connection",
                value=["five_tuple"],
                related=(
                    Related("the model", ("tiers", name, "model")),
                    Related("its ASIC", record=("asics", model.asic.id, "udf_hash")),
                ),
            )


def _udf_of(model: SwitchModel) -> str:
    asic = model.asic
    if asic.udf_hash is None:
        return f"nothing is published about user-defined hash fields of {asic.id} (catalog/asics/{asic.id}.yaml)"
    return f"{asic.id}, the ASIC of {model.id}, has no user-defined hash field"
