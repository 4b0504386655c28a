"""Rules on the collective library: its GPUs, its queue pairs and where they fail over to, and its files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from fabricgen.analysis.timing import worst_failover
from fabricgen.checks.model import Finding, IntentView, PlanView, further, rule
from fabricgen.checks.rules.balancing import tier_key
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import and_list, counted, or_list
from fabricgen.physics.ecmp import max_over_mean
from fabricgen.physics.timers import TIMER_MARGIN, retry_budget_s
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.topology import HostGroup
from fabricgen.plan.planner.hosts import LIBRARIES_BY_VENDOR
from fabricgen.plan.planner.shape import attachment_of, attachment_path

LIBRARY = ("collectives", "library")
FAULT_TOLERANCE, SM_FREE = ("collectives", "fault_tolerance"), ("collectives", "sm_free")
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
            message = f"library is {library}; the {vendor} GPUs of {server.id} in group {name!r} run {or_list(allowed)}"
            related = (Related(f"the {vendor} GPUs", host_path(view, name, "server")),)
            yield Finding(message, LIBRARY, hint=f"use {allowed[0]}, or leave library out", related=related)


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
            hint = f"{'use library: vccl, or ' if group.library == 'nccl' else ''}remove fault_tolerance"
            related = (Related(lacking[1], host_path(view, group.name, lacking[2])),)
            yield Finding(f"{lacking[0]} of group {group.name!r}", FAULT_TOLERANCE, hint=hint, related=related)


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
    vccl = {"timeout_exponent": BACKUP_EXPONENT, "retry_count": BACKUP_RETRIES}
    enough = retry_budget_s(*vccl.values())
    worst = worst_failover(view.plan)
    budget = retry_budget_s(c.timeout_exponent, c.retry_count)
    if budget <= enough or (worst is not None and enough < TIMER_MARGIN * worst.seconds):
        return
    message = f"the backup takes over after {budget:.1f} s of retries; {enough:.1f} s are enough for this fabric"
    path = ("collectives", "timeout_exponent")
    hint = f"use {and_list(f'{key}: {value}' for key, value in vccl.items())}"
    yield Finding(message, path, hint=hint, related=(Related("backup queue pairs", FAULT_TOLERANCE),))


@rule(
    "FG-HST-009",
    "VCCL connects rails that do not meet",
    why="VCCL numbers the NICs whose link is up when a job starts. Where one is down the pairs of that host shift, and "
    "a backup queue pair connects rail 0 of one host with rail 7 of another. In SM-free mode each GPU sends by its own "
    "NIC to that of any other. A NIC cannot resolve an address that it has no way to, and the job does not start.",
    fix="Add a tier that joins the rails, or remove the feature; waive it if jobs start only on hosts whose NICs are "
    "all up.",
    source="sii-research/VCCL af1ca510, src/transport/net_ib.cc: ports that are not active are left out, the backup "
    "device is the number XOR 1 at both ends; vccl-doc.readthedocs.io, features/sm-free-overlap: NCCL_PXN_DISABLE=1",
    waivable=True,
)
def check_rails_meet(view: PlanView) -> Iterator[Finding]:
    """Rails meet where the library connects NICs of different rails."""
    plan = view.plan
    asked = [FAULT_TOLERANCE] * plan.collectives.fault_tolerance + [SM_FREE] * plan.collectives.sm_free
    apart = [group for group in _with_vccl(plan) if len(group.rails) > group.rails_per_leaf]
    if not asked or not apart or any(link.pattern != "stripe_rail" for link in plan.links[1:]):
        return
    paths: list[IntentPath] = [("links", link.name, "pattern") for link in plan.links[1:]]
    for path in asked:
        yield Finding(
            f"{path[-1]} of vccl needs a way between any two rails; "
            + ("stripe: rail keeps them apart" if paths else f"no tier joins the {plan.tiers[0].name}s"),
            path,
            hint=f"remove {path[-1]}",
            related=tuple(Related("the stripe", each) for each in paths) or (Related("the tiers", ("tiers",)),),
        )


@rule(
    "FG-HST-011",
    "Backup NIC behind the same leaf",
    severity=Severity.WARNING,
    why="The backup queue pair survives a NIC, a cable or a port. A leaf that fails takes both NICs of the pair, and "
    "the job with them.",
    fix="Give neighbouring rails different leafs, or let each NIC meet a pair of leafs.",
    source="sii-research/VCCL af1ca510, src/transport/net_ib.cc: the backup device is the number XOR 1; Qian et al., "
    "Alibaba HPN, SIGCOMM 2024, section 4.2 (one leaf as a single point of failure)",
)
def check_backup_leaf(view: PlanView) -> Iterator[Finding]:
    """NICs 0 and 1, 2 and 3 and so on meet different leafs, unless their bonds outlive a leaf."""
    plan = view.plan
    for group in _with_vccl(plan) if plan.collectives.fault_tolerance else ():
        bond_survives = group.bond and group.leafs_per_group * plan.tiers[0].counts.plane > 1
        shared = [rail for rail in range(0, len(group.rails) - 1, 2) if _leafs(group, rail) == _leafs(group, rail + 1)]
        if shared and not group.spread and not bond_survives:
            yield _of_one_leaf(view, group.name, shared)


def _of_one_leaf(view: PlanView, name: str, shared: list[int]) -> Finding:
    """Return the finding about pairs of rails, by the first of each, that meet the same leaf."""
    others = f" and {counted(len(shared) - 1, 'more pair')}" if len(shared) > 1 else ""
    path = attachment_path(view.intent, name)
    by_host = attachment_of(view.intent, name).group == "host"
    return Finding(
        f"rails {shared[0]} and {shared[0] + 1} of group {name!r}{others} meet the same leaf and back each other up",
        FAULT_TOLERANCE,
        hint="remove group: host of the attachment, so that each rail has a leaf of its own"
        if by_host
        else "use rails_per_leaf: 1",
        related=(
            Related("one leaf has all rails of a host", (*path, "group"))
            if by_host
            else Related("rails per leaf", (*path, "rails_per_leaf")),
        ),
    )


def _with_vccl(plan: FabricPlan) -> list[HostGroup]:
    return [group for group in plan.hosts if group.library == "vccl"]


def _leafs(group: HostGroup, rail: int) -> int:
    """Return the number of the leafs that a rail meets, among those of its unit."""
    return rail // group.rails_per_leaf


@further("FG-HST-013")
def check_sm_free_library(view: PlanView) -> Iterator[Finding]:
    """Every group with GPUs runs VCCL where SM-free mode is asked for."""
    others = [group for group in view.plan.hosts if group.library not in ("", "vccl")]
    if view.plan.collectives.sm_free and others:
        named = and_list([f"{group.name} runs {group.library}" for group in others])
        nvidia = all(group.library == "nccl" for group in others)
        message = f"only vccl has sm_free; {named}"
        hint = f"{'use library: vccl, or ' if nvidia else ''}remove sm_free"
        yield Finding(message, SM_FREE, hint=hint, related=(Related("the library", ("collectives", "library")),))


@rule(
    "FG-HST-013",
    "SM-free mode that the library or another setting excludes",
    why="Only VCCL has the mode; other libraries would run as without it. It has neither backup queue pairs nor "
    "telemetry: a failed NIC ends the job, and what GPUs send to each other is not measured.",
    fix="Use VCCL without fault_tolerance and telemetry, or remove sm_free.",
    source="sii-research/VCCL af1ca510, README.md, introduction (SM-Free supports neither); vccl-doc.readthedocs.io, "
    "features/sm-free-overlap: NCCL_ENABLE_FAULT_TOLERANCE=0",
)
def check_sm_free_alone(view: IntentView) -> Iterator[Finding]:
    """SM-free mode, fault tolerance and telemetry are not asked for together."""
    c = view.intent.collectives
    for key in [name for name in ("fault_tolerance", "telemetry") if c.sm_free and getattr(c, name)]:
        message = f"the SM-free mode of vccl supports no {key.replace('_', ' ')}"
        hint = f"use {key}: false, or remove sm_free"
        yield Finding(message, ("collectives", key), hint=hint, related=(Related("SM-free mode", SM_FREE),))


_RAIL = re.compile(r"rail\d+([p.].*)?")
_LOCAL = re.compile(r"lo|docker\d*|virbr\d.*")
_SOCKET = "NVIDIA/nccl, src/misc/socket.cc"


@rule(
    "FG-HST-050",
    "Bootstrap interface that is a rail",
    severity=Severity.WARNING,
    why="Ranks meet by TCP over this interface of every host. Over a rail that traffic shares links with RDMA in "
    "another class, and one dead NIC or leaf keeps jobs from starting that the other rails could carry.",
    fix="Name the management interface, or leave socket_interface out: any but rails, bridges and the loopback.",
    source=f"{_SOCKET}; NCCL user guide, NCCL_SOCKET_IFNAME",
)
def check_no_rail(view: IntentView) -> Iterator[Finding]:
    """Bootstrap does not run over a rail."""
    groups = sorted(view.intent.hosts)
    rails = [Related(f"the rails of {group}", host_path(view, group, "server")) for group in groups]
    yield from _unfit(view, _RAIL, "a rail", rails)


@rule(
    "FG-HST-051",
    "Bootstrap interface that reaches no other host",
    why="Each rank would announce an address of its own machine, and no job with ranks on two hosts would start.",
    fix="Name the management interface, or leave socket_interface out.",
    source=_SOCKET,
)
def check_leaves_host(view: IntentView) -> Iterator[Finding]:
    """Bootstrap does not run over a loopback or a bridge inside the host."""
    yield from _unfit(view, _LOCAL, "which ends inside the host")


def _unfit(view: IntentView, form: re.Pattern[str], reason: str, related: Iterable[Related] = ()) -> Iterator[Finding]:
    name = view.intent.collectives.socket_interface or ""
    if form.fullmatch(name):
        hint = "name the management interface, for example socket_interface: eno1, or remove the key"
        path = ("collectives", "socket_interface")
        yield Finding(f"socket_interface is {name}, {reason}", path, hint=hint, related=tuple(related))


QUEUE_PAIRS_ENOUGH = 4
"""Queue pairs of a connection from which on more of them even out little."""


@rule(
    "FG-HST-053",
    "Few queue pairs per connection over many equal paths",
    severity=Severity.WARNING,
    why="A queue pair is one flow, and a static hash keeps a flow on one uplink. With one flow per NIC some uplinks "
    "get three or four of them and others none, and a collective is as slow as its slowest flow.",
    fix="Raise qps_per_connection, or let the leafs spray packets where NICs take them out of order.",
    source="Gangidi et al., RDMA over Ethernet for Distributed AI Training at Meta Scale, SIGCOMM 2024, section 5 "
    "(queue pair scaling); NVIDIA/nccl, NCCL_IB_QPS_PER_CONNECTION",
)
def check_queue_pairs(view: PlanView) -> Iterator[Finding]:
    """Require several queue pairs for each connection where leafs hash statically over several uplinks."""
    plan, leaf = view.plan, view.plan.tiers[0]
    pairs, enough = plan.collectives.qps_per_connection, QUEUE_PAIRS_ENOUGH
    if pairs >= enough or not leaf.up or leaf.routing.load_balancing != "static":
        return
    link, senders = plan.links[1], _senders(plan)
    paths = link.width * link.per_pair
    if paths < 2 or not senders:
        return
    path = ("collectives", "qps_per_connection")
    yield Finding(
        f"{counted(pairs, 'queue pair')} per connection, {paths} uplinks of a leaf: with {senders} NIC ports sending, "
        f"the busiest uplink carries {max_over_mean(pairs * senders, paths):.1f} times the mean; {enough} queue pairs "
        f"make that {max_over_mean(enough * senders, paths):.1f}",
        path,
        hint=f"use qps_per_connection: {enough} or more",
        related=(
            Related("the uplinks", ("links", link.name, "per_pair")),
            Related("the balancing", tier_key(view, leaf.name, "load_balancing")),
        ),
    )


def _senders(plan: FabricPlan) -> int:
    """NIC ports of hosts with GPUs at the leaf that has the most of them."""
    counts = plan.tiers[0].counts
    return max(
        sum(
            group.per_unit * len(group.rails_on(number)) * group.ports_per_leaf
            for group in plan.hosts
            if group.library and group.in_unit(unit)
        )
        for unit in range(counts.unit)
        for number in range(counts.group)
    )


PATH = ("collectives", "telemetry_path")
_SYSTEM = ("bin", "boot", "dev", "etc", "lib", "lib64", "proc", "root", "run", "sbin", "sys", "usr")
_SHARED = ("/var/log", "/var/lib", "/var/cache", "/var/spool", "/var/tmp", "/var/run")  # noqa: S108 - names to refuse


@rule(
    "FG-HST-058",
    "Telemetry folder that belongs to the system",
    why="systemd makes the folder writable by everybody at every boot. A folder of the system would be opened to every "
    "job, and write access to /etc is root access.",
    fix="Name a folder of its own, such as the default /var/log/collectives.",
    source="systemd, tmpfiles.d(5): d sets mode and owner of a folder that exists; Filesystem Hierarchy Standard 3.0",
)
def check_own_folder(view: IntentView) -> Iterator[Finding]:
    """Telemetry goes to a folder of its own."""
    collectives = view.intent.collectives
    path = collectives.telemetry_path
    top = path.split("/")[1]
    if collectives.telemetry and (top in _SYSTEM or path.count("/") == 1 or path in _SHARED):
        message = f"every job could write to {path}"
        related = (Related("telemetry", ("collectives", "telemetry")),)
        yield Finding(message, PATH, hint="use a folder of its own, such as /var/log/collectives", related=related)
