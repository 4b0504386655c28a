"""Rules that hold the timers of different layers against each other."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analysis.timing import legal_pause, worst_failover
from fabricgen.checks.model import Finding, IntentView, Needs, PlanView, rule
from fabricgen.diagnostics import Related, Severity
from fabricgen.physics.timers import retry_budget_s, retry_margin

TIMER_MARGIN = 2.0
"""A retry budget below twice the failover leaves nothing for route withdrawal and reprogramming."""
WATCHDOG = ("lossless", "watchdog")


@rule(
    "FG-RTE-017",
    "Retries run out before a failure is healed",
    needs=Needs.PLAN,
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
        related=(Related("retries", ("collectives", "retry_count")), Related("bfd", ("routing", "bfd"))),
    )


@rule(
    "FG-QOS-019",
    "Watchdog shorter than a legal pause",
    needs=Needs.PLAN,
    why="Queues that are merely full would be declared stuck, and the lossless traffic in them dropped.",
    fix="Raise detection_ms above the longest pause of a healthy fabric.",
    source="IEEE 802.1Qbb-2011 clause 36; arithmetic in fabricgen/physics/watchdog.py",
)
def check_legal_pause(view: PlanView) -> Iterator[Finding]:
    """The watchdog waits longer than full buffers take to drain."""
    pause = legal_pause(view.plan) if view.plan.contract.lossless else None
    detection = min(view.plan.watchdog.on(tier.watchdog).detection_ms for tier in view.plan.tiers)
    if pause is not None and detection <= pause.milliseconds:
        models = [Related(f"the buffer of {tier.name}", ("tiers", tier.name, "model")) for tier in view.plan.tiers]
        speeds = [Related(f"the speed of {link.name}", ("links", link.name, "speed")) for link in view.plan.links]
        yield Finding(
            f"detection_ms is {detection}; a healthy fabric may pause for {pause.milliseconds:.1f} ms "
            f"({pause.derivation})",
            (*WATCHDOG, "detection_ms"),
            hint=f"use {-(-int(pause.milliseconds + 1) // 100) * 100} or more",
            related=(*models, *speeds),
        )


@rule(
    "FG-QOS-051",
    "Watchdog faster than the platform looks",
    needs=Needs.INTENT,
    why="The platform refuses the value, or looks more rarely than the intent says.",
    fix="Use at least the platform's shortest time.",
    source="sonic-net/sonic-buildimage sonic-pfcwd.yang; the platform's NOTES.md",
)
def check_watchdog_floor(view: IntentView) -> Iterator[Finding]:
    """Watchdog times are not below what every platform of the fabric can do."""
    for name in ("detection_ms", "restoration_ms"):
        value = getattr(view.intent.lossless.watchdog, name)
        for tier_name, tier in sorted(view.intent.tiers.items()):
            spec = view.platforms.get(tier.platform)
            floor = spec.capabilities.get("pfc_watchdog_min_ms", 0) if spec else 0
            if value is not None and isinstance(floor, int) and value < floor:
                yield Finding(
                    f"{name} is {value}; {tier.platform} takes {floor} or more",
                    (*WATCHDOG, name),
                    hint=f"use {floor} or more",
                    related=(Related("the platform", ("tiers", tier_name, "platform")),),
                )
                break


@rule(
    "FG-QOS-070",
    "Watchdog faster than the switch polls so many ports",
    needs=Needs.PLAN,
    severity=Severity.WARNING,
    why="One process polls all ports one after the other. The poll interval is never longer than a time that is stated "
    "here; where it is shorter than the system chooses for so many ports, a poll may not end in time.",
    fix="Leave the time out, which then follows the ports, or waive this once a full switch keeps up.",
    source="sonic-net/sonic-utilities pfcwd/main.py: 200 ms for every 32 ports begun, 1000 ms at most",
)
def check_watchdog_ports(view: PlanView) -> Iterator[Finding]:
    """Stated times leave a poll of all ports the interval that the system would choose."""
    if not view.plan.contract.lossless:
        return
    for name in ("detection_ms", "restoration_ms"):
        value = getattr(view.plan.watchdog, name)
        for tier in view.plan.tiers:
            ports, poll_ms = tier.watchdog.ports, tier.watchdog.poll_ms
            if ports and 0 < value < poll_ms:
                yield Finding(
                    f"{name} is {value}; {tier.platform} polls the {ports} ports of {tier.name} "
                    f"every {poll_ms} ms by itself",
                    (*WATCHDOG, name),
                    hint=f"use {poll_ms} or more, or leave it out",
                    related=(Related("the model", ("tiers", tier.name, "model")),),
                )
                break
