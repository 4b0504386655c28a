"""Next hops left of each tier, from forwarding tables, as ``analyze failures`` prints them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from fabricgen.analysis.failures import Widths
from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.verify.observe import Routes


def compare_widths(blueprint: Blueprint, planned: Mapping[str, Routes], now: Mapping[str, Routes]) -> Widths:
    """Return of each tier and direction the choice of which the smallest part is left; a prefix that is gone is not.

    Next hops are by switch and prefix of hosts, with nothing failed and with a failure.
    """
    tiers = {node.name: node.tier for node in blueprint.nodes}
    found: Widths = {}
    for name, routes in now.items():
        peers = {end.name: end.peer for end in blueprint.node(name).interfaces}
        for prefix, hops in routes.items():
            before = planned.get(name, {}).get(prefix)
            if not before or not hops:
                continue
            place = tiers[name], tiers[peers[next(iter(hops))]] > tiers[name]
            known = found.get(place)
            if known is None or Fraction(len(hops), len(before)) < Fraction(known[1], known[0]):
                found[place] = len(before), len(hops)
    return found


def widths_text(tiers: Mapping[int, str], widths: Widths) -> str:
    """Return those that are fewer in words, empty if none are."""
    return ", ".join(
        f"{tiers[tier]} {'up' if upwards else 'down'} {left} of {planned}"
        for (tier, upwards), (planned, left) in sorted(widths.items())
        if left < planned
    )
