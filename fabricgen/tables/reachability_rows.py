"""Rows on the reach of flows after failures: pairs with a path, and by what and when the flows that were hit move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from fabricgen.analysis.failure_classes import element_name
from fabricgen.analysis.failures import Effect, PlanFailures, measure_reachability
from fabricgen.analysis.recovery import FlowMove, Recovery, list_moves
from fabricgen.tables.sections import Row
from fabricgen.tables.timer_order import rounded


def reachability_rows(
    failures: PlanFailures, number: int, effect: Effect, recoveries: Sequence[Recovery]
) -> Iterator[Row]:
    """Yield a row for each part of the flows that a class of failures hits.

    Args:
        failures: The failures of the plan.
        number: Number of the class.
        effect: Its effect.
        recoveries: Times of ``list_recoveries``.
    """
    plan = failures.symmetry.plan
    reach = measure_reachability(failures, effect)
    for move in list_moves(plan, effect, reach, recoveries):
        yield {
            "class": number,
            "fails": " + ".join(each.scope for each in effect.classes),
            "example": " + ".join(element_name(plan, each.element) for each in effect.classes),
            "pairs": reach.pairs,
            "pairs_with_a_path": reach.with_a_path,
            "flows_hit_pct": None if reach.hit is None else percent(reach.hit),
            **_move_row(move),
        }


def _move_row(move: FlowMove) -> Row:
    return {
        "flows": move.flows,
        "flows_pct": percent(move.part),
        "moved_by": move.moved_by,
        "moved_ms": rounded(move.dark_ms),
        "silent_moved_by": move.silent_by,
        "silent_moved_ms": rounded(move.silent_ms),
        "exact": str(move.part),
    }


def percent(part: Fraction) -> float:
    """Return a part in percent, with three digits that count."""
    return float(f"{float(part * 100):.3g}")
