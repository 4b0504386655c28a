"""A fabric under a rollout, replayed link by link from ``show links``, by code of its own.

Capacities are those of the plan: each uplink of a leaf counts one, and what reaches a switch from there is shared by
its uplinks. What two leafs keep is a maximum flow over those links, upwards from one and downwards to the other.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Iterator
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from fabricgen.plan.model.cabling import link_of
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import FabricLinkId
from fabricgen.tables.tables import list_links

Edges = dict[tuple[str, str], Fraction]
SCOPES = ("unit", "pod", "zone", "fabric")


class Place(NamedTuple):
    """The position of a switch, as its coordinates have it."""

    tier: int
    zone: int
    pod: int
    unit: int
    plane: int
    group: int


class Simulation:
    """Every switch by name, and the links between them that carry traffic."""

    def __init__(self, plan: FabricPlan) -> None:
        self.plan = plan
        self.places = {plan.device_name(d): Place(d.tier, *d.where[:5]) for d in plan.switches()}
        known = plan.exceptions
        self.drained = {plan.device_name(d) for d, found in known.switches.items() if found.state == "drained"}
        self.nics: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._up: dict[str, Counter[str]] = defaultdict(Counter)
        lame: Counter[tuple[str, str]] = Counter()
        for link, found in known.links.items():
            if isinstance(link, FabricLinkId) and found.state == "drained":
                lame[plan.device_name(link.lower), self._end(link)] += 1
        hosts = {link.name for link in plan.links[:1]} | {group.link.name for group in plan.hosts}
        for row in list_links(plan):
            one, other = str(row["a"]), str(row["b"])
            if row["link"] in hosts:
                continue
            if self.places[one].tier > self.places[other].tier:
                one, other = other, one
            if lame[one, other]:
                lame[one, other] -= 1
            elif not {one, other} & self.drained:
                self._up[one][other] += 1
        self.leafs = [name for name, at in self.places.items() if at.tier == 0 and name not in self.drained]

    def _end(self, link: FabricLinkId) -> str:
        found, regular = self.plan.exceptions.links[link], link_of(self.plan, link).upper_end
        return self.plan.device_name(regular._replace(where=found.end) if found.end else regular)

    def climb(self, leaf: str) -> Edges:
        """The links above a leaf with what each carries when all uplinks of the leaf are full."""
        found: Edges = {}
        layer: dict[str, Fraction] = {leaf: Fraction(sum(self._up[leaf].values()))}
        while layer:
            above: dict[str, Fraction] = defaultdict(Fraction)
            for switch, flow in layer.items():
                total = sum(self._up[switch].values())
                for upper, links in self._up[switch].items():
                    found[switch, upper] = flow * links / total
                    above[upper] += found[switch, upper]
            layer = above
        return found

    @cached_property
    def pairs(self) -> list[tuple[str, str, int]]:
        """Pairs of leafs in service that meet, with the lowest tier in which they do; equal ones once."""
        climbs = {leaf: self.climb(leaf) for leaf in self.leafs}
        found: dict[object, tuple[str, str, int]] = {}
        for one, other in combinations(self.leafs, 2):
            tops = {upper for _, upper in climbs[one]} & {upper for _, upper in climbs[other]}
            if tops:
                tier = min(self.places[top].tier for top in tops)
                look = [
                    {(low if low != leaf else "", up): flow for (low, up), flow in climbs[leaf].items()}
                    for leaf in (one, other)
                ]
                key = (tier, *sorted(str(sorted(each.items())) for each in look))
                found.setdefault(key, (one, other, tier))
        return list(found.values())

    def network(self, one: str, other: str, tier: int) -> Edges:
        """The links that two leafs use: upwards from one and, marked, downwards to the other."""
        edges: Edges = {}
        for (low, up), flow in self.climb(one).items():
            if self.places[up].tier <= tier:
                edges[low, up] = flow
        for (low, up), flow in self.climb(other).items():
            if self.places[up].tier <= tier:
                edges[f"{up}'", f"{low}'"] = flow
        for name, at in self.places.items():
            if at.tier == tier:
                edges[name, f"{name}'"] = Fraction(1 << 40)
        return edges

    def share(self, pair: tuple[str, str, int], out: Collection[str], cut: tuple[str, str] = ("", "")) -> Fraction:
        """The part of their bandwidth that two leafs keep, with one link less between the two switches of a cut."""
        one, other, tier = pair
        edges = self.network(one, other, tier)
        gone = {*out, *(f"{name}'" for name in out)} - {one, f"{other}'"}
        left = {ends: flow for ends, flow in edges.items() if not gone & set(ends)}
        for ends in (cut, (f"{cut[1]}'", f"{cut[0]}'")):
            if ends in left:
                links = self._up[cut[0]][cut[1]]
                left[ends] = left[ends] * (links - 1) / links
        return max_flow(left, one, f"{other}'") / max_flow(edges, one, f"{other}'")

    def lowest(self, out: Collection[str], cut: tuple[str, str] = ("", "")) -> Fraction:
        """The smallest part that any two leafs in service keep."""
        return min((self.share(pair, out, cut) for pair in self.pairs), default=Fraction(1))

    def lowest_after_one_more(self, out: Collection[str]) -> Fraction:
        """The same after the failure of any switch above the leafs, or of any link."""
        uppers = [name for name, place in self.places.items() if place.tier and name not in out]
        cuts = [(lower, upper) for lower, links in list(self._up.items()) for upper in links]
        states = [*(self.lowest({*out, name}) for name in uppers), *(self.lowest(out, cut) for cut in cuts)]
        return min(states, default=self.lowest(out))


def max_flow(capacity: Edges, source: str, sink: str) -> Fraction:
    """Edmonds and Karp."""
    left: dict[str, dict[str, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for (one, other), flow in capacity.items():
        left[one][other] += flow
    total = Fraction(0)
    while way := _shortest(left, source, sink):
        step = min(left[one][other] for one, other in way)
        for one, other in way:
            left[one][other] -= step
            left[other][one] += step
        total += step
    return total


def _shortest(left: dict[str, dict[str, Fraction]], source: str, sink: str) -> list[tuple[str, str]]:
    before: dict[str, str] = {source: ""}
    queue = deque([source])
    while queue and sink not in before:
        one = queue.popleft()
        for other, flow in left[one].items():
            if flow > 0 and other not in before:
                before[other] = one
                queue.append(other)
    way: list[tuple[str, str]] = []
    at = sink
    while before.get(at):
        way.append((before[at], at))
        at = before[at]
    return way


def states(devices: Collection[str]) -> Iterator[frozenset[str]]:
    """Every state that a wave passes, its members leaving one after another in any order: breadth first."""
    seen, layer = {frozenset[str]()}, [frozenset[str]()]
    while layer:
        yield from layer
        layer = list({state | {name} for state in layer for name in devices if name not in state} - seen)
        seen |= set(layer)
