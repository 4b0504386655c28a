"""Load of the links that are left of several parallel ones."""

from __future__ import annotations

from fractions import Fraction


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
        draft-ietf-idr-link-bandwidth: next hops take shares in proportion to the bandwidth behind them.
    """
    return Fraction(links, links - lost)
