"""Policies that are read as a whole, of which only prefixes change: in between, they permit old and new ones.

Data of the semantics (``alternatives``): ``list``, the key of lists of which one item has to match; ``actions``, the
key of the actions of a term, and ``accepts``, the action by which it permits. A term that denies would deny both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fabricgen.platforms.patching.steps import ABSENT, Change, Situation
from fabricgen.rollout.phasing.atoms import ChangePart, Context

_KIND = "list"


def permit_either(change: Change, situation: Situation, context: Context) -> ChangePart | None:
    """Return the part of a policy of which only lists of permitted prefixes change; None for any other change.

    Args:
        change: Of a policy, or of a part of it that is read as a whole.
        situation: Of the file.
        context: Of its device.
    """
    data: Mapping[str, Any] = situation.semantics.data.get("alternatives", {})
    both = _unite(change.before, change.after, data) if data else ABSENT
    if both is ABSENT or both == change.after:
        return None
    gain, loss = context.atom(_KIND, ABSENT, change.after), context.atom(_KIND, change.before, ABSENT)
    return ChangePart(
        change,
        (gain, loss),
        lambda done: change.after if done(loss) else both if done(gain) else change.before,
    )


def _unite(old: Any, new: Any, data: Mapping[str, Any]) -> Any:
    """Return what permits everything that either side permits; ABSENT where anything but such a list differs."""
    if old == new:
        return new
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        if data["accepts"] not in new.get(data["actions"], [data["accepts"]]):
            return ABSENT
        found = {
            key: _join(old[key], new[key]) if key == data["list"] else _unite(old[key], new[key], data) for key in new
        }
        return ABSENT if ABSENT in found.values() else found
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        items = [_unite(*pair, data) for pair in zip(old, new, strict=True)]
        return ABSENT if ABSENT in items else items
    return ABSENT


def _join(old: Any, new: Any) -> Any:
    """Return the items of both lists; ABSENT where one is empty, which may match anything."""
    return [*new, *(item for item in old if item not in new)] if old and new else ABSENT
