"""How large a fabric may be: a slip of a few zeros must not keep fabricgen busy for hours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fabricgen.diagnostics import Bag, IntentPath, format_path
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.types import Count
from fabricgen.plan.build import codes

DEVICES_MAX = 1_000_000
"""Switches and hosts together; a fabric of a million GPUs has less than a fifth of that."""


def limit_size(intent: FabricIntent, bag: Bag) -> FabricIntent:
    """The intent, with counts that make the fabric too large reported and taken for 2, so that the rest is checked."""
    while (devices := _count_devices(intent)) > DEVICES_MAX:
        path, count = max(_counts(intent), key=lambda item: item[1].count)
        bag.add(
            codes.TOO_LARGE,
            f"{format_path(path)} is {count.count}, which makes {devices} devices; {DEVICES_MAX} are the limit",
            (*path, "count"),
            hint="lower the count",
        )
        intent = _replaced(intent, path, count.model_copy(update={"count": 2, "max": 2}))
    return intent


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


def _count_devices(intent: FabricIntent) -> int:
    """About how many devices the counts make: one leaf per unit, and every upper tier in its scope."""
    found = {path: count.count for path, count in _counts(intent)}
    zones, planes = found.get(("zones",), 1), found.get(("planes",), 1)
    pods = zones * found.get(("pods",), 1)
    units = pods * found[("units",)]
    hosts = sum(count for path, count in found.items() if path[0] == "hosts")
    scopes = {"pod": pods, "zone": zones}
    uppers = sum(
        tier.count.count * scopes.get(tier.per or "fabric", 1)
        for tier in intent.tiers.values()
        if tier.count is not None
    )
    return units * (hosts + planes) + uppers * planes


def _replaced(value: Any, path: IntentPath, new: Count) -> Any:
    """A copy of a model or mapping with another count at a path."""
    if not path:
        return new
    head, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {**value, head: _replaced(value[head], rest, new)}
    return value.model_copy(update={head: _replaced(getattr(value, head), rest, new)})
