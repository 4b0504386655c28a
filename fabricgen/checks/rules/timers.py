"""Rules that hold the timers of different layers against each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.analysis.timing import legal_pause, list_detections, worst_failover
from fabricgen.checks.model import Finding, IntentView, PlanView, further, rule
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import and_list
from fabricgen.physics.timers import FRAMEWORK_TIMEOUT_S, TIMER_MARGIN, retry_budget_s, retry_margin
from fabricgen.plan.model.topology import Tier

WATCHDOG = ("lossless", "watchdog")
EXPONENT, COUNT = ("collectives", "timeout_exponent"), ("collectives", "retry_count")
BFD = ("routing", "bfd")
KEEPALIVE, HOLD, ADVERTISEMENT = (("routing", "timers", f"{name}_s") for name in ("keepalive", "hold", "advertisement"))


@rule(
    "FG-RTE-017",
    "Retries run out before a failure is healed",
    why="The job dies of a link failure that routing would have healed a moment later.",
    fix="Raise timeout_exponent or retry_count, or run BFD.",
    source="InfiniBand Architecture Specification (local ACK timeout); RFC 5880; NVIDIA/nccl NCCL_IB_TIMEOUT",
    waivable=True,
)
def check_retry_budget(view: PlanView) -> Iterator[Finding]:
    """The retry budget covers the worst failover twice."""
    c = view.intent.collectives
    worst = worst_failover(view.plan)
    if worst is None or retry_margin(c.timeout_exponent, c.retry_count, worst.seconds) >= TIMER_MARGIN:
        return
    enough = next(
        (e for e in range(1, 32) if retry_margin(e, c.retry_count, worst.seconds) >= TIMER_MARGIN), c.timeout_exponent
    )
    yield Finding(
        f"a queue pair gives up after {retry_budget_s(c.timeout_exponent, c.retry_count):.2f} s; the worst failover "
        f"takes {worst.seconds:.2f} s ({worst.derivation}), which leaves less than {TIMER_MARGIN:g} times that",
        ("collectives", "timeout_exponent"),
        hint=f"use timeout_exponent: {enough}",
        related=(
            *(Related("retries", COUNT), Related("bfd", BFD), Related("hold time", HOLD)),
            Related("time between advertisements", ADVERTISEMENT),
        ),
    )


@rule(
    "FG-RTE-105",
    "BGP timers that sessions cannot keep",
    why="FRR and BGP++ replace a longer keepalive interval by a third of the hold time; elsewhere two late messages "
    "end the session. Without a hold time only BFD notices a silent neighbour.",
    fix="Use keepalive_s: auto, and a hold time wherever a session has no BFD.",
    source="RFC 4271 sections 4.2 and 10; FRRouting, bgpd/bgpd.c (peer_timers_set); nexthop-ai/BGP, FiberBgpPeer.cpp",
)
def check_bgp_timers(view: PlanView) -> Iterator[Finding]:
    """Three keepalives fit into the hold time, or BFD watches every session."""
    routing = view.intent.routing
    keepalive, most = routing.timers.keepalive, routing.timers.hold_s // 3
    if keepalive > most:
        message = f"keepalive_s is {keepalive}; expected at most {most}, a third of the hold time"
        yield Finding(message, KEEPALIVE, hint="use auto", related=(Related("hold time", HOLD),))
    unwatched = [each.link for each in list_detections(view.plan) if not each.bfd]
    if routing.hosts == "bgp" and not view.plan.tiers[0].routing.bfd_lower:
        unwatched.insert(0, view.plan.links[0].name)
    if not routing.timers.hold_s and unwatched:
        message = f"hold_s is 0, and no BFD watches sessions over {and_list(unwatched)}"
        yield Finding(message, HOLD, hint="use 3 or more", related=(Related("BFD", BFD),))


@rule(
    "FG-QOS-019",
    "Watchdog shorter than a legal pause",
    why="Queues that are merely full would be declared stuck, and the lossless traffic in them dropped.",
    fix="Raise detection_ms above the longest pause of a healthy fabric.",
    source="IEEE 802.1Qbb-2011 clause 36; arithmetic in fabricgen/physics/pause.py",
)
def check_legal_pause(view: PlanView) -> Iterator[Finding]:
    """The watchdog waits longer than full buffers take to drain."""
    pause = legal_pause(view.plan) if view.plan.contract.lossless else None
    if pause is None:
        return
    models = [Related(f"the buffer of {tier.name}", ("tiers", tier.name, "model")) for tier in view.plan.tiers]
    speeds = [Related(f"the speed of {link.name}", ("links", link.name, "speed")) for link in view.plan.links]
    for detection, path, _ in _watchdog_times(view, "detection_ms"):
        if detection <= pause.milliseconds:
            yield Finding(
                f"detection_ms is {detection}; a healthy fabric may pause for {pause.milliseconds:.1f} ms "
                f"({pause.derivation})",
                path,
                hint=f"use {-(-int(pause.milliseconds + 1) // 100) * 100} or more",
                related=(*models, *speeds),
            )


def _watchdog_times(view: PlanView, key: str) -> Iterator[tuple[int, IntentPath, Sequence[Tier]]]:
    """A time of the watchdog with its place and tiers: the fabric's, and each that an exception sets for a switch."""
    plan = view.plan
    yield getattr(plan.watchdog, key), (*WATCHDOG, key), plan.tiers
    own = {plan.device_name(device): (device, found.watchdog) for device, found in plan.exceptions.switches.items()}
    for setting in view.intent.settings:
        device, watchdog = own.get(setting.item.device or "", (None, None))
        if device and setting.leaf == (*WATCHDOG, key) and getattr(watchdog, key, None) == setting.value:
            yield getattr(watchdog, key), setting.path, (plan.tiers[device.tier],)


@further("FG-QOS-018")
def check_watchdog_ports(view: PlanView) -> Iterator[Finding]:
    """Stated times leave a poll of all ports the interval that the system would choose."""
    if not view.plan.contract.lossless:
        return
    for name in ("detection_ms", "restoration_ms"):
        for value, path, tiers in _watchdog_times(view, name):
            slowest = max(tiers, key=lambda tier: tier.clock.poll_ms if tier.clock.ports else 0)
            ports, poll_ms = slowest.clock.ports, slowest.clock.poll_ms
            if ports and value < poll_ms:
                yield Finding(
                    f"{name} is {value}; {slowest.platform} polls the {ports} ports of {slowest.name} "
                    f"every {poll_ms} ms by itself",
                    path,
                    hint=f"use {poll_ms} or more, or leave it out",
                    related=(Related("the model", ("tiers", slowest.name, "model")),),
                )


@rule(
    "FG-HST-056",
    "Retries that outlast the job, or none at all",
    severity=Severity.WARNING,
    why="A queue pair to a dead peer reports its error only after all retries. The framework gives up before: the job "
    "ends by a timeout that names no NIC, after standing still as long. The count is also that of packets out of "
    "sequence: with none, one corrupted frame ends the job.",
    fix="Lower timeout_exponent or retry_count; in place of none use retry_count: 7, the library's default.",
    source="InfiniBand architecture, volume 1, Local ACK Timeout; pytorch/pytorch pull request 110947 (10 minutes); "
    "NVIDIA WinOF-2 documentation, RDMA capabilities (ACK timeouts and NAK sequence errors count alike); NVIDIA/nccl, "
    "NCCL_IB_RETRY_CNT",
)
def check_retries_end(view: IntentView) -> Iterator[Finding]:
    """Retries end before the framework's own timeout, and there is one at least."""
    c = view.intent.collectives
    budget = retry_budget_s(c.timeout_exponent, c.retry_count)
    if budget > FRAMEWORK_TIMEOUT_S:
        fits = max(e for e in range(1, 32) if retry_budget_s(e, c.retry_count) <= FRAMEWORK_TIMEOUT_S)
        message = f"a queue pair gives up after {budget:.0f} s; PyTorch ends the collective after {FRAMEWORK_TIMEOUT_S}"
        hint = f"use timeout_exponent: {fits} or less"
        yield Finding(message, EXPONENT, hint=hint, related=(Related("the retries", COUNT),))
    if c.retry_count == 0:
        message = "retry_count is 0: the first lost packet ends the job"
        yield Finding(message, COUNT, hint="use retry_count: 7", related=(Related("the timeout", EXPONENT),))
