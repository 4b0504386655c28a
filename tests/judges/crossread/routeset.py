"""Sets of routes as numbers, one bit for each route: what a policy does to many of them at once."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from functools import reduce
from operator import or_

from .policy import NO_MARKS, Marks, Policy, Prefix, PrefixFilter, PrefixRule

Bits = int
"""A set of routes of one ``Routes``."""


class Routes:
    """Routes of one family with their origins; those of one address block are neighbours, a span of bits."""

    def __init__(self, bits: int, by_origin: Mapping[str, Iterable[Prefix]]) -> None:
        self.bits = bits
        self.items = sorted((p, origin) for origin, own in by_origin.items() for p in own if p.bits == bits)
        self.all: Bits = (1 << len(self.items)) - 1
        self.of: dict[str, Bits] = {}
        self._firsts = [route.first for route, _ in self.items]
        self._of_length: dict[int, Bits] = {}
        self._split: dict[tuple[int, Marks], tuple[Policy, dict[Marks, Bits]]] = {}
        for number, (route, origin) in enumerate(self.items):
            self.of[origin] = self.of.get(origin, 0) | 1 << number
            self._of_length[route.length] = self._of_length.get(route.length, 0) | 1 << number

    def named(self, routes: Bits) -> Iterator[tuple[Prefix, str]]:
        return (self.items[number] for number, bit in enumerate(reversed(f"{routes:b}")) if bit == "1")

    def split(self, policy: Policy, marks: Marks) -> dict[Marks, Bits]:
        """Routes of the same communities that a policy lets through, by the communities with which they leave."""
        key = (id(policy), marks)
        if key not in self._split:
            # The policy is kept with its answer, or another could come to stand at its address.
            self._split[key] = policy, self._decide(policy, marks)
        return self._split[key][1]

    def through(self, policies: Iterable[Policy], marks: Marks) -> dict[Marks, Bits]:
        """The same for several policies, one after the other."""
        passed = {marks: self.all}
        for policy in policies:
            after: dict[Marks, Bits] = {}
            for carried, routes in passed.items():
                for left_with, permitted in self.split(policy, carried).items():
                    after[left_with] = after.get(left_with, 0) | routes & permitted
            passed = after
        return passed

    def _decide(self, policy: Policy, marks: Marks) -> dict[Marks, Bits]:
        undecided, found = self.all, dict[Marks, Bits]()
        for rule in policy.rules:
            if rule.marks is not None and not rule.marks & marks:
                continue
            hit = undecided if rule.prefixes is None else undecided & self._permitted(rule.prefixes)
            undecided &= ~hit
            if rule.permit:
                carried = (NO_MARKS if rule.replaces else marks) | rule.adds
                found[carried] = found.get(carried, 0) | hit
        return found

    def _permitted(self, entries: PrefixFilter) -> Bits:
        """Return what a prefix list lets through: the first entry that matches a route decides."""
        undecided, found = self.all, 0
        for entry in entries:
            hit = undecided & self._matching(entry)
            undecided &= ~hit
            found |= hit if entry.permit else 0
        return found

    def _matching(self, entry: PrefixRule) -> Bits:
        """Routes that one entry of a prefix list speaks about."""
        block = entry.block
        if block.bits != self.bits:
            return 0
        span = (1 << bisect_right(self._firsts, block.last)) - (1 << bisect_left(self._firsts, block.first))
        longest, shortest = entry.longest, max(entry.shortest, block.length)
        return span & reduce(or_, (of for length, of in self._of_length.items() if shortest <= length <= longest), 0)
