"""Prefixes and routing policies in neutral form, and what a policy lets through."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple


class Prefix(NamedTuple):
    """An address block as numbers: first address, length, and 32 or 128 bits."""

    first: int
    length: int
    bits: int = 32

    def __str__(self) -> str:
        network = ipaddress.IPv4Address(self.first) if self.bits == 32 else ipaddress.IPv6Address(self.first)
        return f"{network}/{self.length}"

    @property
    def last(self) -> int:
        """Number of the block's last address."""
        return self.first | ((1 << (self.bits - self.length)) - 1)

    @property
    def is_default(self) -> bool:
        """Return whether it is the block of all addresses."""
        return self.length == 0

    def covers(self, other: Prefix) -> bool:
        """Return whether the other block lies inside this one, or is this one."""
        return (
            self.bits == other.bits
            and self.length <= other.length
            and (self.first ^ other.first) >> (self.bits - self.length) == 0
        )

    def widened(self, length: int) -> Prefix:
        """The block of a length that its first address lies in."""
        host_bits = self.bits - length
        return Prefix(self.first >> host_bits << host_bits, length, self.bits)

    def overlaps(self, other: Prefix) -> bool:
        return self.covers(other) or other.covers(self)


@lru_cache(maxsize=65536)
def address_in(text: str) -> tuple[str, Prefix]:
    """An address as it is usually written, and the prefix it stands in; without a length that is its own."""
    first, slash, length = text.partition("/")
    found = ipaddress.ip_address(first)
    bits = found.max_prefixlen
    if not 0 <= (wide := int(length) if slash else bits) <= bits:
        raise ValueError(f"{text} is longer than an address")
    return str(found), Prefix(int(found), bits, bits).widened(wide)


def prefix(text: str) -> Prefix:
    """A prefix from text; host bits are dropped, an address alone is a host prefix."""
    return address_in(text)[1]


@dataclass(frozen=True, slots=True)
class PrefixRule:
    """One entry of a prefix list: prefixes inside ``block`` whose length is from ``shortest`` to ``longest``."""

    permit: bool
    block: Prefix
    shortest: int
    longest: int

    def matches(self, route: Prefix) -> bool:
        return self.shortest <= route.length <= self.longest and self.block.covers(route)


PrefixFilter = tuple[PrefixRule, ...]


def filter_permits(entries: PrefixFilter, route: Prefix) -> bool:
    """Return what a prefix list says of a route: its first entry that matches decides, none denies."""
    return next((entry.permit for entry in entries if entry.matches(route)), False)


Marks = frozenset[str]
"""Communities that a route carries."""

NO_MARKS: Marks = frozenset()


@dataclass(frozen=True, slots=True)
class PolicyRule:
    """One entry of a policy; without a condition it speaks about every route.

    ``table``: routing table of the kernel that a permitted route goes into; 0 for the main one. ``last``: a permitted
    route is used only where there is no other: its local preference is 0.
    """

    permit: bool
    prefixes: PrefixFilter | None
    marks: Marks | None = None
    adds: Marks = NO_MARKS
    replaces: bool = False
    table: int = 0
    last: bool = False
    bandwidth: bool = False

    def matches(self, route: Prefix, marks: Marks) -> bool:
        if self.marks is not None and not self.marks & marks:
            return False
        return self.prefixes is None or filter_permits(self.prefixes, route)


@dataclass(slots=True)
class Policy:
    """A named routing policy: its first entry that matches decides, none denies."""

    name: str
    rules: tuple[PolicyRule, ...]
    _seen: dict[tuple[Prefix, Marks], Marks | None] = field(default_factory=dict, repr=False, compare=False)

    def apply(self, route: Prefix, marks: Marks = NO_MARKS) -> Marks | None:
        """The communities with which a route leaves the policy, or None where it is denied."""
        key = (route, marks)
        if key not in self._seen:
            self._seen[key] = self._decide(route, marks)
        return self._seen[key]

    def permits(self, route: Prefix) -> bool:
        """Return whether a route without communities passes."""
        return self.apply(route) is not None

    def _decide(self, route: Prefix, marks: Marks) -> Marks | None:
        for rule in self.rules:
            if rule.matches(route, marks):
                return (NO_MARKS if rule.replaces else marks) | rule.adds if rule.permit else None
        return None
