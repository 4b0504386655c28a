"""Bandwidth between leafs, from forwarding tables: those of the kernels, or those that were predicted.

A pair of leafs keeps, over the switches in which its ways turn, the smaller of what reaches each from either leaf, when
no link carries more than planned. That is the definition by which a rollout is planned; here it is read off next hops.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.verify.observe import Routes

Tables = Mapping[str, Routes]
"""Next hops by device and prefix."""
Turns = dict[str, Fraction]
"""Traffic that reaches each switch in which ways turn, in links of a leaf."""


class Kept(NamedTuple):
    """The smallest part of its planned bandwidth that a pair of leafs keeps; empty where no pair loses any."""

    share: Fraction
    pair: tuple[str, ...] = ()


class Bandwidths:
    """Bandwidth between the leafs of a lab, against what its plan gives them."""

    def __init__(self, blueprint: Blueprint, planned: Tables) -> None:
        """Note what is planned: forwarding tables with everything in service."""
        self._planned = planned
        self._tiers = {node.name: node.tier for node in blueprint.nodes}
        self._peers = {node.name: {end.name: end.peer for end in node.interfaces} for node in blueprint.switches}
        self._prefixes = {
            node.name: node.loopbacks[0]
            for node in blueprint.switches
            if not node.tier and node.loopbacks and not node.state
        }
        self._whole = {pair: self._between(planned, *pair) for pair in self._pairs()}

    def _pairs(self) -> Iterator[tuple[str, str]]:
        leafs = list(self._prefixes)
        for at, one in enumerate(leafs):
            for other in leafs[at + 1 :]:
                yield one, other

    def worst(self, now: Tables, out: Collection[str]) -> Kept:
        """Return the pair that keeps the smallest part of its bandwidth; those of leafs that are out do not count."""
        found, gone = Kept(Fraction(1)), frozenset(out)
        for pair, whole in self._whole.items():
            if whole and not gone.intersection(pair):
                share = self._between(now, *pair) / whole
                if share < found.share:
                    found = Kept(share, pair)
        return found

    def _between(self, tables: Tables, one: str, other: str) -> Fraction:
        """Return the bandwidth between two leafs, in links of a leaf."""
        there, back = (self._turns(tables, a, self._prefixes[b]) for a, b in ((one, other), (other, one)))
        return sum((min(there[name], back[name]) for name in there.keys() & back.keys()), Fraction(0))

    def _turns(self, tables: Tables, leaf: str, prefix: str) -> Turns:
        """Return what reaches the switches in which the ways from a leaf to a prefix turn."""
        turns: Turns = {}
        planned = self._planned.get(leaf, {}).get(prefix, frozenset())
        layer = {leaf: Fraction(len(planned))}
        while layer:
            above: Turns = {}
            for name, flow in layer.items():
                for peer, part in self._pass_up(tables, name, prefix, flow):
                    above[peer] = above.get(peer, Fraction(0)) + part
                if name != leaf and not self._passes_up(tables, name, prefix):
                    turns[name] = turns.get(name, Fraction(0)) + flow
            layer = above
        return turns

    def _pass_up(self, tables: Tables, name: str, prefix: str, flow: Fraction) -> Iterator[tuple[str, Fraction]]:
        """Yield what a switch sends to those above it; a link carries no more than planned, even if others are gone."""
        most = max(len(self._planned.get(name, {}).get(prefix, ())), 1)
        for hop in tables.get(name, {}).get(prefix, ()):
            peer = self._peers[name].get(hop, "")
            if self._tiers.get(peer, -1) > self._tiers[name]:
                yield peer, flow / most

    def _passes_up(self, tables: Tables, name: str, prefix: str) -> bool:
        """Return whether a switch sends a prefix upwards, or not at all."""
        hops = tables.get(name, {}).get(prefix, frozenset())
        peers = (self._peers[name].get(hop, "") for hop in hops)
        return not hops or any(self._tiers.get(peer, -1) > self._tiers[name] for peer in peers)
