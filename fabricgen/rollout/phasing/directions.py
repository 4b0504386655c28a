"""Direction of a change: whether something is accepted more, less or otherwise than before."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from fabricgen.platforms.patching.steps import ABSENT
from fabricgen.rollout.phasing.kinds import KINDS, Order, RolloutStage

_NUMBER = re.compile(r"\d+")
_OFF = frozenset(("", "0", "no", "none", "off", "false", "disable", "disabled", "ecn_none"))


class LosslessPriorities(NamedTuple):
    """Lossless priorities of a device: before its change, and after."""

    before: frozenset[int]
    after: frozenset[int]

    @property
    def gained(self) -> frozenset[int]:
        """Return the priorities that become lossless."""
        return self.after - self.before

    @property
    def lost(self) -> frozenset[int]:
        """Return the priorities that become lossy."""
        return self.before - self.after


def find_stage(
    kind: str, before: Any, after: Any, lossless: LosslessPriorities, *, is_host: bool
) -> RolloutStage | None:
    """Return the stage of a change; None if it goes with whatever else its file has.

    Args:
        kind: Of the path, a key of ``KINDS``.
        before: The value that is there; ABSENT if none.
        after: The value that should be; ABSENT if none.
        lossless: Of the device.
        is_host: The device is a host.
    """
    ends = KINDS[kind]
    order: Order = ends.host if is_host else ends.switch
    direction = _DIRECTIONS.get(kind, _by_presence)(before, after, lossless)
    return getattr(order, direction) if direction else None


def _by_presence(before: Any, after: Any, _: LosslessPriorities) -> str:
    if before is ABSENT:
        return "gain"
    return "loss" if after is ABSENT else "change"


def _of_class(before: Any, after: Any, lossless: LosslessPriorities) -> str:
    """A code point that gets another class: only what becomes, is or was lossless has an order."""
    old, new = class_of(before), class_of(after)
    was, becomes = old in lossless.before, new in lossless.after
    if was and becomes:
        return "change" if old != new else ""
    return "gain" if becomes else "loss" if was else ""


def class_of(value: Any) -> int | None:
    """The number that a row gives a code point; None if it gives none."""
    while isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    found = _NUMBER.fullmatch(str(value))
    return int(found[0]) if found else None


def _of_priorities(_: Any, __: Any, lossless: LosslessPriorities) -> str:
    """Buffers, maps and PFC follow the lossless priorities, whatever their own values are."""
    return "gain" if lossless.gained else "loss" if lossless.lost else ""


def _of_size(before: Any, after: Any, _: LosslessPriorities) -> str:
    old, new = (sum(map(int, _NUMBER.findall(_text(value))[:1])) for value in (before, after))
    return "gain" if new > old else "loss" if new < old else ""


def _of_priority_sets(before: Any, after: Any, _: LosslessPriorities) -> str:
    """Priorities listed, or the bits of a mask: more of them, or fewer."""
    if ABSENT in (before, after):
        return _by_presence(before, after, _)
    old, new = (list(map(int, _NUMBER.findall(_text(value)))) for value in (before, after))
    if len(old) == len(new) == 1 or _differ_in_last(old, new):
        return "gain" if old[-1] | new[-1] == new[-1] else "loss" if old[-1] | new[-1] == old[-1] else ""
    return "gain" if set(old) < set(new) else "loss" if set(new) < set(old) else ""


def _differ_in_last(old: list[int], new: list[int]) -> bool:
    return bool(old) and len(old) == len(new) and old[:-1] == new[:-1]


def _of_switch(before: Any, after: Any, _: LosslessPriorities) -> str:
    """Something that is on or off; another value of what is on has no order."""
    was, is_now = (_text(value).lower() not in _OFF for value in (before, after))
    return "" if was == is_now else "gain" if is_now else "loss"


def _text(value: Any) -> str:
    return "" if value is ABSENT else str(value)


_DIRECTIONS: dict[str, Callable[[Any, Any, LosslessPriorities], str]] = {
    "dscp": _of_class,
    "pfc": _of_priorities,
    "mtu": _of_size,
    "dcqcn": _of_priority_sets,
    "ecn": _of_switch,
}
"""Kinds that look at values; the others look at what is there and what is not."""
