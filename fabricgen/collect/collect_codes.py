"""Codes of everything that can be wrong with what was collected."""

from __future__ import annotations

from fabricgen.diagnostics import Severity, register

_SOURCE = "docs/diff.md, sides"
NO_SIDE = register(
    "FG-DIF-001",
    "There is nothing to compare at that place",
    why="A comparison needs both sides.",
    fix="Name an inventory, a rendered tree, a git REV:PATH such as HEAD:my-fabric, collected files, or - for stdin.",
    source=_SOURCE,
)
NO_REVISION = register(
    "FG-DIF-002",
    "The git revision cannot be read",
    why="A comparison needs both sides.",
    fix="Name a revision and a path that git show knows, from inside the repository.",
    source="git documentation, gitrevisions: <rev>:<path>",
)
NEW_PATH = register(
    "FG-DIF-004",
    "The deployed revision does not have the path yet",
    severity=Severity.INFO,
    why="Every device is compared with nothing, as in the change that adds an inventory.",
    fix="No action is needed if the change adds it; otherwise correct the path behind the colon.",
    source=_SOURCE,
)
NOT_REGULAR = register(
    "FG-DIF-014",
    "A directory, a device, a FIFO or a socket in place of a configuration",
    why="It has no content that could be compared, or one without end; the other devices are compared.",
    fix="Name a regular file; pipe what a program writes to -.",
    source=_SOURCE,
)
