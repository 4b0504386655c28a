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

    The text ends with a line feed and can always be encoded; it is empty only for ``github`` without diagnostics.
    ``text`` shows lines where ``lines_of`` gives them, and has colours if ``color``. Raises ValueError for an unknown
    format.
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
