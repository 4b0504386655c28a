"""Rules that hold the fabric against the training job it is for."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analysis.demand import LinkDemand, analyze_demand, backup_demands
from fabricgen.analysis.placement import gpus_of_job
from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.checks.proposals import factors_of
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import and_list, counted
from fabricgen.plan.model.workload import Workload
from fabricgen.plan.planner.factors import takes_part

WORKLOAD = ("workload",)


@rule(
    "FG-EXP-006",
    "Workload has more ranks than there are GPUs",
    why="The job cannot start.",
    fix="Add hosts or units, or lower a degree of parallelism in the workload.",
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
            *takes_part(view.intent, factors_of(view.intent, view.plan).gpus()),
            *(Related(f"{name} is {state}", path) for name, state, path in _hosts_out(view)),
        ),
    )


@rule(
    "FG-EXP-008",
    "Workload on hosts that cannot work together",
    why="A job has one collective library, and every one of its ranks a GPU.",
    fix="Name host groups of the fabric whose GPUs run the same library under hosts of the workload.",
    source="docs/intent.md, workload",
)
def check_groups(view: PlanView) -> Iterator[Finding]:
    """The job's host groups exist, have GPUs and run one library."""
    workload = view.plan.workload
    if workload is None:
        return
    libraries = {group.name: group.library for group in view.plan.hosts if group.library}
    known = ", ".join(sorted(libraries)) or "none"
    for name in workload.hosts:
        if name not in libraries:
            yield Finding(
                f"{workload.name} runs on {name!r}; host groups with GPUs are {known}",
                WORKLOAD,
                hint=f"write hosts: [{known}] in the workload, or leave hosts out",
            )
    placed = dict.fromkeys(view.plan.hosts[host.group].name for host in workload.placed)
    used = {name: libraries[name] for name in placed or workload.hosts or sorted(libraries) if name in libraries}
    if len(set(used.values())) > 1:
        yield Finding(
            f"{workload.name} runs on {and_list(f'{name} ({library})' for name, library in used.items())}",
            WORKLOAD,
            hint=f"add hosts: [{next(iter(used))}] to the workload",
            related=tuple(Related(f"the GPUs of {name}", ("hosts", name, "server")) for name in used),
        )


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
    factors, number = factors_of(view.intent, view.plan), max(demand.tier, 0)
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
        yield Finding(
            f"rail {worst.rail} would carry {worst.needed_gbps:.1f} Gb/s with that of rail {worst.rail ^ 1}; "
            f"{worst.use.percent} % of {worst.offered_gbps} Gb/s are {worst.carried_gbps:.1f}",
            ("links", link, "speed"),
            related=(
                Related("backup queue pairs", ("collectives", "fault_tolerance")),
                Related("the workload", WORKLOAD),
            ),
        )
