"""Cables: the reach of each medium, and differences in delay between equal-cost paths."""

from __future__ import annotations

from collections.abc import Iterable

from fabricgen.physics.headroom import FIBRE_NS_PER_M


def path_spread_us(lengths_m: Iterable[float]) -> float:
    """Return how many microseconds later a packet may arrive over the longest of equal-cost paths than over another.

    A path goes up and down over each group of links once. Lengths are the longest of a group, metres, and nothing is
    known of its shortest cable: so the whole length counts. Queues are left out.

    Source:
        FIBRE_NS_PER_M; arithmetic: 2 x (sum of lengths) x 5.05 ns.
    """
    return 2 * sum(lengths_m) * FIBRE_NS_PER_M / 1000


def gap_above_us(spread_us: float, published_us: int) -> int:
    """Return the inactivity gap of flowlets: what is published, or the least power of two above the spread of paths.

    Source:
        Juniper, Dynamic Load Balancing, flowlet mode: above the largest latency skew packets stay in order.
    """
    gap_us = published_us
    while gap_us <= spread_us:
        gap_us = 1 << gap_us.bit_length()
    return gap_us


REACH_M = {"dac": 3, "aec": 7, "aoc": 100, "mmf": 100, "smf": 2000}
"""Longest cable per medium at 100G per lane, metres.

Source:
    Copper and active copper assemblies as sold; AOC and multimode SR optics 100 m, single mode FR optics 2 km: IEEE
    802.3ck, 802.3db, 802.3cu.
"""


def media_for(length_m: float) -> list[str]:
    """Media that reach that far."""
    return [media for media, reach_m in REACH_M.items() if reach_m >= length_m]
