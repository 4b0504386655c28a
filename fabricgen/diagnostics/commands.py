"""Quotes of lines that a user wrote for a device: without secrets, every other word where it stands."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.diagnostics.secrets import HIDDEN, find_secrets

_LINE_MAX = 2048
"""Of longer lines nothing behind is quoted."""


def show_words(words: Sequence[str]) -> list[str]:
    """Words of a command as they may be quoted, with a placeholder for each that may be a secret."""
    hidden = [(found.start, found.end) for found in find_secrets(" ".join(words))]
    shown, at = [], 0
    for word in words:
        is_hidden = any(start < at + len(word) and at < end for start, end in hidden)
        shown.append(HIDDEN if is_hidden else word)
        at += len(word) + 1
    return shown


def show_line_of_file(line: str, column: int = 0) -> str:
    """A source line as it may be quoted; what stands up to a column keeps its place.

    Args:
        line: The line.
        column: Column of what is wrong, from 1; 0 if no column matters.
    """
    parts, at, line = [], 0, line[:_LINE_MAX]
    for found in find_secrets(line):
        stand_in = "…".ljust(found.end - found.start) if found.start + 1 < column else HIDDEN
        parts += [line[at : found.start], stand_in]
        at = found.end
    return "".join((*parts, line[at:]))
