"""Reach of each medium."""

REACH_M = {"dac": 3, "aec": 7, "aoc": 100, "mmf": 100, "smf": 2000}
"""Longest cable per medium at 100G per lane, metres.

Source:
    Copper and active copper assemblies as sold; AOC and multimode SR optics 100 m, single mode FR optics 2 km: IEEE
    802.3ck, 802.3db, 802.3cu.
"""


def media_for(length_m: float) -> list[str]:
    """Media that reach that far."""
    return [media for media, reach_m in REACH_M.items() if reach_m >= length_m]
