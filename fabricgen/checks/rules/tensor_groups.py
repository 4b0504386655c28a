"""Rule that holds tensor parallelism against the NVLink domains of the hosts that a job runs on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from fabricgen.analysis.demand import analyze_demand
from fabricgen.analysis.placement import Gpu, gpus_of_job, list_groups
from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.diagnostics import IntentPath, Severity
from fabricgen.physics.published_traffic import decimal_unit, transfer_s
from fabricgen.physics.traffic import NVLINK_GBPS_EACH_WAY
from fabricgen.plan.model.workload import Workload


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
