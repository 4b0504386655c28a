"""Capacity of every tier, beside the demand of training jobs: volumes, placements, and the published closed forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil

from fabricgen.analysis.capacity import tier_oversubscription, uplinks_of
from fabricgen.analysis.demand import (
    Compared,
    JobDemand,
    LinkDemand,
    Traffic,
    analyze_demand,
    compare_placements,
    compare_terms,
)
from fabricgen.analysis.placement import gpus_of_job
from fabricgen.catalog import Catalog
from fabricgen.diagnostics.words import ranges
from fabricgen.intent.fabric import FabricIntent
from fabricgen.physics.traffic import DAY_S, SOURCE, Term, decimal_unit, transfer_s
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.topology import Tier, UnitKind
from fabricgen.plan.model.workload import Workload
from fabricgen.tables.sections import Row, Sections, pick

SOURCES = {
    "all_reduce": "Patarasuk and Yuan, JPDC 2009: a ring sends 2 (G - 1) / G payloads per rank",
    "all_gather": "Rajbhandari et al., ZeRO, SC 2020, section 7: (G - 1) / G payloads per rank",
    "reduce_scatter": "Rajbhandari et al., ZeRO, SC 2020, section 7: (G - 1) / G payloads per rank",
    "all_to_all": "Lepikhin et al., GShard, 2020: (G - 1) / G payloads per rank leave it",
    "exchange": "Narayanan et al., Megatron-LM, SC 2021: one payload to each neighbour",
}
"""Formula of each collective."""
MODEL = "average over the window: all bytes of a step, ranks placed host by host, on links filled to max_pct"
"""Figures that a tier is judged by."""


def show_capacity(plan: FabricPlan, nvlink_gbytes_s: Mapping[str, int] | None = None) -> Sections:
    """Capacity of every tier; with jobs also their collectives, volumes and placements, and the busiest places.

    ``nvlink_gbytes_s`` is the NVLink of a GPU by host group, both directions together.
    """
    found = analyze_demand(plan, *plan.jobs) if plan.jobs else None
    sections: dict[str, list[Row]] = {"tiers": [_tier_row(plan, tier) for tier in plan.tiers]}
    if plan.kinds:
        sections["kinds"] = [_kind_row(plan, kind) for kind in plan.kinds]
    if found is not None:
        sections["job"] = [_job_row(job, len(gpus_of_job(plan, job))) for job in found.jobs]
        sections["traffic"] = [_traffic_row(plan, traffic) for traffic in found.traffic]
        sections["rails"] = [{"rail": demand.rail, **_demand_row(demand, found)} for demand in found.rails]
        sections["links"] = [_demand_row(demand, found) for demand in found.links]
        sections["times"] = [*list_times(plan, found, nvlink_gbytes_s or {})]
        sections["placements"] = [*list_placements(plan, found)]
        sections["volumes"] = [*list_volumes(found)]
        sections["published"] = [*list_published(found)]
        sections["published_figures"] = [*list_figures(found)]
    sections["left_out"] = [{"left_out": what, "because": why} for what, why in _left_out(found)]
    return Sections(plan.name, sections)


def nvlink_rates(intent: FabricIntent, catalog: Catalog | None) -> dict[str, int]:
    """Return NVLink's rate of a GPU of each host group, in GB/s of both directions; 0 where no public source has it."""
    servers = catalog.servers if catalog else {}
    used = {name: servers.get(group.server) for name, group in intent.hosts.items()}
    return {name: server.nvlink_gbytes_s for name, server in used.items() if server and server.gpus}


def _tier_row(plan: FabricPlan, tier: Tier) -> Row:
    """Return what one regular switch of a tier has upwards, and the tier as a whole."""
    ratio = tier_oversubscription(plan, tier)
    links = plan.links[tier.number + 1] if tier.up else None
    up = links.width * links.per_pair * links.speed_gbps if links else None
    return {
        "tier": tier.name,
        "switches": tier.size,
        "link": links.name if links else None,
        "uplinks": links.width * links.per_pair if links else None,
        "up_gbps": up,
        "all_up_gbps": up * tier.size if up is not None else None,
        "oversubscription": f"{ratio[0]}:{ratio[1]}" if ratio else None,
    }


def _kind_row(plan: FabricPlan, kind: UnitKind) -> Row:
    """Return what a unit of a kind has, and a leaf in it."""
    ratio = tier_oversubscription(plan, plan.tiers[0], kind) if not kind.is_absent else None
    hosts = {group.name: 0 if kind.is_absent else kind.per_unit(group) for group in plan.hosts}
    return {
        "kind": kind.name,
        "units": ranges(unit + 1 for first, last in kind.units for unit in range(first, last + 1)),
        "hosts": sum(hosts.values()),
        "gpus": sum(group.gpus * hosts[group.name] for group in plan.hosts),
        "uplinks": uplinks_of(plan.links[1], kind) if ratio else None,
        "oversubscription": f"{ratio[0]}:{ratio[1]}" if ratio else None,
    }


def _job_row(w: Workload, gpus: int) -> Row:
    return {
        "workload": w.name,
        "ranks": w.ranks,
        "gpus": gpus,
        **pick(w, "tensor", "context", "pipeline", "data", "expert"),
        "order": list(w.order),
        "window_s": w.step_s,
        "use_max_pct": w.use_max_pct or "auto",
        "model": MODEL,
    }


def _traffic_row(plan: FabricPlan, traffic: Traffic) -> Row:
    """One collective: what each rank sends in a step, and where the bytes of all of them turn."""
    message = traffic.message
    turns: Row = {
        f"{tier.name}_bytes": round(volume) for tier, volume in zip(plan.tiers, traffic.turning_bytes, strict=True)
    }
    return {
        "job": traffic.job,
        "message": message.name,
        "collective": message.collective,
        "over": message.over,
        "ranks": traffic.ranks,
        "groups": traffic.groups,
        "payload_bytes": round(message.payload_bytes),
        "times": message.times,
        "rank_sends_bytes": round(traffic.sent_bytes),
        "nvlink_bytes": round(traffic.inside_bytes),
        **turns,
        "derivation": message.derivation or "stated",
        "source": SOURCES[message.collective],
    }


def _demand_row(demand: LinkDemand, job: JobDemand) -> Row:
    """The busiest place, and the shortest step that it allows."""
    shortest = demand.shortest_step_s(job.workload)
    return {
        "link": demand.link,
        "place": demand.place,
        "needed_gbps": round(demand.needed_gbps, 3),
        "mean_gbps": round(demand.mean_gbps, 3),
        "offered_gbps": demand.offered_gbps,
        "use_pct": round(100 * demand.needed_gbps / demand.offered_gbps, 2) if demand.offered_gbps else None,
        "max_pct": demand.use.percent,
        "shortest_step_s": None if shortest is None else round(shortest, 6),
        "enough": _judge(demand, job.workload),
        "max_by": demand.use.arithmetic,
    }


def _judge(demand: LinkDemand, workload: Workload) -> str:
    """Return whether a place is enough; where more can be sent at once than is offered, averages alone decide."""
    if demand.is_short:
        return "no"
    if demand.oversubscription > 1:
        return f"on average only, over {workload.step_s:g} s"
    return "yes"


def _left_out(job: JobDemand | None) -> Iterator[tuple[str, str]]:
    """Return what the figures do not cover, and why."""
    if job is None:
        yield "what a training job asks of rails and tiers", "the intent names no workload (docs/intent.md, workload)"
        yield "uneven use of parallel links", "rates of links are added up, as if ECMP spread all flows evenly"
    else:
        yield "bursts: what is sent at once in a part of the window", "only averages over the window are compared"
        yield "other draws of a random placement", "hosts are ordered by a digest of their names, which is one draw"
        yield "which message overlaps with computing", "one overlap counts for the traffic of the whole step"
        yield "flows of several sizes", "flows that share links count as equal"


def list_placements(plan: FabricPlan, found: JobDemand) -> Iterator[Row]:
    """Yield each job alone under each placement: bytes of a step by the tier where they turn, and its busiest link."""
    for job in found.jobs:
        for placed in compare_placements(plan, job):
            demand = placed.demand
            turning = [sum(volumes) for volumes in zip(*(each.turning_bytes for each in demand.traffic), strict=True)]
            worst = max(demand.links, key=lambda link: link.needed_gbps / max(link.offered_gbps, 1e-9))
            shortest = worst.shortest_step_s(job)
            yield {
                "job": job.name,
                "placement": placed.placement,
                "hosts": placed.hosts,
                "units": placed.units,
                "nvlink_bytes": round(sum(each.inside_bytes for each in demand.traffic)),
                **{f"{tier.name}_bytes": round(each) for tier, each in zip(plan.tiers, turning, strict=True)},
                "busiest_link": worst.link,
                "use_pct": round(100 * worst.needed_gbps / worst.offered_gbps, 2) if worst.offered_gbps else None,
                "shortest_step_s": None if shortest is None else round(shortest, 6),
            }


def list_times(plan: FabricPlan, found: JobDemand, nvlink_gbytes_s: Mapping[str, int]) -> Iterator[Row]:
    """Yield how long scale-up links and link groups take for a step of the first job, and which of them takes longest.

    What a step computes meanwhile hides its overlap; the rest is exposed. ``nvlink_gbytes_s`` counts both directions of
    a GPU's NVLink by host group; 0 or absent where it is not known.
    """
    job = found.workload
    times: dict[str, float | None] = {"scale-up": _scale_up_s(plan, found, nvlink_gbytes_s)}
    times |= {demand.link: demand.shortest_step_s(job) for demand in found.links}
    longest = max((seconds for seconds in times.values() if seconds is not None), default=0.0)
    for level, seconds in times.items():
        known = seconds is not None
        yield {
            "level": level,
            "time_s": round(seconds, 6) if seconds is not None else None,
            "overlap_s": job.overlap_s,
            "exposed_s": round(max(0.0, seconds - job.overlap_s), 6) if seconds is not None else None,
            "bottleneck": "yes" if known and seconds == longest and longest > 0 else "no",
            "because": "" if known else "no public rate, or no link in service",
        }


def _scale_up_s(plan: FabricPlan, found: JobDemand, nvlink_gbytes_s: Mapping[str, int]) -> float | None:
    """Return the seconds of a GPU's mean traffic in its scale-up domain; half of the rate is for one direction."""
    job = found.workload
    names = [group.name for group in plan.hosts if not job.hosts or group.name in job.hosts]
    rates = [nvlink_gbytes_s.get(name, 0) for name in names if name in nvlink_gbytes_s]
    if not rates or not min(rates):
        return None
    inside = sum(each.inside_bytes for each in found.traffic if each.job == job.name)
    return inside / job.ranks / (min(rates) / 2 * 1e9)


SWITCH_GBPS = 51_200
"""Rate of one switch of the published text."""


def list_volumes(found: JobDemand) -> Iterator[Row]:
    """Yield the bytes of all ranks of each collective, and those that rings and trees send between NVLink domains."""
    trained = {job.name: job.training for job in found.jobs}
    for traffic in found.traffic:
        training = trained[traffic.job]
        runs = training if training and training.epochs else None
        epoch = traffic.total_bytes * runs.steps if runs else None
        yield {
            "job": traffic.job,
            "message": traffic.message.name,
            "step_bytes": round(traffic.total_bytes),
            "epoch_bytes": None if epoch is None else round(epoch),
            "run_bytes": round(epoch * runs.epochs) if epoch is not None and runs else None,
            "step": decimal_unit(traffic.total_bytes),
            "epoch": None if epoch is None else decimal_unit(epoch),
            "run": decimal_unit(epoch * runs.epochs) if epoch is not None and runs else None,
            "between_domains_bytes": round(sum(traffic.turning_bytes)),
            "as_tree_bytes": None if traffic.tree_bytes is None else round(traffic.tree_bytes),
        }


def list_published(found: JobDemand) -> Iterator[Row]:
    """Yield the published closed forms of each job with a model beside its rings, and their sums."""
    for job in found.jobs:
        compared = [*compare_terms(job, job.training, found.traffic)] if job.training else []
        total = sum(each.term.volume_bytes for each in compared)
        for each in [*compared, *_sums(compared)]:
            term = each.term
            yield {
                "job": job.name,
                "term": term.name,
                "formula": term.formula,
                "syncs": term.syncs,
                "of": "epoch" if job.training and job.training.epochs else "step",
                "published_bytes": round(term.volume_bytes),
                "published": decimal_unit(term.volume_bytes),
                "share_pct": round(100 * term.volume_bytes / total, 3) if total else None,
                "injected_bytes": None if each.injected_bytes is None else round(each.injected_bytes),
                "injected": None if each.injected_bytes is None else decimal_unit(each.injected_bytes),
                "remark": term.remark,
                "source": SOURCE,
            }


def _sums(compared: Sequence[Compared]) -> Iterator[Compared]:
    """Yield the sum of each direction, of both, and of what tensor parallelism has no part in."""
    kept = {
        "backward": [each for each in compared if each.term.name.endswith("_backward")],
        "forward": [each for each in compared if each.term.name.endswith("_forward")],
        "total": compared,
        "scale_out_only": [each for each in compared if not each.term.name.startswith("tp_")],
    }
    for name, parts in kept.items():
        published = sum(each.term.volume_bytes for each in parts)
        injected = sum(each.injected_bytes or 0.0 for each in parts)
        yield Compared(Term(name, " + ".join(each.term.name for each in parts), published, None), injected)


def list_figures(found: JobDemand) -> Iterator[Row]:
    """Yield what the published text derives from its total, with decimal bytes and bits, for each job with an epoch."""
    for job in found.jobs:
        training = job.training
        if training is not None and training.epochs:
            total = sum(each.term.volume_bytes for each in compare_terms(job, training, found.traffic))
            days = transfer_s(total, SWITCH_GBPS) / DAY_S
            figures = (
                ("days_51_2_Tbit", days, "days", "bytes x 8 / 51.2e12 / 86400"),
                ("days_both_directions_counted", days / 2, "days", "bytes x 8 / 102.4e12 / 86400"),
                ("switches_100_epochs_100_days", ceil(days), "switches", "100 epochs x days / 100 days"),
                ("gb_per_sample", total / training.sequences / 1e9, "GB", "bytes / sequences"),
                ("total_eib", total / 2**60, "EiB", "bytes / 2^60"),
            )
            for name, value, unit, formula in figures:
                yield {"job": job.name, "figure": name, "value": round(value, 4), "unit": unit, "formula": formula}
