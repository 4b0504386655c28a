"""JSON whose repeated keys are found instead of silently won by the last."""

from __future__ import annotations

import json
from typing import Any


def load(text: str) -> tuple[Any, list[str]]:
    """Parse JSON.

    Returns:
        The value, and every key that stands twice in one object.

    Raises:
        ValueError: The text is not JSON.
    """
    repeated: list[str] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            keys = [key for key, _ in pairs]
            repeated.extend(sorted({key for key in keys if keys.count(key) > 1}))
        return found

    return json.loads(text, object_pairs_hook=members), repeated
