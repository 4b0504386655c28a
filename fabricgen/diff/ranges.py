"""Rows whose keys end in a range, such as ``Ethernet0|3-4``: two that share numbers are about the same thing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from fabricgen.diff.tree_changes import Steps
from fabricgen.platforms.patching.steps import ABSENT, Change

_KEY = re.compile(r"(.+\|)((\d{1,4})(?:-(\d{1,4}))?)")


class _Row(NamedTuple):
    """A row that one side has: what it is of, its range as written, and the numbers in it."""

    change: Change
    shown: str
    first: int
    last: int

    def meets(self, others: Sequence[_Row]) -> bool:
        """Return whether a row has a number that another one has."""
        return any(self.first <= other.last and other.first <= self.last for other in others)


def join_ranges(changes: Sequence[Change]) -> Iterator[Change]:
    """Yield changes as people see them: rows removed and added that share numbers are one change of their range.

    Args:
        changes: Of one file, in the order of the paths.
    """
    joined: dict[Steps, Change | None] = {}
    for gone, new in _pair(changes):
        old, now = [row for row in gone if row.meets(new)], [row for row in new if row.meets(gone)]
        if old and now:
            joined.update((row.change.steps, None) for row in (*old, *now))
            before, after = (
                {row.shown: row.change.before for row in old},
                {row.shown: row.change.after for row in now},
            )
            joined[now[0].change.steps] = now[0].change._replace(before=before, after=after)
    for change in changes:
        shown = joined.get(change.steps, change)
        if shown is not None:
            yield shown


def _pair(changes: Sequence[Change]) -> Iterable[tuple[list[_Row], list[_Row]]]:
    """Return rows that go and rows that come, by what their ranges are of."""
    sides: dict[tuple[Steps, str], tuple[list[_Row], list[_Row]]] = {}
    for change in changes:
        found = _KEY.fullmatch(change.steps[-1]) if change.steps else None
        if found and ABSENT in (change.before, change.after):
            row = _Row(change, found[2], int(found[3]), int(found[4] or found[3]))
            pair = sides.setdefault((change.steps[:-1], found[1]), ([], []))
            pair[change.before is ABSENT].append(row)
    return sides.values()
