"""Writers: diagnostics as text for people, and as JSON, SARIF, JUnit and workflow commands for machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module

from fabricgen.diagnostics.model import Diagnostic, Place
from fabricgen.diagnostics.writers.text import LinesOf, write_text

FORMATS = ("text", "json", "sarif", "junit", "github")

_MACHINE = {"json": "json_", "sarif": "sarif", "junit": "junit", "github": "github"}
"""Module of each format for machines; it is imported when it is asked for, since some bring much with them."""

_NOWHERE = Place("", 0, 0)

__all__ = ["FORMATS", "LinesOf", "write_diagnostics"]


def write_diagnostics(
    diagnostics: Sequence[Diagnostic],
    format: str,  # noqa: A002 - the option's own word
    *,
    lines_of: LinesOf | None,
    color: bool = False,
) -> str:
    """Write diagnostics, sorted by place, then code, path and message; what has no place comes last.

    Args:
        diagnostics: What to write; none gives a document of the format that says so.
        format: One of ``FORMATS``.
        lines_of: Gives the lines of a file, for showing them in ``text``; None shows none.
        color: Colour ``text`` for a terminal; the other formats have no colours.

    Returns:
        Text that ends with a line feed and can always be encoded; empty only for ``github`` without diagnostics.

    Raises:
        ValueError: There is no such format.
    """
    ordered = sorted(
        diagnostics, key=lambda item: (item.place is None, item.place or _NOWHERE, item.code, item.path, item.message)
    )
    if format == "text":
        return write_text(ordered, lines_of=lines_of, color=color)
    if format not in _MACHINE:
        raise ValueError(f"no format {format!r}; there are {', '.join(FORMATS)}")
    module = import_module(f"{__name__}.{_MACHINE[format]}")
    write: Callable[[Sequence[Diagnostic]], str] = getattr(module, f"write_{format}")
    return write(ordered)
