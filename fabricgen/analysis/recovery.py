"""Time from a failure until traffic goes around it, by kind of failure."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from fabricgen.analysis.timing import list_detections
from fabricgen.physics.timers import LACP_SHORT_S, RECEIVER_STALL_S, RESTART_S, failover_s, retry_budget_s
from fabricgen.plan.model.fabric import FabricPlan

QUEUE_PAIR = "queue pair"
"""Name of what notices a dead NIC port: the queue pair whose retries are used up."""


class FailureKind(Enum):
    """Failures that differ in what reports them, and when."""

    LINK_DOWN = "link down, seen by both ends"
    LINK_SILENT = "link silent, up at both ends"
    SWITCH_DEAD = "switch dead, its ports dark"
    SWITCH_STUCK = "switch stuck, its ports up"
    NIC_PORT_DEAD = "NIC port dead"
    DAEMON_RESTART = "routing daemon restarts"


class Recovery(NamedTuple):
    """Recovery from one kind of failure.

    Attributes:
        scope: Link group, host group or tier.
        noticed_by: Signal or timer that reports it.
        noticed_ms: After how long; what a PHY takes to report a lost signal is not published and counts as 0.
        healed_ms: After how long the last switch has stopped using what failed; None where nothing in the fabric heals
            it.
        budget_ms: After how long a queue pair gives up.
    """

    kind: FailureKind
    scope: str
    noticed_by: str
    noticed_ms: float
    healed_ms: float | None
    budget_ms: float

    @property
    def margin(self) -> float | None:
        """Return how many times the recovery fits into the retry budget.

        None where nothing heals, or at once, or where it begins with the end of that budget.
        """
        return self.budget_ms / self.healed_ms if self.healed_ms and self.noticed_by != QUEUE_PAIR else None


def list_recoveries(plan: FabricPlan, *, graceful: bool) -> list[Recovery]:
    """Return the recovery from every kind of failure, on each group of links or hosts that it concerns.

    Reprogramming of forwarding tables is left to the margin, as in `worst_failover`.

    Args:
        plan: The plan.
        graceful: The leafs restart their routing gracefully.
    """
    budget_ms = retry_budget_s(plan.collectives.timeout_exponent, plan.collectives.retry_count) * 1000
    found = [*_of_links(plan, budget_ms), *_of_hosts(plan, budget_ms), *_of_daemons(plan, budget_ms, graceful)]
    order = list(FailureKind)
    return sorted(found, key=lambda each: order.index(each.kind))


def _of_links(plan: FabricPlan, budget_ms: float) -> Iterator[Recovery]:
    hops = 2 * (len(plan.tiers) - 1)
    for each in list_detections(plan):
        silent = "BFD" if each.bfd else "BGP hold timer"
        for kind, by, seconds in (
            (FailureKind.LINK_DOWN, "loss of signal", 0.0),
            (FailureKind.SWITCH_DEAD, "loss of signal", 0.0),
            (FailureKind.LINK_SILENT, silent, each.seconds),
            (FailureKind.SWITCH_STUCK, silent, each.seconds),
        ):
            yield Recovery(kind, each.link, by, seconds * 1000, failover_s(seconds, hops) * 1000, budget_ms)


def _of_hosts(plan: FabricPlan, budget_ms: float) -> Iterator[Recovery]:
    """A NIC port: a bond goes on over its other leg; a library that fails over does so once retries are used up.

    VCCL's receiver learns of a path that fails towards it alone only by asking again, which has retries of its own.

    Source:
        ICCL paper (sii-research/VCCL af1ca510, asset/VCCL.pdf), section 3.3, case 2.
    """
    for group in plan.hosts:
        kind = FailureKind.NIC_PORT_DEAD
        if group.bond:
            ms = LACP_SHORT_S * 1000
            yield Recovery(kind, group.name, "loss of signal, or LACP", ms, ms, budget_ms)
        else:
            latest = budget_ms + (RECEIVER_STALL_S * 1000 if group.library == "vccl" else 0)
            healed = latest if plan.collectives.fault_tolerance else None
            yield Recovery(kind, group.name, QUEUE_PAIR, budget_ms, healed, budget_ms)


def _of_daemons(plan: FabricPlan, budget_ms: float, graceful: bool) -> Iterator[Recovery]:
    """A routing daemon: a leaf that restarts gracefully forwards on; from another switch its neighbours turn away."""
    for tier in plan.tiers if len(plan.tiers) > 1 else ():
        kind, leaf = FailureKind.DAEMON_RESTART, not tier.number
        if leaf and graceful:
            yield Recovery(kind, tier.name, f"none, it forwards on for {RESTART_S} s", 0.0, 0.0, budget_ms)
        else:
            yield Recovery(kind, tier.name, "end of the session", 0.0, None if leaf else 0.0, budget_ms)
