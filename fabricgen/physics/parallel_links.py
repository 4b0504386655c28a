"""Load of the links that are left of several parallel ones."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from fabricgen.physics.path_weights import path_weights


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

    Args:
        parallel: Links by which the traffic for one destination comes down from one switch.
        lost: How many of them are gone, fewer than all.

    Source:
        RFC 2992 section 2: each next hop of the senders takes an equal share, however many links lead on from there.
    """
    return Fraction(parallel, parallel - lost)


def factor_with_weights(links: int, lost: int) -> Fraction:
    """Return the same when every switch shares by the links that are left, so that all of them take the loss together.

    Args:
        links: All links by which the traffic for a destination arrives there.
        lost: How many of them are gone, fewer than all.

    Source:
        RFC 10005: next hops take shares in proportion to the bandwidth behind them.
    """
    return Fraction(links, links - lost)


def weigh_rest(parallel: int, lost: int, switches: int, next_hops: int, rule: str) -> WeightedRest:
    """Return what senders that weight do when one of several switches loses links to a destination.

    Args:
        parallel: Links by which the traffic for the destination comes down from one switch.
        lost: How many of them are gone, fewer than all.
        switches: How many switches senders may choose.
        next_hops: Links of a sender to each of them.
        rule: How the senders weight, see ``path_weights``.

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
