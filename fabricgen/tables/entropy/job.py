"""The job whose flows are analysed: a workload, or a ring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fabricgen.analysis.flows import Flows, job_flows, ring_flows, scattered_flows
from fabricgen.analysis.placement import Gpu, list_gpus
from fabricgen.diagnostics.words import and_list, counted
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import NicId


class EntropyOptions(NamedTuple):
    """Options of the command.

    Attributes:
        ranks: GPUs of a ring; 0 for all, or for the job of the workload.
        queue_pairs: Queue pairs per connection; 0 if none are given.
        rails: Rails of a ring; empty for all.
    """

    ranks: int = 0
    queue_pairs: int = 0
    rails: tuple[int, ...] = ()


class QueuePairs(NamedTuple):
    """Queue pairs per connection, where the number is from, and what documents it."""

    number: int
    origin: str
    source: str


NCCL_DEFAULT = QueuePairs(
    1,
    "NCCL's default",
    "NVIDIA, NCCL documentation, Environment Variables: NCCL_IB_QPS_PER_CONNECTION is 1 unless it is set",
)


class EntropyJob(NamedTuple):
    """Flows to analyse: GPUs that take part, and numbers of queue pairs, that of the warning first."""

    name: str
    ranks: int
    rails: tuple[int, ...]
    queue_pairs: tuple[QueuePairs, ...]
    flows: tuple[Flows, ...]


def make_job(plan: FabricPlan, asked: EntropyOptions) -> EntropyJob:
    """Return the job of a command that asks for no more ranks than there are GPUs, and rails that exist."""
    rendered = plan.collectives.qps_per_connection
    source = "the intent; hosts get it as NCCL_IB_QPS_PER_CONNECTION"
    own = QueuePairs(rendered, "collectives.qps_per_connection", source)
    given = (QueuePairs(asked.queue_pairs, "--qps", "the command line"),) if asked.queue_pairs else (own,)
    rails = asked.rails or tuple(range(plan.rails))
    if plan.workload is not None and not asked.ranks and not asked.rails:
        found = tuple(flows for job in plan.jobs for flows in job_flows(plan, job))
        names = and_list(job.name for job in plan.jobs)
        return EntropyJob(f"workload {names}", sum(job.ranks for job in plan.jobs), rails, given, found)
    gpus = list_gpus(plan)
    gpus = gpus[: asked.ranks] if asked.ranks else gpus
    pairs = given if asked.queue_pairs or rendered == NCCL_DEFAULT.number else (NCCL_DEFAULT, own)
    name = f"one ring all-reduce over {counted(len(gpus), 'GPU')}"
    return EntropyJob(name, len(gpus), rails, pairs, tuple(_rings(plan, gpus, asked)))


def _rings(plan: FabricPlan, gpus: Sequence[Gpu], asked: EntropyOptions) -> list[Flows]:
    """The ring with its ranks in order, and as it is at worst."""
    nics = dict.fromkeys(NicId(gpu.host, gpu.rail) for gpu in gpus if not asked.rails or gpu.rail in asked.rails)
    ordered = ring_flows(plan, "ring in order", iter([gpus]), asked.rails)
    if not ordered.connections:
        return [ordered]
    return [ordered, scattered_flows(plan, "ring scattered", [*nics])]
