"""Weights of equal-cost next hops that follow the bandwidth behind each, and load of the links left of several."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

HUNDREDTHS, SCALED_254, SCALED_255, UNPUBLISHED = "hundredths", "scaled_254", "scaled_255", "unpublished"
"""Rules by which switches turn bandwidths into weights: whole hundredths of the sum; 254 or 255 for the largest, the
others in proportion, cut down; in proportion, at a granularity that the maker does not publish."""
UNITS_MAX = 0xFFFFFFFF // 125_000
"""Most units of 1 Mb/s that a link bandwidth can tell: FRR keeps the sum in 32 bits, bytes per second
(bgpd/bgp_ecommunity.c, ecommunity_replace_linkbw)."""
_SCALES = {SCALED_254: 254, SCALED_255: 255}
_FIRST_SCALED, _FIRST_254, _FIRST_255_AGAIN = (10, 0), (10, 2), (10, 5)


def weighting_rule(version: str) -> str:
    """Return how a version of FRRouting such as ``10.4.1`` turns bandwidths into weights; empty where it is unknown.

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
    """Return the weight of a next hop of each kind as the forwarding plane has it by a rule, such as ``HUNDREDTHS``.

    A kind is the bandwidth behind a next hop, in units of one link and above 0, and how many next hops have it.

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


class WeightedRest(NamedTuple):
    """Parallel links of which some are lost, as senders see them that weight their next hops.

    Attributes:
        fewer: Weight of a next hop towards the switch that lost links; ``full`` is that towards another one.
        load: Times its planned load that the busiest link to the destination carries.
    """

    fewer: Fraction
    full: Fraction
    load: Fraction


def factor_without_weights(parallel: int, lost: int) -> Fraction:
    """Return how many times its planned load each remaining link carries when senders do not know of the loss.

    Parallel links are those by which traffic for one destination comes down from one switch; fewer than all are lost.

    Source:
        RFC 2992 section 2: each next hop of the senders takes an equal share, however many links lead on from there.
    """
    return Fraction(parallel, parallel - lost)


def factor_with_weights(links: int, lost: int) -> Fraction:
    """Return the same when every switch shares by the links that are left, so that all of them take the loss together.

    Links are all by which the traffic for a destination arrives there; fewer than all are lost.

    Source:
        RFC 10005: next hops take shares in proportion to the bandwidth behind them.
    """
    return Fraction(links, links - lost)


def weigh_rest(parallel: int, lost: int, switches: int, next_hops: int, rule: str) -> WeightedRest:
    """Return what senders that weight do when one of the switches that they may choose loses links to a destination.

    Traffic comes down from each switch by parallel links, of which fewer than all are lost; a sender has ``next_hops``
    links to each of them.

    Source:
        RFC 10005: shares in proportion to the bandwidth behind each next hop; weights as installed, ``path_weights``.
    """
    left, others = parallel - lost, (switches - 1) * next_hops
    fewer, full = path_weights([(left, next_hops), (parallel, others)], rule)
    total = next_hops * fewer + others * full
    # Times of the planned load on each link, which is an even share of all links down to the destination.
    loads = [switches * parallel * next_hops * fewer / total / left]
    if others:
        loads.append(switches * next_hops * full / total)
    return WeightedRest(fewer, full, max(loads))
