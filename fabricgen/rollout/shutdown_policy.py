"""Switches that go on using a drained neighbour until their own change, which brings the policy for it."""

from __future__ import annotations

from fabricgen.diff.device import DeviceDiff


def ignores_shutdown(device: DeviceDiff) -> bool:
    """Return whether a device gets the policy by which it honours graceful shutdown (RFC 8326) only by its change.

    Platforms that honour it by themselves need no policy; neither does a device of which no routing changes.
    """
    for file in device.files:
        honours, situation = file.kind.platform.demotion().honours, file.situation
        if honours and situation is not None and honours(situation.after) and not honours(situation.before):
            return True
    return False


def hides_shutdown(device: DeviceDiff) -> bool:
    """Return whether a device sends some neighbor no communities before its change, so that none of a drain either."""
    for file in device.files:
        announces = file.kind.platform.demotion().announces
        if announces and file.situation is not None and not announces(file.situation.before):
            return True
    return False
