"""Codes of files and folders that several rooms read or write."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from fabricgen.diagnostics.registry import Code, register

declare = partial(register, source="docs/architecture.md, law 8: writes are transactional and happen under a lock")

BUSY = declare(
    "FG-OUT-003",
    "Another process is at work there",
    why="Two processes at once would leave a mixture in a folder, or take each other's packets in a lab for their own.",
    fix="Wait for the other process to end, or name another folder, or another lab with --name.",
)
NOT_EMPTY = declare(
    "FG-SRC-042",
    "The folder is in use",
    why="Files that are already there would be mixed with the new ones, or taken for them.",
    fix="Name a folder that does not exist, or is empty.",
)
CANNOT_WRITE = declare(
    "FG-SRC-043",
    "The folder cannot be written",
    why="What was to be written is not there, or incomplete.",
    fix="Make room or correct the rights, or name another folder.",
)
NOT_READ = register(
    "FG-DIF-021",
    "A collected file is no whole configuration",
    why="What the device has is not known; the other devices are compared.",
    fix="Collect the device again, as text in UTF-8; if it is the same, repair the file on the device.",
    source="docs/diff.md, sides",
)


class Unreadable(NamedTuple):
    """Content that cannot be compared, and why."""

    code: Code
    message: str
    line: int = 1
