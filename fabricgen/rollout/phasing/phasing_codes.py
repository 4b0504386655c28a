"""Codes of changes that need two ends in an order that cannot be kept."""

from __future__ import annotations

from functools import partial

from fabricgen.diagnostics import register

declare = partial(register, source="docs/rollout.md, changes that need two ends")
ONE_VALUE = declare(
    "FG-ROL-060",
    "A change at two ends that no state between old and new carries over",
    why="Whichever end changes first, the link or the session is down until the other follows.",
    fix="Drain one switch at a time by hand and change it together with its neighbors' lines about it, or give the new "
    "value beside the old one first.",
)
NOT_WRITTEN = declare(
    "FG-ROL-062",
    "A file of a state between old and new cannot be written",
    why="The change needs phases, and a file whose meaning is not known to be the intended one is not deployed.",
    fix="Remove from the device what fabricgen does not write into that file, then plan again.",
)
