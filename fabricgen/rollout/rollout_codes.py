"""Codes of bundles: writing them, and comparing them with what is deployed."""

from __future__ import annotations

from functools import partial

from fabricgen.diagnostics import Severity, register

declare = partial(register, source="docs/rollout.md")
NO_BUNDLE_FOLDER = declare(
    "FG-ROL-050",
    "The folder for the bundle cannot be used",
    why="A bundle is approved as a whole; files of another one beside it could be carried out by mistake.",
    fix="Name a folder that does not exist yet, or an empty one.",
)
NO_ROLLOUT_PLAN = declare(
    "FG-ROL-051",
    "A rollout needs the plan of its fabric",
    why="Waves follow from the cabling, which a rendered tree alone does not tell.",
    fix="Name an inventory on the intended side, or a tree beside the inventory that it was rendered from.",
)
INCOMPLETE = declare(
    "FG-ROL-052",
    "No rollout is planned while something cannot be compared or patched",
    why="The devices that are left out would be changed by nothing and judged by nothing, in the middle of a rollout.",
    fix="Correct what the other errors name, or leave those devices out with --only.",
)
NOT_PLANNED = declare(
    "FG-ROL-053",
    "Devices that a rollout does not add or remove",
    severity=Severity.WARNING,
    why="A new device has nothing to go back to, and a removed one is unplugged, not configured.",
    fix="Use the rendered tree for new devices, before the rollout; remove the others after it.",
)
