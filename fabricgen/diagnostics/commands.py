"""Quotes of lines that a user wrote for a device: without secrets, every other word where it stands."""

from __future__ import annotations

from fabricgen.diagnostics.secrets import HIDDEN, find_secrets

_LINE_MAX = 2048
"""Of longer lines nothing behind is quoted."""


def show_line_of_file(line: str, column: int = 0) -> str:
    """A source line as it may be quoted; what stands up to a column keeps its place.

    Args:
        line: The line.
        column: Column of what is wrong, from 1; 0 if no column matters.
    """
    parts, at, line = [], 0, line[:_LINE_MAX]
    for found in find_secrets(line):
        placeholder = "…".ljust(found.end - found.start) if found.start + 1 < column else HIDDEN
        parts += [line[at : found.start], placeholder]
        at = found.end
    return "".join((*parts, line[at:]))
