"""Timers of different layers, so that one can be held against another."""

from __future__ import annotations

from math import inf

TIMER_MARGIN = 2.0
"""A retry budget below twice the failover leaves nothing for route withdrawal and reprogramming."""
FRAMEWORK_TIMEOUT_S = 600
"""After which PyTorch ends a collective that does not (pytorch/pytorch pull request 110947)."""
KEEPALIVES_PER_HOLD = 3.0
"""Keepalives that fit into a hold time (RFC 4271 section 10)."""
RECEIVER_STALL_S = 25
"""After which VCCL's receiver asks again, to learn of a path that fails towards it alone (sii-research/VCCL af1ca510,
src/transport/net_ib.cc, ncclIbTest)."""
LACP_SHORT_S = 3
"""After which a silent leg of a bond is left out where both ends send once a second (IEEE 802.1AX, short timeout)."""
MII_MONITOR_MS = 100
"""Interval in which a bond under Linux looks at its ports (``mii-monitor-interval`` of the templates)."""
RESTART_S = 120
"""Time that neighbours keep the routes of a restarting daemon (FRRouting/frr bgpd/bgpd.h, BGP_DEFAULT_RESTART_TIME)."""
DEFER_S = 45
"""Time that it waits for its neighbours' routes before it chooses (``select-defer-time`` of the templates)."""


def ack_timeout_s(exponent: int) -> float:
    """InfiniBand local ACK timeout in seconds: 4.096 us times two to the exponent.

    Source:
        InfiniBand Architecture Specification volume 1, Local ACK Timeout.
    """
    return 4.096e-6 * (1 << exponent)


def retry_budget_s(exponent: int, retries: int) -> float:
    """Return how long a queue pair keeps trying before it reports an error, in seconds.

    Source:
        InfiniBand Architecture Specification volume 1: (retry count + 1) times the local ACK timeout.
    """
    return (retries + 1) * ack_timeout_s(exponent)


def detection_s(bfd: bool, multiplier: int, interval_ms: int, hold_s: int) -> float:
    """Return how long a silent neighbour goes unnoticed, in seconds (RFC 5880 section 6.8.4, RFC 4271 section 4.4)."""
    return multiplier * interval_ms / 1000 if bfd else float(hold_s or inf)


def failover_s(detection: float, hops: int, advertisement_s: float = 0.0, programming_s: float = 0.0) -> float:
    """Worst time from a silent failure until the last switch that used the path has stopped using it, in seconds.

    Detection is what `detection_s` says of the slowest session on the path. Then switches change their routes one after
    the other: 2 hops in a leaf-spine fabric, 4 with a core tier, the one that notices included. Each takes its minimum
    advertisement interval, 0 in a data-centre profile, and the time from the update to the changed ASIC table.

    Source:
        RFC 5880 section 6.8.4; RFC 4271 section 9.2.1.1 (30 s for external peers unless configured); RFC 7938
        section 7.2. Times simply add up: each switch programs, waits and tells the next.
    """
    return detection + hops * (advertisement_s + programming_s)


def retry_margin(exponent: int, retries: int, failover: float) -> float:
    """Return how many times the worst failover fits into the retry budget of a queue pair; below 1 a job dies of it."""
    return retry_budget_s(exponent, retries) / failover
