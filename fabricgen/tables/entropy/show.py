"""Load that hashing a job's flows puts on every link group, as sections."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analysis.flows import Flows
from fabricgen.analysis.hashing import path_choices
from fabricgen.analysis.link_loads import LinkLoad, load_links
from fabricgen.checks.model import PlanView
from fabricgen.diagnostics import Bag, Place
from fabricgen.diagnostics.words import ranges
from fabricgen.tables.entropy.few import warn_of_few
from fabricgen.tables.entropy.job import INTENT_SOURCE, NCCL_SOURCE, OPTION_SOURCE, EntropyJob
from fabricgen.tables.entropy.rows import load_rows, mode_rows
from fabricgen.tables.entropy.tiers import is_seed_alone, list_choices, list_hashing, list_stages
from fabricgen.tables.sections import Row, Sections

SOURCES = {
    NCCL_SOURCE: "NVIDIA, NCCL documentation, Environment Variables: NCCL_IB_QPS_PER_CONNECTION is 1 unless it is set",
    INTENT_SOURCE: "the intent; hosts get it as NCCL_IB_QPS_PER_CONNECTION",
    OPTION_SOURCE: "the command line",
}


def show_entropy(
    view: PlanView, job: EntropyJob, bag: Bag, *, detail: bool = True, place: Place | None = None
) -> Sections:
    """Return the load of every link group under each way to spread.

    Args:
        view: Intent, catalog, platforms and plan.
        job: The job.
        bag: Takes the warning about few queue pairs.
        detail: With the arithmetic of each figure.
        place: Where the queue pairs are given; None for the intent.
    """
    plan, stages = view.plan, list_stages(view)
    loads: list[tuple[Flows, list[LinkLoad]]] = [(flows, [*load_links(plan, flows, stages)]) for flows in job.flows]
    warn_of_few(plan, job, [(flows, load) for flows, found in loads for load in found], bag, place)
    sections: dict[str, list[Row]] = {
        "job": [_job_row(job, path_choices(stages))],
        "queue_pairs": [
            {"qps": pairs.number, "from": pairs.source, "source": SOURCES.get(pairs.source)}
            for pairs in job.queue_pairs
        ],
        "hashing": [*list_hashing(view)],
        "choices": [*list_choices(plan, stages)],
        "load": [row for flows, found in loads for row in load_rows(plan, job, flows, found, detail)],
        "modes": [row for flows, found in loads for row in mode_rows(job, flows, found, "ratio")],
        "modes_p99": [row for flows, found in loads for row in mode_rows(job, flows, found, "ratio_p99")],
        "left_out": [{"left_out": what, "because": why} for what, why in _left_out(view, job)],
    }
    return Sections(plan.name, sections)


def _job_row(job: EntropyJob, paths: int) -> Row:
    return {
        "job": job.name,
        "ranks": job.ranks or None,
        "rails": ranges(job.rails),
        "channels": job.channels,
        "connections": " + ".join(f"{flows.connections} {flows.name}" for flows in job.flows),
        "paths": paths,
    }


def _left_out(view: PlanView, job: EntropyJob) -> Iterator[tuple[str, str]]:
    """Return what the figures do not cover, and why."""
    yield (
        "the hash value of each flow",
        "addresses and ports of a run are not known: flows are hashed as if at random, independently of each other",
    )
    yield (
        "queue pairs with one UDP source port",
        "qps columns count a source port per queue pair; one_port is for a NIC or library with one per connection, udf "
        "for a hash that reads the destination queue pair",
    )
    yield (
        "pauses between packets",
        "flowlet is the best case, every flow placed on the least loaded link; without pauses it is the static figure",
    )
    if is_seed_alone(view):
        yield (
            "correlation of one algorithm with two seeds",
            "tiers with other seeds count as independent; a linear hash such as CRC may stay correlated (Zhang et al., "
            "Hashing Linearity, USENIX ATC 2021)",
        )
    if view.plan.exceptions.links or view.plan.exceptions.switches:
        yield "unequal switches of a pod or zone", "their uplinks are added up, as if each got flows by its uplinks"
    if any(flows.name == "ring scattered" for flows in job.flows):
        yield (
            "other placements of ranks",
            "'ring in order' is the best, 'ring scattered' the worst: no neighbors below one switch",
        )
