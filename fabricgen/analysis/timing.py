"""Convergence bounds, and the order of the timers of different layers: which of two has to be the longer one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from math import isfinite
from typing import NamedTuple

from fabricgen.physics.pause import longest_legal_pause_ms, noticed_within_ms
from fabricgen.physics.timers import (
    DEFER_S,
    FRAMEWORK_TIMEOUT_S,
    KEEPALIVES_PER_HOLD,
    LACP_SHORT_S,
    RESTART_S,
    TIMER_MARGIN,
    detection_s,
    failover_s,
    retry_budget_s,
)
from fabricgen.plan.model.fabric import FabricPlan


class Detection(NamedTuple):
    """Time until a silent neighbour on a link group is detected, by BFD or by the hold timer, or is worked around."""

    link: str
    bfd: bool
    seconds: float
    derivation: str


class LegalPause(NamedTuple):
    """The longest pause in which nothing is stuck."""

    milliseconds: float
    derivation: str


def worst_failover(plan: FabricPlan) -> Detection | None:
    """The slowest recovery from a silent failure; None in a fabric of one tier, or where nothing notices any.

    Each switch waits for its advertisement interval before it sends an update on, and no platform is set to dampen
    flapping links; what reprogramming takes is left to the margin.
    """
    hops, wait_ms = 2 * (len(plan.tiers) - 1), plan.tiers[0].routing.advertisement_s * 1000
    found = [
        each._replace(
            seconds=healed_s(plan, each.seconds),
            derivation=f"{each.derivation} + {hops} x {wait_ms} ms advertisement + 0 ms damping, on {each.link}",
        )
        for each in list_detections(plan)
        if isfinite(each.seconds)
    ]
    return max(found, key=lambda each: each.seconds, default=None)


def healed_s(plan: FabricPlan, detection_s: float) -> float:
    """Return how long after a failure the last switch has stopped using what failed, the one that notices first."""
    return failover_s(detection_s, 2 * (len(plan.tiers) - 1), plan.tiers[0].routing.advertisement_s)


def list_detections(plan: FabricPlan) -> list[Detection]:
    """Return how long a silent neighbour goes unnoticed on each group of links between switches, from the leafs up.

    Each link has the timers of its slower end; BFD counts where both ends run it.
    """
    found = []
    for lower, upper in pairwise(plan.tiers):
        ends = (lower.routing, upper.routing)
        bfd = lower.routing.bfd_upper and upper.routing.bfd_lower
        slow = max(ends, key=lambda r: detection_s(bfd, r.bfd_multiplier, r.bfd_interval_ms, r.hold_s))
        seconds = detection_s(bfd, slow.bfd_multiplier, slow.bfd_interval_ms, slow.hold_s)
        noticed = f"BFD {slow.bfd_multiplier} x {slow.bfd_interval_ms} ms" if bfd else f"hold time {slow.hold_s} s"
        found.append(Detection(plan.links[upper.number].name, bfd, seconds, noticed))
    return found


def legal_pause(plan: FabricPlan) -> LegalPause | None:
    """The longest legal pause on the way between two hosts; None where no buffer size is published."""
    buffered = []
    for tier in plan.tiers:
        largest_pool = max((pool.size_bytes for pool in tier.buffers.pools), default=0)
        size = tier.buffers.asic.buffer_bytes or largest_pool
        speeds = [group.speed_gbps for group in plan.links[tier.number : tier.number + 2]]
        if size:
            buffered.append((size, min(speeds)))
    if not buffered:
        return None
    terms = " + ".join(f"{size} B / {speed}G" for size, speed in buffered)
    return LegalPause(longest_legal_pause_ms(buffered), f"{terms} + the last pause frame")


class TimerPair(NamedTuple):
    """Two timers of which the second has to be longer.

    Attributes:
        scope: Tier, link group or ``fabric``.
        least: How many times the first one has to fit into the second.
        code: The rule that reports it; empty where none does.
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
    """Return every pair of timers whose order matters, the shortest first; leafs may restart gracefully."""
    pairs = [*_sessions(plan, graceful=graceful), *_queue_pairs(plan), *_watchdogs(plan)]
    return sorted(pairs, key=lambda pair: (pair.shorter_ms, pair.longer_ms, pair.scope))


def _sessions(plan: FabricPlan, *, graceful: bool) -> Iterator[TimerPair]:
    """Timers of BGP and BFD against each other."""
    for tier in plan.tiers if plan.tiers[0].routing.hold_s else ():
        r = tier.routing
        lost = "a session ends although every keepalive but one arrives"
        keepalive = ("BGP keepalive", r.keepalive_s * 1000, "BGP hold", r.hold_s * 1000)
        yield TimerPair(tier.name, *keepalive, KEEPALIVES_PER_HOLD, "FG-RTE-105", lost)
    for each, ends in zip(list_detections(plan), pairwise(plan.tiers), strict=True):
        hold_s = min(tier.routing.hold_s for tier in ends)
        if each.bfd and hold_s:
            late = "the session ends by itself before BFD detects anything"
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
            yield TimerPair(tier.name, *poll, *detection, 1.0, "FG-QOS-018", rare)
            yield TimerPair(tier.name, *poll, "watchdog restoration", dog.restoration_ms, 1.0, "FG-QOS-018", rare)
            latest = noticed_within_ms(dog.detection_ms, dog.poll_ms)
        storm = "queue pairs give up before the watchdog ends a storm"
        yield TimerPair(tier.name, "storm noticed at the latest", latest, *budget, 1.0, "", storm)
