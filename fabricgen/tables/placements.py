"""Bytes that cross each tier under each placement of a job, and the time of each tier for a step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fabricgen.analysis.demand import JobDemand, compare_placements
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.sections import Row


def list_placements(plan: FabricPlan, found: JobDemand) -> Iterator[Row]:
    """Yield each job alone under each placement: bytes of a step by the tier where they turn, and its busiest link.

    Args:
        plan: The plan.
        found: The jobs.
    """
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
    """Yield how long scale-up links and each link group take for a step of the first job, and which takes longest.

    What a step computes meanwhile hides its overlap; the rest is exposed.

    Args:
        plan: The plan.
        found: The jobs.
        nvlink_gbytes_s: Of a GPU of each host group, both directions together; 0 or absent where it is not known.
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
