"""Waivers by code, then by path, in time that no pattern can stretch."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from fabricgen.diagnostics import Place, Waiver

ANY = "*"
"""Stands for any text in the path of a waiver."""


class Waived(NamedTuple):
    """One entry of the file.

    Attributes:
        pattern: Intent path with ``*`` for any text; empty for all places.
    """

    code: str
    pattern: str
    waiver: Waiver
    place: Place | None


class _Pattern(NamedTuple):
    """A path with ``*`` in it, as the texts between them; ``longest`` of these is looked for first."""

    number: int
    head: str
    middle: tuple[str, ...]
    tail: str
    longest: str

    @classmethod
    def of(cls, number: int, text: str) -> _Pattern:
        """Read a pattern; where it stands among the others decides which one is named."""
        head, *middle, tail = text.split(ANY)
        return cls(number, head, tuple(filter(None, middle)), tail, max((head, *middle, tail), key=len))

    def matches(self, path: str) -> bool:
        """Return whether a path has the texts in this order.

        Each is taken where it stands first, and none is tried again.
        """
        at, end = len(self.head), len(path) - len(self.tail)
        if end < at or not path.startswith(self.head) or not path.endswith(self.tail):
            return False
        for text in self.middle:
            found = path.find(text, at, end)
            if found < 0:
                return False
            at = found + len(text)
        return True


class _OfCode(NamedTuple):
    """The waivers of one code by their number in the file: of all places, of one path each, of patterns."""

    everywhere: list[int]
    exact: dict[str, int]
    patterns: list[_Pattern]


class WaiverIndex:
    """Finds the first waiver of the file that covers a diagnostic."""

    def __init__(self, entries: Iterable[Waived]) -> None:
        """Sort the entries by code and kind of path."""
        self._entries = list(entries)
        self._by_code: dict[str, _OfCode] = {}
        for number, entry in enumerate(self._entries):
            of_code = self._by_code.setdefault(entry.code, _OfCode([], {}, []))
            if not entry.pattern:
                of_code.everywhere.append(number)
            elif ANY in entry.pattern:
                of_code.patterns.append(_Pattern.of(number, entry.pattern))
            else:
                of_code.exact.setdefault(entry.pattern, number)

    def find(self, code: str, path: str) -> Waived | None:
        """Return the first entry for a code at a path; None if there is none."""
        of_code = self._by_code.get(code)
        if of_code is None:
            return None
        found = of_code.everywhere[:1]
        found += [of_code.exact[path]] if path in of_code.exact else []
        likely = (pattern for pattern in of_code.patterns if pattern.longest in path)
        found += islice((pattern.number for pattern in likely if pattern.matches(path)), 1)
        return self._entries[min(found)] if found else None
