"""Rules on the collective library: whose GPUs it runs on, and what its connections can fall back to."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analysis.timing import worst_failover
from fabricgen.checks.model import Finding, IntentView, PlanView, rule
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import Fix, KeyChange, Related, Severity
from fabricgen.diagnostics.words import or_list
from fabricgen.physics.timers import TIMER_MARGIN, retry_budget_s
from fabricgen.plan.model.topology import HostGroup
from fabricgen.plan.planner.hosts import LIBRARIES_BY_VENDOR

LIBRARY = ("collectives", "library")
FAULT_TOLERANCE = ("collectives", "fault_tolerance")
VENDOR_NAMES = {"amd": "AMD", "nvidia": "NVIDIA"}
BACKUP_EXPONENT, BACKUP_RETRIES = 18, 7
"""Time that VCCL waits before it moves to the backup queue pair by default, sii-research/VCCL net_ib.cc."""


@rule(
    "FG-HST-005",
    "Collective library does not run on these GPUs",
    why="NCCL and VCCL call CUDA, RCCL calls HIP: the job would not start, and its settings would have no effect.",
    fix="Leave library out, which takes each vendor's own, or name one that runs on every server with GPUs.",
    source="NVIDIA/nccl; sii-research/VCCL README (built on NCCL 2.26.6); ROCm/rocm-systems projects/rccl",
)
def check_vendor(view: IntentView) -> Iterator[Finding]:
    """The library that the intent names runs on the GPUs of every group."""
    library = view.intent.collectives.library
    for name, group in sorted(view.intent.hosts.items()):
        server = view.catalog.servers.get(group.server)
        allowed = LIBRARIES_BY_VENDOR.get(server.gpu_vendor, ()) if server else ()
        if library and server and allowed and library not in allowed:
            vendor = VENDOR_NAMES[server.gpu_vendor]
            yield Finding(
                f"library is {library}; the {vendor} GPUs of {server.id} in group {name!r} run {or_list(allowed)}",
                LIBRARY,
                hint=f"use {allowed[0]}, or leave library out",
                value=allowed[0],
                related=(Related(f"the {vendor} GPUs", host_path(view, name, "server")),),
            )


@rule(
    "FG-HST-006",
    "No NIC to fail over to",
    why="The library would be configured to survive a failed NIC, and the job would still end with it.",
    fix="Give each NIC several ports that hosts see as separate devices, use VCCL on servers with an even number of "
    "NICs, or remove fault_tolerance.",
    source="NVIDIA/nccl 5067397c, src/transport/net_ib/p2p_resiliency.cc: a connection moves to another device of the "
    "same (merged) NIC; sii-research/VCCL af1ca510, src/transport/net_ib.cc: the backup device is the number XOR 1; "
    "src/graph/topo.cc: ports of a NIC are one device",
)
def check_failover(view: PlanView) -> Iterator[Finding]:
    """Require a second device for each connection where fault tolerance is configured."""
    for group in view.plan.hosts if view.plan.collectives.fault_tolerance else ():
        lacking = _lacking(group)
        if lacking:
            yield Finding(
                f"{lacking[0]} of group {group.name!r}",
                FAULT_TOLERANCE,
                hint=f"{'use library: vccl, or ' if group.library == 'nccl' else ''}remove fault_tolerance",
                value=None,
                related=(Related(lacking[1], host_path(view, group.name, lacking[2])),),
            )


def _lacking(group: HostGroup) -> tuple[str, str, str] | None:
    """Return what a group lacks for its library to fail over, what that follows from, and the key that says so."""
    devices = 1 if group.bond or group.spread else group.nic_ports
    if group.library == "vccl" and len(group.rails) % 2:
        shown = f"vccl pairs NICs 0 and 1, 2 and 3, …; there are {len(group.rails)} on the hosts"
        return shown, "the NICs of a host", "server"
    if group.library in ("nccl", "rccl") and devices == 1:
        shown = f"{group.library} fails over to another port of the same NIC; each NIC is one RDMA device on the hosts"
        return shown, "the NIC", "nic"
    return None


@rule(
    "FG-HST-007",
    "Backup queue pairs take over late",
    severity=Severity.WARNING,
    why="A connection moves to its backup only once all retries of the first queue pair are used up; the job stands "
    "still until then.",
    fix="Lower timeout_exponent as far as the fabric's own failover allows.",
    source="sii-research/VCCL af1ca510, src/transport/net_ib.cc: exponent 18 and 7 retries by default",
)
def check_takeover(view: PlanView) -> Iterator[Finding]:
    """With backup queue pairs, retries end as soon as VCCL's own do, unless routing needs longer to heal."""
    c = view.plan.collectives
    if not c.fault_tolerance or not any(group.library == "vccl" for group in view.plan.hosts):
        return
    enough = retry_budget_s(BACKUP_EXPONENT, BACKUP_RETRIES)
    worst = worst_failover(view.plan)
    budget = retry_budget_s(c.timeout_exponent, c.retry_count)
    if budget <= enough or (worst is not None and enough < TIMER_MARGIN * worst.seconds):
        return
    yield Finding(
        f"the backup takes over after {budget:.1f} s of retries; {enough:.1f} s are enough for this fabric",
        ("collectives", "timeout_exponent"),
        hint=f"use timeout_exponent: {BACKUP_EXPONENT} and retry_count: {BACKUP_RETRIES}",
        fixes=(
            Fix(
                (
                    KeyChange(("collectives", "timeout_exponent"), BACKUP_EXPONENT),
                    KeyChange(("collectives", "retry_count"), BACKUP_RETRIES),
                )
            ),
        ),
        related=(Related("backup queue pairs", FAULT_TOLERANCE),),
    )
