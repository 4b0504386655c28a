"""Codes of what keeps an export from being made."""

from __future__ import annotations

from functools import partial

from fabricgen.diagnostics import register

declare = partial(register, source="docs/check.md, ANTA")
NO_DEVICES = declare(
    "FG-XPT-001",
    "No device of the fabric is one that the tool reads",
    why="The export would hold nothing, and its checks would pass.",
    fix="Name another format, or an inventory with switches that the tool reads.",
)
NOT_EMPTY = declare(
    "FG-XPT-002",
    "The folder of an export is not empty",
    why="Files of another fabric would be mixed with the new ones.",
    fix="Name a folder that is empty or not there.",
)
NOT_WRITTEN = declare(
    "FG-XPT-003",
    "An export cannot be written",
    why="What is in the folder is incomplete.",
    fix="Make room, or name another folder.",
)
