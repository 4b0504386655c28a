"""PFC watchdog timers."""

from __future__ import annotations

from typing import NamedTuple

BASE_MS = 200
PORTS_PER_STEP = 32
POLL_MAX_MS = 1000


class WatchdogTimes(NamedTuple):
    """How long a priority must be stuck, how long it must be well again, and how often one looks, milliseconds."""

    detection_ms: int
    restoration_ms: int
    poll_ms: int


def default_watchdog_times(lossless_ports: int) -> WatchdogTimes:
    """What SONiC's ``pfcwd start_default`` sets: times grow with the ports, because one process polls them all.

    Args:
        lossless_ports: Ports with PFC.

    Source:
        sonic-net/sonic-utilities pfcwd/main.py: 200 ms for every 32 ports begun, poll interval at most 1000 ms.
    """
    steps = max(1, -(-lossless_ports // PORTS_PER_STEP))
    return WatchdogTimes(BASE_MS * steps, BASE_MS * steps, min(BASE_MS * steps, POLL_MAX_MS))
