"""Codes of rollouts that cannot be planned."""

from __future__ import annotations

from fabricgen.diagnostics import Severity, register

BLOCKED = register(
    "FG-ROL-010",
    "Limits let a changed switch never leave",
    why="The floor is the one the intent states, or three quarters. While one of the switches is out a pair of leafs "
    "would keep less, so no order of the rollout keeps the floor.",
    fix="State a floor that the fabric can keep (rollout.floor), or leave the change to a window without jobs.",
    source="docs/intent.md, rollout",
)
CUTS_OFF = register(
    "FG-ROL-011",
    "One more failure while a wave is out cuts leafs off",
    severity=Severity.WARNING,
    why="While the wave is out, two leafs reach each other through one switch alone.",
    fix="Raise rollout.floor, or lower rollout.out_max, where more than two switches are above the leafs.",
    source="docs/rollout.md, waves",
)
SLOWS = register(
    "FG-ROL-012",
    "One more failure while a wave is out leaves less than the floor",
    severity=Severity.INFO,
    why="Waves are filled up to the floor, and what fails meanwhile comes on top. The figure is that of the switch "
    "whose failure leaves a pair of leafs least; a link never costs more than the switch above it.",
    fix="No action needed if jobs may run slower for as long as a wave is out; a higher rollout.floor leaves more.",
    source="docs/rollout.md, waves",
)
