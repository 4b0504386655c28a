"""Changes packed into patch files that the updater works off in a bounded time.

The time of a file is that of loading the YANG models and, per change, of judging the whole configuration again; so it
grows with the number of changes and with the size of the configuration. Values are CPU seconds of one core of a server.

Source:
    Measured with sonic-utilities 202505 7511bf2f, 202511 a092c970 (libyang 1.0-r4) and 202605 92c565b3 (libyang
    3.12.2), off the switch, dry run; templates/switch/sonic/NOTES.md, *Patches*.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fabricgen.platforms.patching.steps import ABSENT, Change, PatchStep, apply_changes, worst
from fabricgen.platforms.reading.reader import Tree
from fabricgen.platforms.sonic.reader import is_table
from fabricgen.platforms.sonic.updater import FIELD, ROW, Updater

FILE_MAX_S = 60.0
"""Limit of the cost of one file."""
_LIST_CHANGES = 3
Operation = dict[str, Any]


class LoadTime(NamedTuple):
    """Seconds of a file: ``base``, and per thousand fields of the configuration ``load`` and per change ``change``."""

    base: float
    load: float
    change: float
    more: float


class Load:
    """Changes of one file, in the order in which they came, with the time that it takes."""

    def __init__(self, cost: LoadTime, size: float, *, grouped: bool) -> None:
        """Start empty; ``size`` is thousands of fields of the configuration."""
        self.changes: list[Change] = []
        self._cost, self._size, self._grouped = cost, size, grouped
        self._groups: set[tuple[str, ...]] = set()
        self._number = 0

    def add(self, changes: Sequence[Change]) -> None:
        """Add changes."""
        self.changes.extend(changes)
        self._groups |= self._groups_of(changes)
        self._number += sum(map(_weight, changes))

    def seconds(self, more: Sequence[Change] = ()) -> float:
        """Return the seconds of the file once it has more changes."""
        cost = self._cost
        number = self._number + sum(map(_weight, more))
        first = len(self._groups) + len(self._groups_of(more) - self._groups) if self._grouped else number
        return cost.base + self._size * (cost.load + cost.change * first + cost.more * (number - first))

    def takes(self, more: Sequence[Change]) -> bool:
        """Return whether the file has room for more changes; an empty one always has."""
        return not self.changes or self.seconds(more) <= FILE_MAX_S

    def _groups_of(self, changes: Sequence[Change]) -> set[tuple[str, ...]]:
        return {_group(change) for change in changes} if self._grouped else set()


COSTS: Mapping[bool, LoadTime] = {False: LoadTime(0.45, 0.12, 0.17, 0.17), True: LoadTime(0.5, 0.05, 0.11, 0.03)}
"""By whether the sorter groups like changes. ``more`` is for each further change of a group."""


class Files:
    """Patch files for a switch in their order, and the CONFIG_DB that it has after the ``steps`` so far."""

    def __init__(self, state: Tree, target: Tree, updater: Updater) -> None:
        """Begin with a configuration, on the way to another."""
        self.state = state
        self.steps: list[PatchStep] = []
        self._updater = updater
        self._size = max(_size(state), _size(target))

    def seconds(self, changes: Sequence[Change]) -> float:
        """Return what a file with these changes costs."""
        return self._start().seconds(changes)

    def fits(self, changes: Sequence[Change]) -> bool:
        """Return whether one file may hold these changes."""
        return self.seconds(changes) <= FILE_MAX_S

    def send(self, changes: Sequence[Change], disruption: str, reason: str = "") -> None:
        """Add one file."""
        if not changes:
            return
        after = apply_changes(self.state, changes)
        operations = list_operations(self.state, after, changes)
        text = "[\n" + ",\n".join(json.dumps(operation) for operation in operations) + "\n]\n"
        seconds = self.seconds(changes)
        self.steps.append(PatchStep("config apply-patch {file}", "patch.json", text, disruption, reason, seconds))
        self.state = after

    def send_packed(self, bundles: Sequence[Sequence[Change]], disruption: str = "") -> None:
        """Add as few files as the time of one allows; bundles stay together while they fit into one.

        Carrying them out disturbs what the semantics say if ``disruption`` is empty.
        """
        held = self._start()
        for bundle in (part for whole in bundles for part in self._cut(whole)):
            if not held.takes(bundle):
                self.send(held.changes, disruption or _worst_of(held.changes))
                held = self._start()
            held.add(bundle)
        self.send(held.changes, disruption or _worst_of(held.changes))

    def _cut(self, bundle: Sequence[Change]) -> Iterator[list[Change]]:
        held = self._start()
        for change in bundle:
            if not held.takes([change]):
                yield held.changes
                held = self._start()
            held.add([change])
        if held.changes:
            yield held.changes

    def _start(self) -> Load:
        grouped = self._updater.grouped
        return Load(COSTS[grouped], self._size, grouped=grouped)


def _worst_of(changes: Sequence[Change]) -> str:
    return worst([change.disruption for change in changes])


def list_operations(before: Tree, after: Tree, changes: Sequence[Change]) -> list[Operation]:
    """The RFC 6902 operations of changes; a table only where it appears or disappears, for none may be empty."""
    found: dict[tuple[str, ...], Operation] = {}
    for change in changes:
        table = change.steps[0]
        if table not in after:
            found.setdefault((table,), {"op": "remove", "path": pointer((table,))})
        elif table not in before:
            found.setdefault((table,), {"op": "add", "path": pointer((table,)), "value": after[table]})
        else:
            found[change.steps] = _operation(change)
    return list(found.values())


def pointer(steps: Sequence[str]) -> str:
    """A JSON pointer, RFC 6901."""
    return "".join("/" + step.replace("~", "~0").replace("/", "~1") for step in steps)


def _operation(change: Change) -> Operation:
    path = pointer(change.steps)
    if change.after is ABSENT:
        return {"op": "remove", "path": path}
    return {"op": "add" if change.before is ABSENT else "replace", "path": path, "value": change.after}


def _size(tree: Tree) -> float:
    """Thousands of fields of a configuration; a row without fields counts as one."""
    sizes = [len(row) for rows in tree.values() if is_table(rows) for row in rows.values()]
    return (sum(sizes) + sizes.count(0)) / 1000


def _group(change: Change) -> tuple[str, ...]:
    """Return what the sorter of 202605 tries together: one field of a table's rows, or the rows of one port."""
    table, key = change.steps[0], "".join(change.steps[1:2])
    prefix = key.split("|")[0] if "|" in key else ""
    action = "add" if change.before is ABSENT else "remove" if change.after is ABSENT else "replace"
    return (table, prefix, action, *change.steps[ROW:FIELD])


def _weight(change: Change) -> int:
    """Changes that the sorter makes of one: a list is emptied, filled and put in order."""
    return _LIST_CHANGES if isinstance(change.after, list) or isinstance(change.before, list) else 1
