"""What a change is counted in: the ports it concerns, directly or through rows that refer to it."""

from __future__ import annotations

import json

from fabricgen.diff.windows import find_member
from fabricgen.platforms.patching import Change
from fabricgen.platforms.reading import Tree

References = dict[str, frozenset[str]]
Memo = dict[tuple[str, bytes], References]
PORT = "port"
_ARROW = " > "


class Counting:
    """Counts the changes of one file.

    A file that was not read as a whole is looked into for the tables that refer to what changed.
    """

    __slots__ = ("_data", "_memo", "_referring", "_tree")

    def __init__(self, tree: Tree, data: bytes, memo: Memo | None = None) -> None:
        """Count in a tree, or in the bytes of a JSON file where there is none.

        Args:
            tree: The file, read.
            data: The file.
            memo: What was found in tables that other devices have as well, byte for byte.
        """
        self._tree = tree
        self._data = data
        self._memo = {} if memo is None else memo
        self._referring: dict[str, References] = {}

    def noun(self, change: Change) -> str:
        """What is counted: ports, or nothing in particular."""
        return PORT if change.meaning.get("counts") else ""

    def things(self, change: Change) -> frozenset[str]:
        """Names of what a change concerns; of the place itself if nothing else is counted."""
        counts, steps = change.meaning.get("counts"), change.steps
        if not counts or len(steps) < 2:
            return frozenset((_ARROW.join(steps),))
        if counts == PORT:
            return frozenset((steps[1].partition("|")[0],))
        if counts not in self._referring:
            self._referring[counts] = self._refer(counts)
        return self._referring[counts].get(steps[1], frozenset())

    def _refer(self, counts: str) -> References:
        """Ports by the name that a field of their rows refers to."""
        table, _, key = counts.partition(_ARROW)
        rows = self._tree.get(table)
        if rows is not None or not self._data:
            return _index(rows, key)
        member = find_member(self._data, table)
        if member is None:
            return {}
        known = self._memo.get((counts, member))
        if known is None:
            try:
                rows = json.loads(member).get(table)
            except ValueError:
                rows = None
            known = self._memo[counts, member] = _index(rows, key)
        return known


def _index(rows: object, key: str) -> References:
    """Ports by the value of a field of their rows."""
    found: dict[str, set[str]] = {}
    for name, row in rows.items() if isinstance(rows, dict) else ():
        value = row.get(key) if isinstance(row, dict) else None
        if isinstance(value, str):
            found.setdefault(value, set()).add(str(name).partition("|")[0])
    return {name: frozenset(ports) for name, ports in found.items()}
