"""Hash of each tier, and next hops that polarisation leaves idle, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.analysis.hashing import HashStage, hashing_stages
from fabricgen.checks.model import PlanView
from fabricgen.checks.rules.hashing import hash_function, hash_of_tier
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.sections import Row

UNKNOWN = "unknown"
ZERO_SEED = "0 by device type"


def list_stages(view: PlanView) -> list[HashStage]:
    """Return every choice of a packet's path, with what the functions of the tiers leave of it."""
    return [*hashing_stages(view.plan, [hash_function(view, tier) for tier in view.plan.tiers])]


def list_hashing(view: PlanView) -> Iterator[Row]:
    """Yield what decides the hash of each tier; a word that no source has is ``unknown``."""
    tiers = view.plan.tiers
    functions = [hash_function(view, tier) for tier in tiers]
    for tier, function in zip(tiers, functions, strict=True):
        choice, spec = hash_of_tier(view, tier), view.switch(tier.platform)
        alike = [other.name for other, own in zip(tiers, functions, strict=True) if own == function and other != tier]
        yield {
            "tier": tier.name,
            "platform": tier.platform,
            "asic": view.catalog.switches[view.intent.tiers[tier.name].model].asic.id,
            "balancing": tier.routing.load_balancing,
            "fields": list(tier.routing.hash_fields),
            "algorithm": choice.algorithm or UNKNOWN,
            "seed": choice.seed_shown or (ZERO_SEED if spec and spec.hash_type_seeds else UNKNOWN),
            "hashes_like": alike,
        }


def list_choices(plan: FabricPlan, stages: Sequence[HashStage]) -> Iterator[Row]:
    """Yield the equal next hops of each choice, and how many of them are ever taken."""
    for stage in stages:
        tier = plan.tiers[stage.tier]
        lost = stage.used < stage.planned
        yield {
            "tier": tier.name,
            "choice": "uplinks" if stage.upwards else "links down to one destination",
            "next_hops": stage.planned,
            "used": stage.used,
            "polarised_by": plan.tiers[stage.earlier].name if lost else None,
        }


def is_seed_alone(view: PlanView) -> bool:
    """Return whether two tiers hash with one algorithm, or unknown ones, and differ in the seed only."""
    choices = [(hash_of_tier(view, tier), tier.routing.hash_fields) for tier in view.plan.tiers]
    seeds: dict[object, set[object]] = {}
    for choice, fields in choices:
        seeds.setdefault((choice.algorithm, frozenset(fields)), set()).add(choice.choice)
    return any(len(found) > 1 for found in seeds.values())
