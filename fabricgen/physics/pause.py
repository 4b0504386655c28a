"""PFC pause: how much a peer still sends after it was told to stop, and how long one pause frame lasts."""

from __future__ import annotations

from fabricgen.physics.refusal import Refusal

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

    Args:
        speed_gbps: Port speed, Gb/s, decimal.
        same_time: Take the larger figure where two are in question, see ``SAME_TIME_QUANTA_BY_GBPS``.

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
