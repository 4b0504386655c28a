"""Ports and sessions that carry nothing: what changes about them disturbs nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, NamedTuple

from fabricgen.platforms.reading.lossless import one_group
from fabricgen.platforms.reading.patterns import find_places, matches
from fabricgen.platforms.reading.reader import look_up
from fabricgen.platforms.values import Line
from fabricgen.validation.forms import record


@record
class CarrierEntry(NamedTuple):
    """Form of the names of what carries traffic in a file, and the place that says whether it does.

    Attributes:
        name: Regular expression of a whole step; its group is the name of a port or neighbor.
        row: Path of what the file says of it; ``{}`` stands for the name.
        key: Key of the row that tells whether it is up; empty where a session is down only by not being there.
        up: What the key says where it is up; empty where it says so by any other value than ``down``.
        down: What the key says where it is down.
        below: Pattern of the path in front of the step; empty where such a step means nothing else anywhere.
    """

    name: Annotated[str, one_group()]
    row: Line
    key: Line = ""
    up: Line = ""
    down: Line = ""
    below: Line = ""


class Carriers:
    """Ports and sessions by one tree of a file, the present one."""

    def __init__(self, entries: Sequence[CarrierEntry], tree: dict[str, Any]) -> None:
        """Ask a tree by the entries of its file's semantics."""
        self._entries = [(re.compile(entry.name), entry) for entry in entries]
        self._tree = tree
        self._known: dict[tuple[int, str], bool] = {}

    def find_idle(self, steps: Sequence[str]) -> str:
        """Return the port that is down, or the session that is not there, to which a path belongs; empty if none."""
        return next((name for number, name in self._named(steps) if self._is_idle(number, name)), "")

    def _named(self, steps: Sequence[str]) -> Iterator[tuple[int, str]]:
        for depth, step in enumerate(steps):
            for number, (pattern, entry) in enumerate(self._entries):
                found = pattern.fullmatch(step)
                if found and (not entry.below or _is_below(steps[:depth], entry.below.split(" > "))):
                    yield number, found[1]

    def _is_idle(self, number: int, name: str) -> bool:
        if (number, name) not in self._known:
            entry = self._entries[number][1]
            places = find_places(self._tree, [step.replace("{}", name) for step in entry.row.split(" > ")])
            rows = [look_up(self._tree, *place) for place in places]
            # A port that the file does not have may be up by itself; a neighbor that it does not have is none.
            down = all(_is_down(row, entry) for row in rows) if entry.key else not rows
            self._known[number, name] = down and bool(rows or not entry.key)
        return self._known[number, name]


def _is_down(row: Any, entry: CarrierEntry) -> bool:
    value = str(row.get(entry.key, "")) if isinstance(row, dict) else ""
    return value != entry.up if entry.up else value == entry.down


def _is_below(steps: Sequence[str], patterns: Sequence[str]) -> bool:
    return len(steps) == len(patterns) and all(map(matches, patterns, steps))
