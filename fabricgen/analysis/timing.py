"""Convergence bounds: time to route around a failure, and time to drain while everything is paused."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from fabricgen.physics.pause import longest_legal_pause_ms
from fabricgen.physics.timers import detection_s, failover_s
from fabricgen.plan.model.fabric import FabricPlan


class Failover(NamedTuple):
    """The worst silent failure between switches; ``derivation`` says where its seconds go."""

    link: str
    seconds: float
    derivation: str


class Detection(NamedTuple):
    """Time until a silent neighbour on a link group is detected, by BFD or by the hold timer."""

    link: str
    bfd: bool
    seconds: float
    derivation: str


class LegalPause(NamedTuple):
    """The longest pause in which nothing is stuck."""

    milliseconds: float
    derivation: str


def worst_failover(plan: FabricPlan) -> Failover | None:
    """The slowest recovery from a silent failure; None in a fabric of one tier.

    Updates are sent at once (every platform writes an advertisement interval of 0), and no platform is set to dampen
    flapping links; what reprogramming takes is left to the margin.
    """
    hops = 2 * (len(plan.tiers) - 1)
    found = [
        Failover(
            each.link,
            failover_s(each.seconds, hops),
            f"{each.derivation} + {hops} x 0 ms advertisement + 0 ms damping, on {each.link}",
        )
        for each in list_detections(plan)
    ]
    return max(found, key=lambda each: each.seconds, default=None)


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
