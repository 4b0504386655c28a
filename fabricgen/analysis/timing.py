"""How long the fabric may take: to route around a failure, and to drain while everything is paused."""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.physics.timers import detection_s, failover_s
from fabricgen.physics.watchdog import longest_legal_pause_ms
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.topology import LinkGroup, Tier


class Failover(NamedTuple):
    """The worst silent failure between switches; ``derivation`` says where its seconds go."""

    link: str
    seconds: float
    derivation: str


class LegalPause(NamedTuple):
    """The longest pause in which nothing is stuck."""

    milliseconds: float
    derivation: str


def worst_failover(plan: FabricPlan) -> Failover | None:
    """The slowest recovery from a silent failure; None in a fabric of one tier.

    BFD counts on links both of whose ends run it. Updates are sent at once (every platform writes an advertisement
    interval of 0), and no platform is told to dampen flapping links; what reprogramming takes is left to the margin.
    """
    hops = 2 * (len(plan.tiers) - 1)
    found = [_failover(plan.links[tier.number], plan.tiers[tier.number - 1], tier, hops) for tier in plan.tiers[1:]]
    return max(found, key=lambda each: each.seconds, default=None)


def _failover(link: LinkGroup, lower: Tier, upper: Tier, hops: int) -> Failover:
    bfd = lower.routing.bfd and upper.routing.bfd
    slowest = max(
        (tier.routing for tier in (lower, upper)),
        key=lambda r: detection_s(bfd, r.bfd_multiplier, r.bfd_interval_ms, r.hold_s),
    )
    detection = detection_s(bfd, slowest.bfd_multiplier, slowest.bfd_interval_ms, slowest.hold_s)
    noticed = f"BFD {slowest.bfd_multiplier} x {slowest.bfd_interval_ms} ms" if bfd else f"hold time {slowest.hold_s} s"
    derivation = f"{noticed} + {hops} x 0 ms advertisement + 0 ms damping, on {link.name}"
    return Failover(link.name, failover_s(detection, hops), derivation)


def legal_pause(plan: FabricPlan) -> LegalPause | None:
    """The longest legal pause on the way between two hosts; None where no buffer size is published."""
    buffered = []
    for tier in plan.tiers:
        largest_pool = max((pool.size_bytes for pool in tier.buffers.pools), default=0)
        size = tier.buffers.buffer_bytes or largest_pool
        speeds = [group.speed_gbps for group in plan.links[tier.number : tier.number + 2]]
        if size:
            buffered.append((size, min(speeds)))
    if not buffered:
        return None
    terms = " + ".join(f"{size} B / {speed}G" for size, speed in buffered)
    return LegalPause(longest_legal_pause_ms(buffered), f"{terms} + the last pause frame")
