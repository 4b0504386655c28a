"""The job whose flows are analysed: a list, with what the fabric cannot carry reported, a workload, or a ring."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fabricgen.analysis.flows import Connection, Flows, job_flows, ring_flows, scattered_flows
from fabricgen.analysis.placement import Gpu, list_gpus
from fabricgen.diagnostics import Bag, Nearest
from fabricgen.diagnostics.words import and_list, counted
from fabricgen.intent.flows import ListedFlow
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId, NicId
from fabricgen.plan.planner.exceptions.links import Names, find_names
from fabricgen.tables.path_ends import NO_END

NCCL_QUEUE_PAIRS = 1
"""Without NCCL_IB_QPS_PER_CONNECTION (NVIDIA, NCCL documentation, Environment Variables)."""
NCCL_SOURCE, INTENT_SOURCE, OPTION_SOURCE = "NCCL's default", "collectives.qps_per_connection", "--qps"


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
    """Queue pairs per connection, and where the number is from."""

    number: int
    source: str


class EntropyJob(NamedTuple):
    """Flows to analyse.

    Attributes:
        ranks: GPUs that take part; 0 for a list of flows.
        queue_pairs: Numbers of queue pairs to analyse, that of the warning first.
    """

    name: str
    ranks: int
    rails: tuple[int, ...]
    queue_pairs: tuple[QueuePairs, ...]
    flows: tuple[Flows, ...]


def make_job(plan: FabricPlan, asked: EntropyOptions, listed: Flows | None = None) -> EntropyJob:
    """Return the job of a command.

    Args:
        plan: The plan.
        asked: What is asked for; no more ranks than there are GPUs, and rails that exist.
        listed: Flows of a file; None without one.
    """
    own = QueuePairs(plan.collectives.qps_per_connection, INTENT_SOURCE)
    given = (QueuePairs(asked.queue_pairs, OPTION_SOURCE),) if asked.queue_pairs else (own,)
    rails = asked.rails or tuple(range(plan.rails))
    if listed is not None:
        return EntropyJob("list of flows", 0, rails, given, (listed,))
    if plan.workload is not None and not asked.ranks and not asked.rails:
        found = tuple(flows for job in plan.jobs for flows in job_flows(plan, job))
        names = and_list(job.name for job in plan.jobs)
        return EntropyJob(f"workload {names}", sum(job.ranks for job in plan.jobs), rails, given, found)
    gpus = list_gpus(plan)
    gpus = gpus[: asked.ranks] if asked.ranks else gpus
    default = QueuePairs(NCCL_QUEUE_PAIRS, NCCL_SOURCE)
    pairs = given if asked.queue_pairs or own.number == NCCL_QUEUE_PAIRS else (default, own)
    name = f"one ring all-reduce over {counted(len(gpus), 'GPU')}"
    return EntropyJob(name, len(gpus), rails, pairs, tuple(_rings(plan, gpus, asked)))


def _rings(plan: FabricPlan, gpus: Sequence[Gpu], asked: EntropyOptions) -> list[Flows]:
    """The ring with its ranks in order, and as it is at worst."""
    nics = dict.fromkeys(NicId(gpu.host, gpu.rail) for gpu in gpus if not asked.rails or gpu.rail in asked.rails)
    ordered = ring_flows(plan, "ring in order", iter([gpus]), asked.rails)
    if not ordered.connections:
        return [ordered]
    return [ordered, scattered_flows(plan, "ring scattered", [*nics])]


def find_flows(plan: FabricPlan, listed: Sequence[ListedFlow], bag: Bag) -> Flows:
    """Return the flows of a list."""
    names = find_names(plan, {name for flow in listed for name in (flow.src, flow.dst)})
    found, nearest = Flows("listed flows"), Nearest()
    known: list[str] = []
    for flow in listed:
        ends = _ends(plan, flow, names, bag, nearest, known)
        if ends is None or not _has_path(plan, flow, ends, bag):
            continue
        rails = range(_rails(plan, ends)) if flow.rail is None else (flow.rail,)
        for rail in rails:
            found.add(plan, NicId(ends[0], rail), ends[1], Connection(flow.weight, flow.queue_pairs))
    return found


def _ends(
    plan: FabricPlan, flow: ListedFlow, names: Names, bag: Bag, nearest: Nearest, known: list[str]
) -> tuple[HostId, HostId] | None:
    """The hosts of an entry; None if one is no host."""
    found: list[HostId] = []
    for key, name in (("src", flow.src), ("dst", flow.dst)):
        end = names.get(name)
        if isinstance(end, HostId):
            found.append(end)
            continue
        if not known:
            known += [plan.host_name(host) for host in plan.all_hosts()]
        close = nearest.find(name, known)
        what = "a switch, not a host" if isinstance(end, DeviceId) else "no host of the fabric"
        hint = f"did you mean {close!r}?" if close else "use a name that fabricgen show devices lists"
        bag.add(NO_END, f"{key} {name!r} is {what}", place=flow.at(key), hint=hint)
    return (found[0], found[1]) if len(found) == 2 else None


def _has_path(plan: FabricPlan, flow: ListedFlow, ends: tuple[HostId, HostId], bag: Bag) -> bool:
    sound = True
    for key, end in zip(("src", "dst"), ends, strict=True):
        exception = plan.exceptions.of(end)
        if exception and exception.state in ("absent", "drained"):
            bag.add(NO_END, f"{plan.host_name(end)} is {exception.state}: {exception.reason}", place=flow.at(key))
            sound = False
    lacking = [end for end in ends if flow.rail is not None and flow.rail >= len(plan.hosts[end.group].rails)]
    if lacking:
        last = len(plan.hosts[lacking[0].group].rails) - 1
        message = f"rail {flow.rail} of {plan.host_name(lacking[0])} does not exist; its rails are 0 to {last}"
        bag.add(NO_END, message, place=flow.at("rail"), hint=f"use a rail from 0 to {last}")
        sound = False
    if ends[0] == ends[1]:
        bag.add(NO_END, f"{flow.src} sends to itself; no link of the fabric carries that", place=flow.at("dst"))
        sound = False
    return sound


def _rails(plan: FabricPlan, ends: tuple[HostId, HostId]) -> int:
    return min(len(plan.hosts[end.group].rails) for end in ends)
