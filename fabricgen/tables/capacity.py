"""Capacity of every tier, beside the demand of training jobs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fabricgen.analysis.capacity import tier_oversubscription
from fabricgen.analysis.demand import JobDemand, LinkDemand, Traffic, analyze_demand
from fabricgen.analysis.placement import gpus_of_job
from fabricgen.catalog import Catalog
from fabricgen.intent.fabric import FabricIntent
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.topology import Tier
from fabricgen.plan.model.workload import Workload
from fabricgen.tables.placements import list_placements, list_times
from fabricgen.tables.sections import Row, Sections, pick
from fabricgen.tables.training import list_figures, list_published, list_volumes

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

    Args:
        plan: The plan.
        nvlink_gbytes_s: NVLink of a GPU of each host group, both directions together.
    """
    found = analyze_demand(plan, *plan.jobs) if plan.jobs else None
    sections: dict[str, list[Row]] = {"tiers": [_tier_row(plan, tier) for tier in plan.tiers]}
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
    """Return NVLink's rate of a GPU of each host group, in GB/s of both directions; 0 where no public source has it.

    Args:
        intent: The intent.
        catalog: Its models.
    """
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
        yield "flows of several sizes", "flows that share links count as equal; analyze entropy tells them apart"
