"""PFC watchdog timers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fabricgen.physics.pause import LONGEST_QUANTA, longest_pause_us

BASE_MS = 200
PORTS_PER_STEP = 32
POLL_MAX_MS = 1000


class WatchdogTimes(NamedTuple):
    """Detection time, restoration time and polling interval of the PFC watchdog, milliseconds."""

    detection_ms: int
    restoration_ms: int
    poll_ms: int


def longest_legal_pause_ms(buffered: Sequence[tuple[int, int]], quanta: int = LONGEST_QUANTA) -> float:
    """Return how long a priority may be paused without anything being stuck, in milliseconds.

    A switch pauses until what it holds has drained, and it may itself be paused by the next one. At worst every switch
    on the way holds a whole buffer for one port and they drain one after the other; the last pause frame then runs out.

    Args:
        buffered: Of each tier on the way: what one port can have waiting, bytes, and its slowest speed, Gb/s.
        quanta: Length of a pause frame.

    Source:
        IEEE 802.1Qbb-2011 clause 36 (a pause is renewed until the receiver has room); bytes times eight over the rate.
    """
    drained = sum(size * 8 / (speed * 1e6) for size, speed in buffered)
    return drained + max((longest_pause_us(speed, quanta) / 1000 for _, speed in buffered), default=0.0)


def noticed_within_ms(detection_ms: int, poll_ms: int) -> int:
    """Return how long a storm lasts at most until the watchdog acts, in milliseconds.

    The poll in whose interval the storm began still sees packets leave. From the next one on each poll takes its
    interval off the detection time, and acts once no more than an interval is left.

    Source:
        sonic-net/sonic-swss orchagent/pfc_detect_broadcom.lua, pfc_detect_mellanox.lua: PFC_WD_DETECTION_TIME_LEFT.
    """
    return (1 - (-detection_ms // poll_ms)) * poll_ms


def default_watchdog_times(lossless_ports: int) -> WatchdogTimes:
    """Return what SONiC's ``pfcwd start_default`` sets: times grow with the ports, because one process polls them all.

    Args:
        lossless_ports: Ports it counts: all rows of PORT.

    Source:
        sonic-net/sonic-utilities pfcwd/main.py: 200 ms for every 32 ports begun, poll interval at most 1000 ms.
    """
    steps = max(1, -(-lossless_ports // PORTS_PER_STEP))
    return WatchdogTimes(BASE_MS * steps, BASE_MS * steps, min(BASE_MS * steps, POLL_MAX_MS))
