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
