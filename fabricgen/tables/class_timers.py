"""Columns and rows of a class of failures about time: until traffic has moved, and the timers that decide it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.analysis.failures import Effect
from fabricgen.analysis.recovery import Recovery, time_moved, timers_of
from fabricgen.analysis.timing import TimerPair
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.sections import Row
from fabricgen.tables.timer_order import pair_row, rounded


def moved_row(plan: FabricPlan, effect: Effect, recoveries: Sequence[Recovery]) -> Row:
    """Return how long traffic takes to move, the slower one of two failures; empty where nothing moves all of it."""
    found = [time_moved(plan, each.scope, recoveries) for each in effect.classes]
    moved = [each for each in found if each is not None]
    stays = bool(effect.cut or effect.reduced)
    silent = max(moved, key=lambda each: _or_never(each.silent_ms), default=None)
    dark = max(moved, key=lambda each: _or_never(each.dark_ms), default=None)
    return {
        "moved_ms": rounded(dark.dark_ms) if dark and not stays else None,
        "silent_moved_ms": rounded(silent.silent_ms) if silent and not stays else None,
        "silent_noticed_by": silent.noticed_by if silent else None,
    }


def _or_never(milliseconds: float | None) -> float:
    return float("inf") if milliseconds is None else milliseconds


def timer_rows(plan: FabricPlan, number: int, effect: Effect, pairs: Sequence[TimerPair]) -> Iterator[Row]:
    """Yield the pairs of timers that a class of failures involves, the shortest first, each with its margin."""
    involved = {pair for each in effect.classes for pair in timers_of(plan, each.scope, pairs)}
    for pair in pairs:
        if pair in involved:
            yield {"class": number, **pair_row(pair)}
