"""Switches whose own change brings what graceful shutdown (RFC 8326) rests on."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.diff.device import DeviceDiff
from fabricgen.platforms.patching.steps import Change

_SENT = frozenset(("yes", "standard"))
"""Words of a command that sends communities: alone it sends every kind, else those that it names."""


def ignores_shutdown(device: DeviceDiff) -> bool:
    """Return whether import policies of a device change, by which it may go on using a drained neighbor until then."""
    return any(_changes(device, "honors"))


def hides_shutdown(device: DeviceDiff) -> bool:
    """Return whether a device sends some neighbor no communities before its change, so that none of a drain either."""
    return any(_SENT.isdisjoint(str(change.before).split()) for change in _changes(device, "tells"))


def _changes(device: DeviceDiff, part: str) -> Iterator[Change]:
    """Yield the changes of sessions that are there which concern a part of graceful shutdown."""
    return (change for _, change in device.changes if change.meaning.get("shutdown") == part and not change.idle)
