"""JSON whose repeated keys are found instead of silently won by the last."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from ..facts import Device


def load(path: str, text: str, device: Device) -> dict[str, Any]:
    """The object that a file of a device holds; a key that stands twice in one object is a problem of the device."""

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        counted = Counter(key for key, _ in pairs)
        for key in sorted(key for key, count in counted.items() if count > 1):
            device.say(f"{path}: key {key} stands twice in one object")
        return dict(pairs)

    found: dict[str, Any] = json.loads(text, object_pairs_hook=members)
    return found
