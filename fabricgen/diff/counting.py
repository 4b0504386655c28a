"""Unit in which a change is counted: the ports it concerns, directly or through rows that refer to it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fabricgen.diff.members import as_object, find_object
from fabricgen.platforms.patching.steps import Change
from fabricgen.platforms.reading.reader import ReadFault, Tree, read_json

References = dict[str, frozenset[str]]
Memo = dict[tuple[str, bytes], References]
PORT = "port"
_ARROW = " > "


class Counted(NamedTuple):
    """Ports that some changes concern, as far as the changed lines alone show it.

    Attributes:
        things: Ports, or the places themselves where nothing else is counted.
        references: Rows whose users are counted: where those are, and the name of the row.
    """

    things: frozenset[str]
    references: frozenset[tuple[str, str]]


def count(changes: Iterable[Change]) -> Counted:
    """Return what changes concern."""
    things: set[str] = set()
    references: set[tuple[str, str]] = set()
    for change in changes:
        counts, steps = change.meaning.get("counts"), change.steps
        if counts == PORT and steps and " " in steps[0]:
            # A section of a command line: interface NAME.
            things.add(steps[0].rpartition(" ")[2])
        elif not counts or len(steps) < 2:
            things.add(_ARROW.join(steps))
        elif counts == PORT:
            things.add(steps[1].partition("|")[0])
        else:
            references.add((counts, steps[1]))
    return Counted(frozenset(things), frozenset(references))


def noun_of(change: Change) -> str:
    """Return what is counted: ports, or nothing in particular."""
    return PORT if change.meaning.get("counts") else ""


class Counting:
    """Counts the changes of one file.

    A file that was not read as a whole is looked into for the tables that refer to what changed.
    """

    __slots__ = ("_data", "_memo", "_referring", "_tree")

    def __init__(self, tree: Tree, data: bytes = b"", memo: Memo | None = None) -> None:
        """Count in a tree, or in a JSON file where there is none.

        Args:
            tree: The file, read.
            data: The file, if it was not read as a whole.
            memo: What was found in tables that other devices have as well, byte for byte.
        """
        self._tree = tree
        self._data = data
        self._memo = {} if memo is None else memo
        self._referring: dict[str, References] = {}

    def collect(self, counted: Counted, things: set[str]) -> None:
        """Add the names of what some changes concern."""
        things.update(counted.things)
        for counts, row in counted.references:
            if counts not in self._referring:
                self._referring[counts] = self._refer(counts)
            things.update(self._referring[counts].get(row, ()))

    def _refer(self, counts: str) -> References:
        """Ports by the name that a field of their rows refers to."""
        table, _, key = counts.partition(_ARROW)
        rows = self._tree.get(table)
        if rows is not None or not self._data:
            return _index(rows, key)
        member = find_object(self._data, table.encode())
        if member is None:
            return _index(_rows(self._data, table), key)
        known = self._memo.get((counts, member))
        if known is None:
            known = self._memo[counts, member] = _index(_rows(as_object(member), table), key)
        return known


def _rows(data: bytes, table: str) -> object:
    """A table of a JSON file; None if the file, read for what differs only, is none as a whole."""
    try:
        return read_json(data.decode()).get(table)
    except (ReadFault, UnicodeDecodeError):
        return None


def _index(rows: object, key: str) -> References:
    """Ports by the value of a field of their rows."""
    found: dict[str, set[str]] = {}
    for name, row in rows.items() if isinstance(rows, dict) else ():
        value = row.get(key) if isinstance(row, dict) else None
        if isinstance(value, str):
            found.setdefault(value, set()).add(str(name).partition("|")[0])
    return {name: frozenset(ports) for name, ports in found.items()}
