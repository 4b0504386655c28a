"""Diagnostics of one file: places by line and column, and a bound on how often a fault is listed line by line."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.diagnostics import Bag, Code, IntentPath, Place, Related

_LISTED_MAX = 100


class Reporter:
    """Adds the diagnostics of one file to the bag; what would be an endless list ends in one line with a count."""

    __slots__ = ("_bag", "_seen", "file")

    def __init__(self, bag: Bag, file: str) -> None:
        """Report into ``bag`` about the file shown as ``file``."""
        self._bag = bag
        self._seen: dict[str, tuple[int, Place]] = {}
        self.file = file

    def at(
        self,
        code: Code,
        line: int,
        column: int,
        message: str,
        *,
        hint: str | None = None,
        related: Sequence[Related] = (),
        path: IntentPath = (),
    ) -> None:
        """Add one diagnostic; line and column count from 1. Without a hint of its own it gets the code's remedy."""
        place = Place(self.file, line, column)
        if hint is None:
            hint = code.hint
        count, _ = self._seen.get(code.id, (0, place))
        if count < _LISTED_MAX:
            self._seen[code.id] = (count + 1, place)
            self._bag.add(code, message, path, hint=hint, related=related, place=place)
            return
        if count == _LISTED_MAX:
            self._seen[code.id] = (count + 1, place)
        first = self._seen[code.id][1]
        title = code.title[0].lower() + code.title[1:]
        self._bag.add(code, f"{title}: more of the same from here on", hint=hint, place=first)

    def place(self, line: int, column: int) -> Place:
        """A place in this file."""
        return Place(self.file, line, column)
