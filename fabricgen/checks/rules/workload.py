"""Rules that hold the fabric against the training job it is for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from fabricgen.analysis.demand import LinkDemand, analyze_demand, backup_demands
from fabricgen.analysis.placement import Gpu, gpus_of_job, list_groups
from fabricgen.checks.model import Finding, PlanView, further, rule
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import and_list, counted
from fabricgen.physics.traffic import NVLINK_GBPS_EACH_WAY, Share, decimal_unit, least_memory, transfer_s
from fabricgen.plan.model.workload import Training, Workload
from fabricgen.plan.planner.factors import takes_part

WORKLOAD = ("workload",)


@rule(
    "FG-EXP-006",
    "Workload that does not fit on its hosts",
    why="The job cannot start: every rank needs a GPU, and all ranks the same collective library.",
    fix="Add hosts or units, lower a degree of parallelism, or name host groups whose GPUs run one library under hosts "
    "of the workload.",
    source="docs/intent.md, workload",
)
def check_ranks(view: PlanView) -> Iterator[Finding]:
    """The job fits into the fabric."""
    for workload in view.plan.jobs:
        gpus = len(gpus_of_job(view.plan, workload))
        if workload.ranks > gpus:
            yield _too_many_ranks(view, workload, gpus)


def _too_many_ranks(view: PlanView, workload: Workload, gpus: int) -> Finding:
    """Return the finding about a job that does not fit."""
    others = workload.tensor * workload.context * workload.pipeline
    if workload.placed:
        return Finding(
            f"{workload.name} has {counted(workload.ranks, 'rank')}; its placement gives it {counted(gpus, 'GPU')} on "
            f"{counted(len(workload.placed), 'host')}",
            WORKLOAD,
            hint=f"name hosts with {workload.ranks - gpus} more GPUs for it in the placement",
        )
    degrees = (
        workload.tensor,
        *((workload.context,) if workload.context > 1 else ()),
        workload.pipeline,
        workload.data,
    )
    return Finding(
        f"{workload.name} has {' x '.join(map(str, degrees))} = {counted(workload.ranks, 'rank')}; "
        f"{counted(gpus, 'GPU')} can take part: spares, absent and drained hosts do not",
        WORKLOAD,
        hint=f"lower parallelism.data of the workload to {gpus // others}"
        if gpus // others
        else f"lower tensor and pipeline of the workload to {counted(gpus, 'rank')} in all",
        related=(
            *takes_part(view.intent, view.factors().gpus()),
            *(Related(f"{name} is {state}", path) for name, state, path in _hosts_out(view)),
        ),
    )


@further("FG-EXP-006")
def check_groups(view: PlanView) -> Iterator[Finding]:
    """The job's host groups exist, have GPUs and run one library."""
    workload = view.plan.workload
    if workload is None:
        return
    libraries = {group.name: group.library for group in view.plan.hosts if group.library}
    known = ", ".join(sorted(libraries)) or "none"
    for name in workload.hosts:
        if name not in libraries:
            message = f"{workload.name} runs on {name!r}; host groups with GPUs are {known}"
            yield Finding(message, WORKLOAD, hint=f"write hosts: [{known}] in the workload, or leave hosts out")
    placed = dict.fromkeys(view.plan.hosts[host.group].name for host in workload.placed)
    used = {name: libraries[name] for name in placed or workload.hosts or sorted(libraries) if name in libraries}
    if len(set(used.values())) > 1:
        message = f"{workload.name} runs on {and_list(f'{name} ({library})' for name, library in used.items())}"
        related = tuple(Related(f"the GPUs of {name}", ("hosts", name, "server")) for name in used)
        yield Finding(message, WORKLOAD, hint=f"add hosts: [{next(iter(used))}] to the workload", related=related)


@rule(
    "FG-EXP-007",
    "Workload needs more than a tier offers",
    why="Steps take longer than they may: already the average is more than the links carry, whatever routing does.",
    fix="Add links or switches, lower the oversubscription, or allow the step more time.",
    source="Patarasuk and Yuan, JPDC 2009 (rings); Shoeybi et al., Megatron-LM, 2019; Rajbhandari et al., ZeRO, "
    "SC 2020; Lepikhin et al., GShard, 2020",
    waivable=True,
)
def check_demand(view: PlanView) -> Iterator[Finding]:
    """Every tier carries the job's average, with the share of a link's rate that traffic can fill."""
    workload = view.plan.workload
    found = analyze_demand(view.plan, *view.plan.jobs) if workload else None
    if workload is None or found is None:
        return
    names, verb = and_list(job.name for job in view.plan.jobs), "needs" if len(view.plan.jobs) == 1 else "need"
    for demand in found.links:
        if demand.is_short:
            shortest = demand.shortest_step_s(workload)
            key = "speed" if demand.tier < 0 else "per_pair"
            yield Finding(
                f"{names} {verb} {demand.needed_gbps:.1f} Gb/s at {demand.place} on {demand.link}, the average "
                f"over {workload.step_s:g} s; {demand.use.percent} % of {demand.offered_gbps} Gb/s are "
                f"{demand.carried_gbps:.1f} ({demand.use.arithmetic})",
                ("links", demand.link, key),
                hint=f"set step.seconds of the workload to {shortest:.3g}" if shortest else "bring its links back",
                related=(Related("the workload", WORKLOAD), *_offered_by(view, demand)),
            )


def _offered_by(view: PlanView, demand: LinkDemand) -> tuple[Related, ...]:
    """Keys behind what is offered at a place, and behind how the job is spread over hosts and units."""
    factors, number = view.factors(), max(demand.tier, 0)
    speeds = [path for path in factors.speeds(number) if path[1] == demand.link]
    links = factors.ports_up(number) if demand.tier >= 0 else []
    hosts: list[IntentPath] = [("hosts", name, "server") for name in view.intent.hosts]
    return takes_part(view.intent, (*speeds, *links, *(hosts if demand.tier < 0 else factors.ports_down(number))))


def _hosts_out(view: PlanView) -> Iterator[tuple[str, str, IntentPath]]:
    """Hosts that exceptions take out, with the state and its place."""
    for item, path in view.intent.placed_exceptions:
        if item.host and item.state:
            yield item.host, item.state, (*path, "state")


@rule(
    "FG-EXP-009",
    "Backup NIC is short for two",
    severity=Severity.WARNING,
    why="A connection that moves to the NIC beside its own meets that NIC's traffic; the job survives and slows down.",
    fix="Use faster host links, or accept that steps take longer while a NIC is out.",
    source="sii-research/VCCL af1ca510, src/transport/net_ib.cc: the backup device is the number XOR 1",
)
def check_backup(view: PlanView) -> Iterator[Finding]:
    """Require NICs with capacity for a neighbour's traffic beside their own where backup queue pairs run."""
    workload = view.plan.workload
    if workload is None or not view.plan.collectives.fault_tolerance:
        return
    with_backup = {group.link.name for group in view.plan.hosts if group.library == "vccl"}
    found = analyze_demand(view.plan, workload) if with_backup else None
    short = [both for both, _ in (backup_demands(found) if found else ()) if both.link in with_backup and both.is_short]
    for link in sorted({demand.link for demand in short}):
        worst = max((demand for demand in short if demand.link == link), key=lambda demand: demand.needed_gbps)
        message = (
            f"rail {worst.rail} would carry {worst.needed_gbps:.1f} Gb/s with that of rail {worst.rail ^ 1}; "
            f"{worst.use.percent} % of {worst.offered_gbps} Gb/s are {worst.carried_gbps:.1f}"
        )
        related = (Related("backup queue pairs", ("collectives", "fault_tolerance")), Related("the workload", WORKLOAD))
        yield Finding(message, ("links", link, "speed"), related=related)


@rule(
    "FG-EXP-015",
    "Job needs more memory than its GPUs have",
    severity=Severity.WARNING,
    why="The job runs out of memory before its first step, whatever the fabric carries. The figure is the least "
    "that Adam in mixed precision needs: replicas share the optimizer's state, and of activations only the inputs of "
    "layers are kept.",
    fix="Raise tensor, pipeline or expert in the workload, or set sharded; ignore it if state is moved to the hosts.",
    source="Rajbhandari et al., ZeRO, SC 2020, section 3.1; Korthikanti et al., Reducing Activation Recomputation in "
    "Large Transformer Models, MLSys 2023, section 4; the server's file in the catalog",
)
def check_gpu_memory(view: PlanView) -> Iterator[Finding]:
    """Each GPU holds its share of parameters, gradients, optimizer state and activations."""
    for number, job in enumerate(view.plan.jobs):
        names = {view.plan.hosts[gpu.host.group].server for gpu in gpus_of_job(view.plan, job)[: job.ranks]}
        servers = [view.catalog.servers[name] for name in names if name in view.catalog.servers]
        known = [server for server in servers if server.gpu_memory_gbytes]
        if job.training is None or not known:
            continue
        server = min(known, key=lambda each: (each.gpu_memory_gbytes, each.id))
        least = least_memory(share_of(job, job.training))
        if least.total > server.gpu_memory_gbytes * 1e9:
            parts = " + ".join(f"{each / 1e9:.1f}" for each in least)
            path: IntentPath = ("workload",) if number else ("workload", "parallelism")
            yield Finding(
                f"{job.name} needs {least.total / 1e9:.1f} GB of each GPU (parameters and gradients, optimizer, "
                f"activations: {parts}); a GPU of {server.id} has {server.gpu_memory_gbytes} GB",
                path,
                hint="raise tensor, pipeline or expert of the workload, or set sharded: true",
                related=(Related("memory of a GPU", record=("servers", server.id, "gpu_memory_gbytes")),),
            )


def share_of(job: Workload, training: Training) -> Share:
    """Return the share of a GPU in a job; stages and tensor ranks are taken to have equal parts."""
    parts, replicas = job.tensor * job.pipeline, job.data * job.context
    batches = training.sequences / training.steps / job.data
    held = training.layers / job.pipeline * min(job.pipeline, max(1.0, batches))
    tokens = training.tokens / training.sequences / job.context
    return Share(
        dense=(training.parameters - training.expert_parameters) / parts,
        experts=training.expert_parameters / parts / job.expert,
        replicas=replicas,
        expert_replicas=max(1, replicas // job.expert),
        sharded=training.sharded,
        value_bytes=training.value_bytes,
        activations=held * tokens * training.hidden / job.tensor,
    )


@rule(
    "FG-EXP-014",
    "Tensor group wider than its NVLink domain",
    severity=Severity.WARNING,
    why="Tensor parallelism reduces the activations of every layer and waits for it. Between NVLink domains that takes "
    "the NICs, whose rate is a small part of NVLink's.",
    fix="Keep tensor groups in a domain: lower parallelism.tensor for pipeline or data, or name tensor first in order.",
    source="Shoeybi et al., Megatron-LM, 2019, section 3; Narayanan et al., Megatron-LM, SC 2021, section 3.2",
)
def check_tensor_groups(view: PlanView) -> Iterator[Finding]:
    """Tensor groups stay within NVLink domains; those that do not have their cost in the message."""
    for number, job in enumerate(view.plan.jobs):
        gpus = gpus_of_job(view.plan, job)
        if job.tensor == 1 or job.ranks > len(gpus):
            continue
        domains = max(len({gpus[rank].domain for rank in ranks}) for ranks in list_groups(job, "tensor"))
        if domains > 1:
            width = max(Counter(gpu.domain for gpu in gpus).values())
            path: IntentPath = ("workload",) if number else ("workload", "parallelism", "tensor")
            spread = f"its groups are in up to {domains} NVLink domains of {width} GPUs"
            yield Finding(
                f"{job.name} has tensor {job.tensor}; {spread}: {_cost(view, job, gpus)}",
                path,
                hint="name tensor first in parallelism.order of the workload"
                if job.tensor <= width
                else f"set parallelism.tensor of the workload to {width} or less",
            )


def _cost(view: PlanView, job: Workload, gpus: Sequence[Gpu]) -> str:
    """Return the bytes of a step that tensor groups send between domains, and their time over NICs and over NVLink."""
    plan, servers = view.plan, {server.id: server for server in view.catalog.servers.values()}
    found = analyze_demand(plan, job)
    sent = [sum(each.turning_bytes) for each in found.traffic if each.message.over == "tensor"] if found else []
    nics = dict.fromkeys((gpu.host, gpu.rail) for gpu in gpus[: job.ranks])
    groups = (plan.hosts[host.group] for host, _ in nics)
    rate_gbps = sum(group.nic_ports * group.link.speed_gbps for group in groups)
    seconds = transfer_s(sum(sent), rate_gbps)
    over = f"{decimal_unit(sum(sent))} of a step cross the fabric, {seconds:.3g} s at the full rate of its NICs"
    used = (servers.get(plan.hosts[gpu.host.group].server) for gpu in gpus[: job.ranks])
    rates = [server.nvlink_gbytes_s if server else 0 for server in used]
    if not all(rates):
        return over
    inside = transfer_s(sum(sent), sum(rates) * NVLINK_GBPS_EACH_WAY)
    return f"{over}; NVLink would take {inside:.3g} s for them"
