"""Switches that run another network operating system than the intended one: no command of a patch fits them."""

from __future__ import annotations

from collections.abc import Collection

from fabricgen.diff.device import DeviceDiff


def is_replaced(device: DeviceDiff, intended: Collection[str]) -> bool:
    """Return whether a switch has files, and none of those ``intended`` that its intended platform loads."""
    situations = [file.situation for file in device.files if file.path in intended]
    added = [each for each in situations if each is not None and not each.before_text]
    return device.kind == "switches" and bool(device.foreign) and 0 < len(intended) == len(added)
