"""Timers that have to be longer than others, and what recovers from each kind of failure, as rows."""

from __future__ import annotations

from fabricgen.analysis.recovery import Recovery, list_recoveries
from fabricgen.analysis.timing import TimerPair, order_timers
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.sections import Row, pick

DIGITS = 3


def list_order(plan: FabricPlan, *, graceful: bool) -> dict[str, list[Row]]:
    """Return two sections: pairs of timers whose order matters, and the recovery from each kind of failure.

    Args:
        plan: The plan.
        graceful: The leafs restart their routing gracefully.
    """
    return {
        "timer_order": [pair_row(pair) for pair in order_timers(plan, graceful=graceful)],
        "recovery": recovery_rows(plan, graceful=graceful),
    }


def recovery_rows(plan: FabricPlan, *, graceful: bool) -> list[Row]:
    """Return the recovery from each kind of failure.

    Args:
        plan: The plan.
        graceful: The leafs restart their routing gracefully.
    """
    return [_recovery_row(each) for each in list_recoveries(plan, graceful=graceful)]


def pair_row(pair: TimerPair) -> Row:
    """Return two timers of which the second has to be longer, with their margin."""
    return {
        "scope": pair.scope,
        "shorter": pair.shorter,
        "shorter_ms": rounded(pair.shorter_ms),
        "longer": pair.longer,
        "longer_ms": rounded(pair.longer_ms),
        "times": rounded(pair.times),
        "at_least": rounded(pair.least),
        "holds": pair.holds,
        "otherwise": pair.reason,
        "code": pair.code or None,
    }


def _recovery_row(each: Recovery) -> Row:
    return {
        "failure": each.kind.value,
        **pick(each, "scope", "noticed_by"),
        "noticed_ms": rounded(each.noticed_ms),
        "healed_ms": rounded(each.healed_ms),
        "retry_budget_ms": rounded(each.budget_ms),
        "times": rounded(each.margin),
    }


def rounded(value: float | None) -> float | None:
    """Return a figure without digits that say nothing."""
    whole = None if value is None else round(value, DIGITS)
    return int(whole) if whole is not None and whole == int(whole) else whole
