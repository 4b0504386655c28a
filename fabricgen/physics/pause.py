"""PFC pause: what a peer still sends after it was told to stop, how long a frame lasts, and the watchdog's timers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fabricgen.physics import Refusal

PAUSE_QUANTA_BY_GBPS = {1: 2, 10: 67, 25: 80, 40: 118, 50: 147, 100: 394, 200: 453, 400: 905, 800: 905}
"""Longest time a station may take to act on a pause frame, in quanta of 512 bit times, by port speed.

Source:
    IEEE 802.3 annex 31B.3.7; the row for 800 Gb/s is the one sonic-net/sonic-swss uses since commit 4957df86d.
"""

SAME_TIME_QUANTA_BY_GBPS = {800: 1810}
"""Quanta of a peer that takes as long to stop as at half the speed. At 800 Gb/s no public document says which
of the two figures a port needs: *unconfirmed*."""

QUANTUM_BYTES = 64
LONGEST_QUANTA = 65535


def response_bytes(speed_gbps: int, *, same_time: bool = False) -> int | Refusal:
    """Bytes a peer may still send between receiving a pause frame and stopping.

    Where two figures are in question, see ``SAME_TIME_QUANTA_BY_GBPS``, ``same_time`` takes the larger one.

    Returns:
        Bytes; or the refusal FG-BUF-016 for a speed without a published number of quanta (1600 Gb/s for one).

    Source:
        IEEE 802.3 annex 31B.3.7: a quantum is 512 bit times.
    """
    quanta = PAUSE_QUANTA_BY_GBPS.get(speed_gbps)
    if same_time:
        quanta = SAME_TIME_QUANTA_BY_GBPS.get(speed_gbps, quanta)
    if quanta is None:
        return Refusal("FG-BUF-016", {"speed_gbps": speed_gbps, "listed_gbps": sorted(PAUSE_QUANTA_BY_GBPS)})
    return quanta * QUANTUM_BYTES


def longest_pause_us(speed_gbps: int, quanta: int = LONGEST_QUANTA) -> float:
    """Return how long one pause frame stops a priority at most, in microseconds.

    A congested receiver repeats the frame, so this is no bound on congestion. A watchdog must take a priority for
    stuck only after many times this.

    Source:
        IEEE 802.1Qbb-2011 clause 36, IEEE 802.3 annexes 31B and 31D: 16-bit time fields in units of 512 bit times.
    """
    return quanta * QUANTUM_BYTES * 8 / (speed_gbps * 1000)


BASE_MS = 200
PORTS_PER_STEP = 32
POLL_MAX_MS = 1000


class WatchdogTimers(NamedTuple):
    """Detection time, restoration time and polling interval of the PFC watchdog, milliseconds."""

    detection_ms: int
    restoration_ms: int
    poll_ms: int


def longest_legal_pause_ms(buffered: Sequence[tuple[int, int]]) -> float:
    """Return how long a priority may be paused without anything being stuck, in milliseconds.

    A switch pauses until what it holds has drained, and it may itself be paused by the next one. At worst every switch
    on the way holds a whole buffer for one port and they drain one after the other; the last pause frame then runs out.
    Given is for each tier on the way what one port can have waiting, bytes, and its slowest speed, Gb/s.

    Source:
        IEEE 802.1Qbb-2011 clause 36 (a pause is renewed until the receiver has room); bytes times eight over the rate.
    """
    drained = sum(size * 8 / (speed * 1e6) for size, speed in buffered)
    return drained + max((longest_pause_us(speed) / 1000 for _, speed in buffered), default=0.0)


def noticed_within_ms(detection_ms: int, poll_ms: int) -> int:
    """Return how long a storm lasts at most until the watchdog acts, in milliseconds.

    The poll in whose interval the storm began still sees packets leave. From the next one on each poll takes its
    interval off the detection time, and acts once no more than an interval is left.

    Source:
        sonic-net/sonic-swss orchagent/pfc_detect_broadcom.lua, pfc_detect_mellanox.lua: PFC_WD_DETECTION_TIME_LEFT.
    """
    return (1 - (-detection_ms // poll_ms)) * poll_ms


def default_watchdog_times(lossless_ports: int) -> WatchdogTimers:
    """Return what SONiC's ``pfcwd start_default`` sets: times grow with the rows of PORT, for one process polls all.

    Source:
        sonic-net/sonic-utilities pfcwd/main.py: 200 ms for every 32 ports begun, poll interval at most 1000 ms.
    """
    steps = max(1, -(-lossless_ports // PORTS_PER_STEP))
    return WatchdogTimers(BASE_MS * steps, BASE_MS * steps, min(BASE_MS * steps, POLL_MAX_MS))
