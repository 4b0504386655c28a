"""Switches that go on using a neighbour which is drained, because the policy for it comes with their own change."""

from __future__ import annotations

from fabricgen.diff.device import DeviceDiff
from fabricgen.platforms.reading.reader import load_module, optional


def is_deaf(device: DeviceDiff) -> bool:
    """Return whether a device gets the policy by which it honours graceful shutdown (RFC 8326) only by its change.

    Platforms that honour it by themselves need no policy; neither does a device of which no routing changes.
    """
    for file in device.files:
        situation = file.situation
        module = load_module(file.kind.rollout) if situation is not None and file.kind.rollout else None
        honours = optional(module, "honours_shutdown") if module is not None else None
        if honours and situation is not None and honours(situation.after) and not honours(situation.before):
            return True
    return False
