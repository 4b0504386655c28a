"""Facts that a file tells of traffic: lossless priorities, and what carries nothing.

What changes about ports and sessions that carry nothing disturbs nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Annotated, Any, NamedTuple

from fabricgen.platforms.reading.reader import find_places, look_up, matches
from fabricgen.platforms.values import Line
from fabricgen.validation.forms import Written, record, refuse


def one_group() -> Written:
    """Return the form of a regular expression with one group."""

    def read(value: Any) -> str:
        try:
            if isinstance(value, str) and re.compile(value).groups == 1:
                return value
        except re.error:
            pass
        raise refuse("is not a regular expression with one group")

    return Written(read, ("string",))


@record
class LosslessEntry(NamedTuple):
    """A place of a file that tells lossless priorities.

    Attributes:
        path: Pattern of the path; a line of a text is a step below ``lines``.
        priority: Regular expression; its group is a priority wherever it matches in ``PATH = VALUE``.
        off: Path of what turns all of them off while it is set to ``yes``; empty where nothing does.
    """

    path: Line
    priority: Annotated[str, one_group()]
    off: Line = ""


def find_lossless(entries: Sequence[LosslessEntry], tree: dict[str, Any]) -> frozenset[int]:
    """Return the lossless priorities that a tree tells in some places."""
    found: set[int] = set()
    for entry in entries:
        if entry.off and ("yes" in (value for _, value in _leaves(tree, tuple(entry.off.split(" > ")), ""))):
            continue
        for path, value in _leaves(tree, tuple(entry.path.split(" > ")), ""):
            found |= {int(number) for number in re.findall(entry.priority, f"{path} = {value}")}
    return frozenset(found)


def _leaves(node: Any, patterns: tuple[str, ...], path: str) -> Iterator[tuple[str, Any]]:
    """Yield path and value of whatever patterns match."""
    if not patterns:
        yield path, node
    elif isinstance(node, dict | list):
        below = node if isinstance(node, dict) else {str(line).strip(): "" for line in node}
        for step, value in below.items():
            if matches(patterns[0], step):
                yield from _leaves(value, patterns[1:], f"{path} > {step}" if path else step)


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

    def __init__(self, entries: Sequence[CarrierEntry], tree: dict[str, Any], quiet: Collection[str] = ()) -> None:
        """Ask a tree by the entries of its file's semantics; what is ``quiet`` carries nothing in any case."""
        self._quiet = quiet
        self._entries = [(re.compile(entry.name), entry) for entry in entries]
        self._tree = tree
        self._known: dict[tuple[int, str], bool] = {}

    def find_idle(self, steps: Sequence[str]) -> str:
        """Return the port that is down, or the session that is not there, to which a path belongs; empty if none."""
        named = self._named(steps)
        return next((name for number, name in named if name in self._quiet or self._is_idle(number, name)), "")

    def _named(self, steps: Sequence[str]) -> Iterator[tuple[int, str]]:
        for depth, step in enumerate(steps):
            for number, (pattern, entry) in enumerate(self._entries):
                found = pattern.fullmatch(step)
                above = entry.below.split(" > ") if found and entry.below else ()
                if found and (not above or (len(above) == depth and all(map(matches, above, steps)))):
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
