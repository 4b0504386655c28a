"""Switches that go on using a drained neighbour until their own change, which brings the policy for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fabricgen.diff.device import DeviceDiff
from fabricgen.diff.file_diff import FileDiff
from fabricgen.platforms.reading.reader import Tree, load_module, optional


def is_deaf(device: DeviceDiff) -> bool:
    """Return whether a device gets the policy by which it honours graceful shutdown (RFC 8326) only by its change.

    Platforms that honour it by themselves need no policy; neither does a device of which no routing changes.
    """
    for file in device.files:
        honours: Callable[[Tree], bool] | None = _of_platform(file, "honours_shutdown")
        situation = file.situation
        if honours and situation is not None and honours(situation.after) and not honours(situation.before):
            return True
    return False


def is_mute(device: DeviceDiff) -> bool:
    """Return whether a device sends some neighbor no communities before its change, so that none of a drain either."""
    for file in device.files:
        announces: Callable[[Tree], bool] | None = _of_platform(file, "announces_shutdown")
        if announces and file.situation is not None and not announces(file.situation.before):
            return True
    return False


def _of_platform(file: FileDiff, name: str) -> Callable[..., Any] | None:
    """Return a function that the platform of a file may have."""
    return optional(load_module(file.kind.rollout), name) if file.kind.rollout else None
