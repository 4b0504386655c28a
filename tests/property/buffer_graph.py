"""Brute force: the dependency graph of every buffer of a fabric, link by link and failure by failure.

Nothing of the analysis is used. Links are those of ``show links``, AS numbers and prefixes those of the device model.
Routes spread round by round from switch to switch; every set of up to two links or switches fails, and while it does,
each switch forwards as in any state that the failures lead through. A search for a cycle goes over all of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import NamedTuple

from fabricgen.device.lower import Lowering
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.tables import list_links

Edge = tuple[str, str, int]
"""A buffer: packets of a class from one switch wait in the next one."""


@dataclass
class Habits:
    """Habits of switches by tier; those that the product renders unless a test plants others.

    ``recolour``: class of a packet behind a switch, from tier, whether it came from above and goes above, and class;
    None for one that is not paused.
    """

    forgets: set[int] = field(default_factory=set)
    takes_own: set[int] = field(default_factory=set)
    floods_up: set[int] = field(default_factory=set)
    recolour: Callable[[int, bool, bool, int], int | None] = lambda _tier, _came, _goes, priority: priority


class Route(NamedTuple):
    """A route of a switch: a last resort or not, its AS path, from above or not, and the next switch."""

    last: bool
    path: tuple[int, ...]
    marked: bool
    via: str


class Lost(NamedTuple):
    """Switches, pairs of switches, and pairs of rail and leaf that lost each other."""

    switches: frozenset[str]
    pairs: frozenset[frozenset[str]]
    access: frozenset[tuple[str, str]]


class Graph:
    """A fabric link by link."""

    def __init__(self, plan: FabricPlan, habits: Habits) -> None:
        """List switches, links and what each leaf announces."""
        lowering, self.habits = Lowering(plan), habits
        self.tier: dict[str, int] = {}
        self.asn: dict[str, int] = {}
        self.drained: set[str] = set()
        self.blocks: dict[str, str] = {}
        self.single = bool(plan.addressing.host_len)
        dull: dict[frozenset[str], list[bool]] = {}
        for device in plan.switches():
            switch = lowering.lower_switch(device)
            self.tier[switch.hostname], self.asn[switch.hostname] = device.tier, switch.asn
            self.blocks[switch.hostname] = switch.aggregate or switch.aggregate6
            self.drained |= {switch.hostname} if switch.state == "drained" else set()
            for port in switch.ports:
                dull.setdefault(frozenset((switch.hostname, port.peer)), []).append(port.drained)
        self.last = {pair for pair, found in dull.items() if all(found) or pair & self.drained}
        links = list_links(plan)
        rows = [(str(row["a"]), str(row["b"]), str(row["a_address"] or row.get("a_address6", ""))) for row in links]
        self.links = [frozenset((a, b)) for a, b, _ in rows if a in self.tier and b in self.tier]
        self.access = [(f"{a} {address}", b) for a, b, address in rows if a not in self.tier and b in self.tier]
        self.near: dict[str, list[str]] = {name: [] for name in self.tier}
        for pair in dict.fromkeys(self.links):
            a, b = pair
            self.near[a].append(b)
            self.near[b].append(a)
        self.ends = {rail: sorted({leaf for it, leaf in self.access if it == rail}) for rail, _ in self.access}
        self._tables: dict[object, dict[str, set[str]]] = {}

    def failures(self, count: int) -> Iterator[Lost]:
        """Yield what is lost as some links and switches fail, each outcome once."""
        everything = [("switch", name) for name in self.tier]
        everything += [("link", number) for number in range(len(self.links))]
        everything += [("access", number) for number in range(len(self.access))] if self.single else []
        seen = set()
        for some in combinations(everything, count):
            links = {at for kind, at in some if kind == "link"}
            left = {pair for at, pair in enumerate(self.links) if at not in links}
            doors = {at for kind, at in some if kind == "access"}
            open_ = {door for at, door in enumerate(self.access) if at not in doors}
            lost = Lost(
                frozenset(str(at) for kind, at in some if kind == "switch"),
                frozenset(self.links[at] for at in links if self.links[at] not in left),
                frozenset(self.access[at] for at in doors if self.access[at] not in open_),
            )
            if lost not in seen:
                seen.add(lost)
                yield lost

    def price(self, count: int) -> int:
        """Return how many links are looked at as so many links and switches fail, once for each rail."""
        failing = len(self.tier) + len(self.links) + (len(self.access) if self.single else 0)
        return comb(failing, count) * len(self._rails()) * len(self.links)

    def cyclic_after(self, limit: int = 2) -> int | None:
        """Return how many failures it takes until buffers can wait in a circle; None if more than the limit."""
        for count in range(limit + 1):
            if any(has_cycle(self.waits(lost)) for lost in self.failures(count)):
                return count
        return None

    def waits(self, lost: Lost, classes: tuple[int, ...] = (3, 4)) -> dict[Edge, set[Edge]]:
        """Return which buffer waits for which while some failures happen, over all destinations."""
        found: dict[Edge, set[Edge]] = {}
        for rail, leafs in self._rails().items():
            hops: dict[str, set[str]] = {}
            for part in parts(lost):
                for name, ways in self.table(rail, leafs, part).items():
                    hops.setdefault(name, set()).update(ways)
            alive = {name: {way for way in ways if self._up(name, way, lost)} for name, ways in hops.items()}
            self._follow(found, alive, lost, classes)
        return found

    def _rails(self) -> dict[str, list[str]]:
        """Return rails with their leafs; without host routes one of each leaf is enough."""
        if self.single:
            return self.ends
        return {leafs[0]: leafs for leafs in self.ends.values()}

    def _follow(
        self, found: dict[Edge, set[Edge]], hops: dict[str, set[str]], lost: Lost, classes: tuple[int, ...]
    ) -> None:
        floods = {
            name: {
                other for other in self.near[name] if self.tier[other] > self.tier[name] and self._up(name, other, lost)
            }
            for name in self.tier
            if self.tier[name] in self.habits.floods_up
        }
        for here, ways in [*hops.items(), *floods.items()]:
            for there in ways:
                onward = hops.get(there, set()) | (floods.get(there, set()) - {here})
                for priority in classes:
                    for further in onward:
                        came = self.tier[here] > self.tier[there]
                        goes = self.tier[further] > self.tier[there]
                        after = self.habits.recolour(self.tier[there], came, goes, priority)
                        if after is not None:
                            found.setdefault((here, there, priority), set()).add((there, further, after))

    def table(self, rail: str, leafs: list[str], lost: Lost) -> dict[str, set[str]]:
        """Return the next switches of every switch towards a rail of a host."""
        there = tuple(leaf for leaf in leafs if (rail, leaf) not in lost.access and leaf not in lost.switches)
        block = {self.blocks[leaf] for leaf in leafs}
        twins = tuple(name for name, own in self.blocks.items() if own and own in block and name not in lost.switches)
        key = (there if self.single else (), twins, lost.switches, lost.pairs)
        if key not in self._tables:
            chosen = self._spread(twins, lost)
            if self.single:
                chosen |= self._spread(there, lost) | {leaf: set() for leaf in there}
            self._tables[key] = chosen
        return self._tables[key]

    def _spread(self, owners: tuple[str, ...], lost: Lost) -> dict[str, set[str]]:
        """Spread a prefix in rounds in which every switch hears what its neighbours had in the round before."""
        heard: dict[str, set[Route]] = {}
        for _ in range(4 * len(self.tier) + 4):
            told = {name: self._best(name, heard, owners, lost) for name in self.tier}
            if told == heard:
                break
            heard = told
        return {
            name: {route.via for route in routes} for name, routes in heard.items() if name not in owners and routes
        }

    def _best(self, name: str, heard: dict[str, set[Route]], owners: tuple[str, ...], lost: Lost) -> set[Route]:
        if name in owners:
            return {Route(False, (), False, "")}
        offers = set()
        for other in self.near[name] if name not in lost.switches else ():
            for route in heard.get(other, ()) if self._up(name, other, lost) else ():
                above = self.tier[other] > self.tier[name]
                if route.marked and not above:
                    continue
                path = (self.asn[other], *route.path)
                if (self.asn[name] in path and self.tier[name] not in self.habits.takes_own) or route.via == name:
                    continue
                marks = above and self.tier[name] not in self.habits.forgets
                last = route.last or frozenset((name, other)) in self.last
                offers.add(Route(last, path, marks, other))
        best = min(((route.last, len(route.path)) for route in offers), default=None)
        return {route for route in offers if (route.last, len(route.path)) == best}

    def _up(self, one: str, other: str, lost: Lost) -> bool:
        return frozenset((one, other)) not in lost.pairs and not {one, other} & lost.switches


def parts(lost: Lost) -> Iterator[Lost]:
    """Yield every state on the way to some losses."""
    items: list[tuple[int, object]] = [(kind, it) for kind, them in enumerate(lost) for it in them]
    for count in range(len(items) + 1):
        for some in combinations(items, count):
            yield Lost(*(frozenset(it for at, it in some if at == kind) for kind in range(3)))


def has_cycle(waits: dict[Edge, set[Edge]]) -> bool:
    """Return whether a graph has a cycle, by taking away what waits for nothing until nothing is left to take."""
    left = {edge: set(others) & waits.keys() for edge, others in waits.items()}
    while left:
        free = {edge for edge, others in left.items() if not others}
        if not free:
            return True
        left = {edge: others - free for edge, others in left.items() if edge not in free}
    return False
