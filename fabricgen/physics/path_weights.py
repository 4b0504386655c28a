"""Weights of equal-cost next hops that follow the link bandwidth behind each of them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

HUNDREDTHS, SCALED_254, SCALED_255, UNPUBLISHED = "hundredths", "scaled_254", "scaled_255", "unpublished"
"""Rules by which switches turn bandwidths into weights: whole hundredths of the sum; 254 or 255 for the largest, the
others in proportion, cut down; in proportion, at a granularity that the maker does not publish."""
UNITS_MAX = 0xFFFFFFFF // 125_000
"""Most units of 1 Mb/s that a link bandwidth can tell: FRR keeps the sum in 32 bits, bytes per second
(bgpd/bgp_ecommunity.c, ecommunity_replace_linkbw)."""
_SCALES = {SCALED_254: 254, SCALED_255: 255}
_FIRST_SCALED, _FIRST_254, _FIRST_255_AGAIN = (10, 0), (10, 2), (10, 5)


def weighting_rule(version: str) -> str:
    """Return how a version of FRRouting turns bandwidths into weights.

    Args:
        version: Such as ``10.4.1``; empty where the release does not say.

    Source:
        FRRouting/frr: hundredths until 35718a2aea, which is in frr-10.0; 254 from db87ab3d86 (frr-10.2) to 9bf55de0a6,
        which is in stable/10.5.
    """
    if not version:
        return UNPUBLISHED
    major, minor = (int(part) for part in version.split(".")[:2])
    if (major, minor) < _FIRST_SCALED:
        return HUNDREDTHS
    return SCALED_254 if _FIRST_254 <= (major, minor) < _FIRST_255_AGAIN else SCALED_255


def path_weights(ways: Sequence[tuple[int, int]], rule: str) -> tuple[Fraction, ...]:
    """Return the weight of a next hop of each kind as the forwarding plane has it.

    Args:
        ways: Bandwidth behind a next hop, in units of one link and above 0, and how many next hops have it.
        rule: ``HUNDREDTHS``, ``SCALED_254``, ``SCALED_255`` or ``UNPUBLISHED``.

    Source:
        FRRouting/frr, bgpd/bgp_zebra.c of frr-8.4.4 (bgp_zebra_use_nhop_weighted), where a weight of 0 is not sent on
        and counts as 1; zebra/zapi_msg.c of frr-10.0 and later (zapi_read_nexthops). Kernels of labs, 8.4.4 and 10.3.
    """
    units = [each for each, _ in ways]
    scale = _SCALES.get(rule)
    if rule == HUNDREDTHS:
        total = sum(each * hops for each, hops in ways)
        return tuple(Fraction(max(1, 100 * each // total)) for each in units)
    if scale:
        return tuple(Fraction(max(1, scale * each // max(units))) for each in units)
    return tuple(Fraction(each) for each in units)
