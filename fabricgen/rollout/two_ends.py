"""Changes whose other end lies on another device, by what the semantics say of their paths.

The semantics of a file name the kind of a path (``ends``), see templates/README.md. What both ends of a link agree on
changes over intents, what both ends of a session agree on over drained switches.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from fabricgen.diff.device import DeviceDiff
from fabricgen.platforms.patching.steps import ABSENT, Change
from fabricgen.platforms.reading.traffic import find_lossless

CONTRACT = ("dscp", "pfc", "mark", "dcqcn", "ecn", "queues", "mtu")
"""Kinds on which both ends of a link agree."""
HASH = "hash"
"""Kind of what decides which way a switch sends each flow."""
SESSION = "session"
"""Kind of the addresses and AS numbers that both ends of a session know."""
WORDS = (*CONTRACT, SESSION, HASH)
_NUMBER = re.compile(r"\d+")
_OFF = frozenset(("", "0", "no", "none", "off", "false", "disable", "disabled", "ecn_none"))
LINES = "lines"
"""Last step of the path of a text."""


class LosslessPriorities(NamedTuple):
    """Lossless priorities of a device: before its change, and after."""

    before: frozenset[int]
    after: frozenset[int]


def changes_contract(device: DeviceDiff) -> bool:
    """Return whether a change of a device needs an order across devices: of code points, PFC, ECN, marks or MTU."""
    lossless = _find_lossless(device)
    return any(_needs_order(change, lossless) for _, change in device.changes)


def changes_hash(device: DeviceDiff) -> bool:
    """Return whether all flows of a device move."""
    return any(change.meaning.get("ends") == HASH for _, change in device.changes)


def changes_sessions(device: DeviceDiff) -> bool:
    """Return whether sessions of a device that go on get other addresses or numbers.

    Sessions that only come, or only go, have another end that comes or goes.
    """
    found = [change for _, change in device.changes if change.meaning.get("ends") == SESSION and not change.idle]
    kept = any(change.before is not ABSENT and change.after is not ABSENT for change in found)
    return kept or len({change.before is ABSENT for change in found}) > 1


def kind_of_lines(change: Change) -> str:
    """Return the first kind of the contract that differing lines of a text are of; empty if none is."""
    before, after = (set(side) if isinstance(side, list) else set[str]() for side in (change.before, change.after))
    kinds = (change.meaning.child(line.strip()).get("ends") for line in sorted(before ^ after))
    return next((kind for kind in kinds if kind in CONTRACT), "")


def _needs_order(change: Change, lossless: LosslessPriorities) -> bool:
    if change.steps[-1:] == (LINES,):
        return bool(kind_of_lines(change))
    kind = change.meaning.get("ends")
    return kind in CONTRACT and (kind not in _DIRECTIONS or _DIRECTIONS[kind](change.before, change.after, lossless))


def _find_lossless(device: DeviceDiff) -> LosslessPriorities:
    """Lossless priorities of a device, by the files that change."""
    before: set[int] = set()
    after: set[int] = set()
    for situation in (file.situation for file in device.files):
        if situation is not None:
            before |= find_lossless(situation.semantics.lossless, situation.before)
            after |= find_lossless(situation.semantics.lossless, situation.after)
    return LosslessPriorities(frozenset(before), frozenset(after))


def _of_class(before: Any, after: Any, lossless: LosslessPriorities) -> bool:
    """A code point that gets another class: only what becomes, is or was lossless has an order."""
    old, new = class_of(before), class_of(after)
    return old != new and (old in lossless.before or new in lossless.after) if old or new else before != after


def class_of(value: Any) -> int | None:
    """The number that a row gives a code point; None if it gives none."""
    while isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    found = _NUMBER.fullmatch(str(value))
    return int(found[0]) if found else None


def _of_priorities(_: Any, __: Any, lossless: LosslessPriorities) -> bool:
    """Buffers, maps and PFC follow the lossless priorities, whatever their own values are."""
    return lossless.before != lossless.after


def _of_size(before: Any, after: Any, _: LosslessPriorities) -> bool:
    old, new = (_NUMBER.findall(_text(value))[:1] for value in (before, after))
    return old != new


def _of_switch(before: Any, after: Any, _: LosslessPriorities) -> bool:
    """Something that is on or off; another value of what is on has no order."""
    was, is_now = (_text(value).lower() not in _OFF for value in (before, after))
    return was != is_now


def _text(value: Any) -> str:
    return "" if value is ABSENT else str(value)


_DIRECTIONS: dict[str, Callable[[Any, Any, LosslessPriorities], bool]] = {
    "dscp": _of_class,
    "pfc": _of_priorities,
    "mtu": _of_size,
    "ecn": _of_switch,
}
"""Kinds that look at values; the others look at what is there and what is not."""
