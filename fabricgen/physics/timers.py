"""Timers of different layers, so that one can be held against another."""

from __future__ import annotations


def ack_timeout_s(exponent: int) -> float:
    """InfiniBand local ACK timeout in seconds: 4.096 us times two to the exponent.

    Source:
        InfiniBand Architecture Specification volume 1, Local ACK Timeout.
    """
    return 4.096e-6 * (1 << exponent)


def retry_budget_s(exponent: int, retries: int) -> float:
    """How long a queue pair keeps trying before it reports an error, in seconds.

    Source:
        InfiniBand Architecture Specification volume 1: (retry count + 1) times the local ACK timeout.
    """
    return (retries + 1) * ack_timeout_s(exponent)


def detection_s(bfd: bool, multiplier: int, interval_ms: int, hold_s: int) -> float:
    """How long a silent neighbour goes unnoticed, in seconds.

    Source:
        RFC 5880 section 6.8.4 (detection time), RFC 4271 section 4.4 (hold timer).
    """
    return multiplier * interval_ms / 1000 if bfd else float(hold_s)
