"""Smaller numbers that fit a device, a pool or a table."""

from __future__ import annotations

from collections.abc import Iterable

from fabricgen.diagnostics import Fix, IntentPath, KeyChange, format_path, set_to
from fabricgen.intent.fabric import FabricIntent
from fabricgen.plan.planner.factors import written_value


def fitting(intent: FabricIntent, paths: Iterable[IntentPath], too_much: int) -> tuple[Fix, ...]:
    """Propose less of each number in turn: the smallest step down first, a maximum not below its count.

    Args:
        intent: The intent.
        paths: Keys that multiply to what is needed.
        too_much: By how much it is too much; nothing is proposed for 0.
    """
    found: list[Fix] = []
    for path in dict.fromkeys(paths) if too_much > 0 else ():
        value = written_value(intent, path)
        if not isinstance(value, int) or path[-1] not in ("max", "per_pair", "count"):
            continue
        least = written_value(intent, (*path[:-1], "count")) if path[-1] == "max" else 1
        floor = least if isinstance(least, int) else 1
        for number in _steps(value, floor):
            text = f"set {format_path(path)} to {number}"
            found += set_to(path, number, text, hinted=True)
        if path[-1] == "max" and floor > 1:
            for number in _steps(floor, 1):
                changes = (KeyChange((*path[:-1], "count"), number), KeyChange(path, number))
                found.append(Fix(changes, f"set {format_path(path[:-1])} to {number}", hinted=True))
    return tuple(sorted(found, key=lambda fix: (len(fix.changes), fix.changes[0].path[-1] != "max")))


def _steps(value: int, floor: int) -> list[int]:
    """A few smaller numbers: one less, halves, and the least there may be."""
    halves = [value >> shift for shift in range(1, value.bit_length()) if value >> shift > floor]
    return [number for number in dict.fromkeys([value - 1, *halves, floor]) if floor <= number < value]
