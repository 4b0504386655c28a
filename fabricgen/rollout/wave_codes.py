"""Codes of rollouts that cannot be planned."""

from __future__ import annotations

from fabricgen.diagnostics import register

BLOCKED = register(
    "FG-ROL-010",
    "Limits let a changed switch never leave",
    why="The floor is the one the intent states, or three quarters. While one of the switches is out a pair of leafs "
    "would keep less, so no order of the rollout keeps the floor.",
    fix="State a floor that the fabric can keep (rollout.floor), or leave the change to a window without jobs.",
    source="docs/intent.md, rollout",
)
