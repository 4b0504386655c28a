"""Order of the timers of different layers: which of two has to be the longer one, and by how much it is."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from fabricgen.analysis.timing import legal_pause, list_detections, worst_failover
from fabricgen.physics.pause import noticed_within_ms
from fabricgen.physics.timers import (
    DEFER_S,
    FRAMEWORK_TIMEOUT_S,
    KEEPALIVES_PER_HOLD,
    LACP_SHORT_S,
    RESTART_S,
    TIMER_MARGIN,
    retry_budget_s,
)
from fabricgen.plan.model.fabric import FabricPlan


class TimerPair(NamedTuple):
    """Two timers of which the second has to be longer.

    Attributes:
        scope: Tier, link group or ``fabric``.
        least: How many times the first one has to fit into the second.
        code: The rule that reports it; empty where none does.
        reason: What happens otherwise.
    """

    scope: str
    shorter: str
    shorter_ms: float
    longer: str
    longer_ms: float
    least: float
    code: str
    reason: str

    @property
    def times(self) -> float | None:
        """Return how many times the first one fits into the second; None where it takes no time."""
        return self.longer_ms / self.shorter_ms if self.shorter_ms else None

    @property
    def holds(self) -> bool:
        """Return whether the second one is long enough."""
        return self.longer_ms >= self.least * self.shorter_ms


def order_timers(plan: FabricPlan, *, graceful: bool) -> list[TimerPair]:
    """Return every pair of timers whose order matters, the shortest first.

    Args:
        plan: The plan.
        graceful: The leafs restart their routing gracefully.
    """
    pairs = [*_sessions(plan, graceful=graceful), *_queue_pairs(plan), *_watchdogs(plan)]
    return sorted(pairs, key=lambda pair: (pair.shorter_ms, pair.longer_ms, pair.scope))


def _sessions(plan: FabricPlan, *, graceful: bool) -> Iterator[TimerPair]:
    """Timers of BGP and BFD against each other."""
    for tier in plan.tiers:
        r = tier.routing
        lost = "a session ends although every keepalive but one arrives"
        keepalive = ("BGP keepalive", r.keepalive_s * 1000, "BGP hold", r.hold_s * 1000)
        yield TimerPair(tier.name, *keepalive, KEEPALIVES_PER_HOLD, "", lost)
    for each, ends in zip(list_detections(plan), pairwise(plan.tiers), strict=True):
        if each.bfd:
            late = "the session ends by itself before BFD detects anything"
            hold_s = min(tier.routing.hold_s for tier in ends)
            detection = ("BFD detection", each.seconds * 1000, "BGP hold", hold_s * 1000)
            yield TimerPair(each.link, *detection, 1.0, "", late)
    if graceful:
        gone = "neighbours drop the leaf's routes before it has chosen its own"
        deferred = ("choice deferred after a restart", DEFER_S * 1000, "graceful restart", RESTART_S * 1000)
        yield TimerPair(plan.tiers[0].name, *deferred, 1.0, "", gone)


def _queue_pairs(plan: FabricPlan) -> Iterator[TimerPair]:
    """Pairs with the retry budget: timers that have to end before it, and the one after it."""
    c, worst = plan.collectives, worst_failover(plan)
    budget = ("retry budget", retry_budget_s(c.timeout_exponent, c.retry_count) * 1000)
    if worst is not None:
        dies = "the job dies of a failure that routing heals a moment later"
        failover = ("worst failover", worst.seconds * 1000)
        yield TimerPair("fabric", *failover, *budget, TIMER_MARGIN, "FG-RTE-017", dies)
    for group in plan.hosts:
        if group.bond:
            leg = "the job dies although the bond has another leg"
            yield TimerPair(group.name, "LACP detection", LACP_SHORT_S * 1000, *budget, 1.0, "", leg)
    unnamed = "the job ends by a timeout that names no NIC"
    framework = ("framework's timeout", FRAMEWORK_TIMEOUT_S * 1000.0)
    yield TimerPair("fabric", *budget, *framework, 1.0, "FG-HST-056", unnamed)


def _watchdogs(plan: FabricPlan) -> Iterator[TimerPair]:
    """Timers of the PFC watchdog against what it watches; nothing without lossless priorities."""
    if not plan.contract.lossless:
        return
    c, pause = plan.collectives, legal_pause(plan)
    budget = ("retry budget", retry_budget_s(c.timeout_exponent, c.retry_count) * 1000)
    for tier in plan.tiers:
        dog = plan.watchdog.on(tier.clock)
        detection = ("watchdog detection", dog.detection_ms)
        if pause is not None:
            full = "queues that are merely full are taken for stuck"
            legal = ("longest legal pause", pause.milliseconds)
            yield TimerPair(tier.name, *legal, *detection, 1.0, "FG-QOS-019", full)
        latest = dog.detection_ms
        if tier.clock.ports:
            rare = "a poll of so many ports may not end in time"
            poll = (f"watchdog poll of {tier.clock.ports} ports", tier.clock.poll_ms)
            yield TimerPair(tier.name, *poll, *detection, 1.0, "FG-QOS-070", rare)
            yield TimerPair(tier.name, *poll, "watchdog restoration", dog.restoration_ms, 1.0, "FG-QOS-070", rare)
            latest = noticed_within_ms(dog.detection_ms, dog.poll_ms)
        storm = "queue pairs give up before the watchdog ends a storm"
        yield TimerPair(tier.name, "storm noticed at the latest", latest, *budget, 1.0, "", storm)
