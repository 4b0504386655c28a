"""Load that hashing a job's flows puts on every link group, the hash of each tier, and a warning of few queue pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.analysis.flows import Flows
from fabricgen.analysis.hashing import HashStage, hashing_stages, path_choices
from fabricgen.analysis.link_loads import HashSpread, LinkLoad, load_links
from fabricgen.checks.model import PlanView
from fabricgen.checks.rules.collectives import QUEUE_PAIRS_ENOUGH as ENOUGH
from fabricgen.checks.rules.hashing import hash_function, hash_of_tier
from fabricgen.diagnostics import Bag, Related, lookup
from fabricgen.diagnostics.words import counted, ranges
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.entropy.job import EntropyJob
from fabricgen.tables.entropy.rows import STATIC, connection_gbps, load_rows, mode_of, mode_rows, overload_pct
from fabricgen.tables.sections import Row, Sections


def show_entropy(view: PlanView, job: EntropyJob, bag: Bag, *, detail: bool = True) -> Sections:
    """Return the load of link groups by way to spread, in ``detail`` with arithmetic; few queue pairs are a warning."""
    plan = view.plan
    stages = [*hashing_stages(plan, [hash_function(view, tier) for tier in plan.tiers])]
    loads: list[tuple[Flows, list[LinkLoad]]] = [(flows, [*load_links(plan, flows, stages)]) for flows in job.flows]
    warn_of_few(plan, job, [(flows, load) for flows, found in loads for load in found], bag)
    sections: dict[str, list[Row]] = {
        "job": [_job_row(job, path_choices(stages))],
        "queue_pairs": [{"qps": each.number, "from": each.origin, "source": each.source} for each in job.queue_pairs],
        "hashing": [*list_hashing(view)],
        "choices": [*list_choices(plan, stages)],
        "load": [row for flows, found in loads for row in load_rows(plan, job, flows, found, detail)],
        "modes": [row for flows, found in loads for row in mode_rows(job, flows, found, "ratio")],
        "modes_p99": [row for flows, found in loads for row in mode_rows(job, flows, found, "ratio_p99")],
    }
    return Sections(plan.name, sections)


def _job_row(job: EntropyJob, paths: int) -> Row:
    return {
        "job": job.name,
        "ranks": job.ranks,
        "rails": ranges(job.rails),
        "connections": " + ".join(f"{flows.connections} {flows.name}" for flows in job.flows),
        "paths": paths,
    }


UNKNOWN = "unknown"
ZERO_SEED = "0 by device type"


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


CODE_ID = "FG-HST-053"
NOTICED_PCT = 1.0
"""A place with an overloaded link is reported from this probability on."""
UNEVEN = 1.2
"""Load over the mean from which a link group is reported where rates are not known."""


def warn_of_few(plan: FabricPlan, job: EntropyJob, loads: Sequence[tuple[Flows, LinkLoad]], bag: Bag) -> None:
    """Report the link group whose busiest link is worst with a static hash and the first number of queue pairs."""
    own = job.queue_pairs[0].number
    code = lookup(CODE_ID)
    uneven = [each for each in loads if own < ENOUGH and _is_uneven(plan, *each, own)]
    if not uneven or code is None:
        return
    flows, load = max(uneven, key=lambda each: _severity(plan, each[0], each[1], own))
    spread, enough = _static(load, own), _static(load, ENOUGH)
    way = "upwards" if load.upwards else "downwards"
    message = (
        f"{counted(own, 'queue pair')} per connection ({job.queue_pairs[0].origin}) over a static hash: in "
        f"{flows.name!r} {counted(spread.flows, 'flow')} share {spread.links} links of {load.link} {way}, and "
        f"the busiest carries {spread.ratio:.2f} times the mean, {spread.ratio_p99:.2f} at the 99th percentile; "
        f"{ENOUGH} queue pairs make that {enough.ratio:.2f}"
    )
    rendered = plan.collectives.qps_per_connection
    hint = f"keep qps_per_connection: {rendered} in every job"
    if rendered < ENOUGH:
        hint = f"use qps_per_connection: {ENOUGH} or more"
    path = ("collectives", "qps_per_connection")
    bag.add(code, message, path, hint=hint, related=(Related("the hash", ("routing", "ecmp")),))


def _is_uneven(plan: FabricPlan, flows: Flows, load: LinkLoad, queue_pairs: int) -> bool:
    """Return whether a static hash overloads links, or where no rate is known loads them unevenly."""
    if not load.kinds or load.kinds[0].links < 2 or mode_of(plan, load) is not STATIC:
        return False
    spread = _static(load, queue_pairs)
    over = overload_pct(load, spread, connection_gbps(plan, flows))
    return spread.ratio >= UNEVEN if over is None else over >= NOTICED_PCT


def _severity(plan: FabricPlan, flows: Flows, load: LinkLoad, queue_pairs: int) -> float:
    """Return the expected load of the busiest link over its rate, or over the mean where no rate is known."""
    spread, rate = _static(load, queue_pairs), connection_gbps(plan, flows)
    return spread.load.expected * float(spread.unit * rate) / load.speed_gbps if rate else spread.ratio


def _static(load: LinkLoad, queue_pairs: int) -> HashSpread:
    return load.spreads(STATIC, queue_pairs)[0][0]
