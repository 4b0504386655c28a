"""Unit in which a change is counted: the ports it concerns, directly or through rows that refer to it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

from fabricgen.platforms.patching.steps import Change
from fabricgen.platforms.reading.reader import ByIdentity, Tree

References = dict[str, frozenset[str]]
PORT = "port"
_ARROW = " > "
_USERS: ByIdentity[References] = ByIdentity()
"""Ports by the name that a field of the rows of a table refers to; most tables are those of a class of devices."""


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
    """Counts the changes of one file."""

    __slots__ = ("_tree",)

    def __init__(self, tree: Tree) -> None:
        """Count in the intended file."""
        self._tree = tree

    def collect(self, counted: Counted, things: set[str]) -> None:
        """Add the names of what some changes concern."""
        things.update(counted.things)
        for counts, row in counted.references:
            table, _, key = counts.partition(_ARROW)
            rows = self._tree.get(table)
            things.update(_USERS.get(rows, key, partial(_index, rows, key)).get(row, ()))


def _index(rows: object, key: str) -> References:
    """Ports by the value of a field of their rows."""
    found: dict[str, set[str]] = {}
    for name, row in rows.items() if isinstance(rows, dict) else ():
        value = row.get(key) if isinstance(row, dict) else None
        if isinstance(value, str):
            found.setdefault(value, set()).add(str(name).partition("|")[0])
    return {name: frozenset(ports) for name, ports in found.items()}
