"""Upper limits of a fabric's size: a few zeros too many must not keep fabricgen busy for hours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fabricgen.diagnostics import Bag, IntentPath, format_path
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.types import Count
from fabricgen.plan.planner import plan_codes as codes
from fabricgen.plan.planner.factors import takes_part

LIMITS = {"count": 1_000_000, "max": 16_777_216}
"""Switches and hosts together: a fabric of a million GPUs has less than a fifth of the first number; the second is what
the largest private pool, 10.0.0.0/8, has addresses for."""


def limit_size(intent: FabricIntent, bag: Bag) -> FabricIntent:
    """The intent, with counts that make the fabric too large reported and taken for 2, so that the rest is checked."""
    written = intent
    for key, limit in LIMITS.items():
        while (devices := _count_devices(intent, key)) > limit:
            path, count = max(_counts(intent), key=lambda item: _number(item[1], key))
            most = _largest(intent, path, count, key)
            bag.add(
                codes.TOO_LARGE,
                f"{format_path(path)}.{key} is {_number(count, key)}, which makes {devices} switches and hosts; "
                f"the limit is {limit}",
                (*path, key),
                hint=f"set it to {most} or less",
                related=takes_part(written, _others(intent, (*path, key))),
            )
            small = {"count": 2, "max": 2} if key == "count" else {"max": count.count}
            intent = _replaced(intent, path, count.model_copy(update=small))
    return intent


def _largest(intent: FabricIntent, path: IntentPath, count: Count, key: str) -> int:
    """The largest number of one count with which the fabric is within its limit; 1 if there is none."""
    low, high = 1, _number(count, key)
    while high - low > 1:
        middle = (low + high) // 2
        update = {"count": middle, "max": middle} if key == "count" else {"max": middle}
        tried = _replaced(intent, path, count.model_copy(update=update))
        low, high = (middle, high) if _count_devices(tried, key) <= LIMITS[key] else (low, middle)
    return low


def _others(intent: FabricIntent, path: IntentPath) -> list[IntentPath]:
    """The same of every other count: what is multiplied."""
    paths = ((*other, path[-1] if path[-1] in count.model_fields_set else "count") for other, count in _counts(intent))
    return [other for other in paths if other != path]


def _number(count: Count, key: str) -> int:
    return count.max if key == "max" and count.max is not None else count.count


def _counts(intent: FabricIntent) -> Iterator[tuple[IntentPath, Count]]:
    """Every count of the intent with its path."""
    for name in ("zones", "pods", "units", "planes"):
        if getattr(intent, name) is not None:
            yield (name,), getattr(intent, name)
    for name, tier in sorted(intent.tiers.items()):
        if tier.count is not None:
            yield ("tiers", name, "count"), tier.count
    for name, group in sorted(intent.hosts.items()):
        yield ("hosts", name, "per_unit"), group.per_unit
        if group.backup_per_unit is not None:
            yield ("hosts", name, "backup_per_unit"), group.backup_per_unit


def _count_devices(intent: FabricIntent, key: str) -> int:
    """About how many devices the counts make: one leaf per unit and plane, and every upper tier in its scope."""
    found = {path: _number(count, key) for path, count in _counts(intent)}
    zones, planes = found.get(("zones",), 1), found.get(("planes",), 1)
    pods = zones * found.get(("pods",), 1)
    hosts = sum(number for path, number in found.items() if path[0] == "hosts")
    scopes = {"pod": pods, "zone": zones}
    uppers = sum(
        found.get(("tiers", name, "count"), 0) * scopes.get(tier.per or "fabric", 1)
        for name, tier in intent.tiers.items()
    )
    return pods * found[("units",)] * (hosts + planes) + uppers * planes


def _replaced(value: Any, path: IntentPath, new: Count) -> Any:
    """A copy of a model or mapping with another count at a path."""
    if not path:
        return new
    head, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {**value, head: _replaced(value[head], rest, new)}
    return value.model_copy(update={head: _replaced(getattr(value, head), rest, new)})
