"""Proposals: values of counts that would make a number what it should be; each is tried before it is recommended."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from fabricgen.diagnostics import Fix, IntentPath, KeyChange, format_path
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.types import Count
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.planner.factors import Factors


def factors_of(intent: FabricIntent, plan: FabricPlan, *, reserved: bool = False) -> Factors:
    """Return the finder of the keys behind the numbers of a planned fabric."""
    return Factors(intent, [tier.name for tier in plan.tiers], [link.name for link in plan.links], reserved)


def scaled(intent: FabricIntent, paths: Iterable[IntentPath], by: Fraction, gives: str) -> tuple[Fix, ...]:
    """Propose to multiply one of several counts.

    Args:
        intent: The intent.
        paths: The counts, the likeliest first; one that is not in the intent, or would not be whole, is left out.
        by: By what.
        gives: What comes of it, for the text.
    """
    found = []
    for path in paths:
        value = _value(intent, path)
        number = value.count if isinstance(value, Count) else value
        if isinstance(number, int) and (number * by).denominator == 1 and number * by >= 1:
            found.append(raised(value, path, int(number * by), gives))
    return tuple(found)


def raised(value: object, path: IntentPath, number: int, gives: str) -> Fix:
    """Propose another number for a count; its maximum grows with it."""
    text = f"set {format_path(path)} to {number}, which gives {gives}"
    if not isinstance(value, Count):
        return Fix((KeyChange(path, number),), text, hinted=True)
    changes = [KeyChange((*path, "count"), number)]
    if value.max is not None and value.max < number:
        changes.append(KeyChange((*path, "max"), number))
    return Fix(tuple(changes), text, hinted=True)


def _value(intent: FabricIntent, path: IntentPath) -> object:
    value: object = intent
    for segment in path:
        value = value.get(segment) if isinstance(value, dict) else getattr(value, segment, None)
    return value
