"""Intent keys that take part in something, each with the place at which it is written."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from fabricgen.api.positions import written_path
from fabricgen.diagnostics import IntentPath, Place, format_path
from fabricgen.source import Document

_SHORT_FORMS = ("count", "pool", "ipv4", "ipv6")
"""Keys that a bare value stands for: ``32`` for ``{count: 32}``, a pool for ``{pool: …}``."""


@dataclass(frozen=True, slots=True)
class Cause:
    """An intent key that takes part in a line.

    Attributes:
        path: The key, as far as it is written in the document.
        place: Where it is written, or the place of what is written around it; None if nothing is.
        is_default: The key itself is not written: its default, or what it follows from, decides.
    """

    path: IntentPath
    place: Place | None
    is_default: bool


def list_causes(document: Document, paths: Iterable[IntentPath]) -> tuple[Cause, ...]:
    """Each intent path as far as it is written, once."""
    causes: dict[IntentPath, Cause] = {}
    for full in paths:
        path = written_path(document, full)
        if path and path[-1] in _SHORT_FORMS and document.is_scalar(path[:-1]):
            path = path[:-1]
        around = document.place(path) if document.has(path[:1]) else None
        causes.setdefault(path, Cause(path, around, not document.has(path)))
    return tuple(causes.values())


def tell_cause(cause: Cause, base: Path) -> str:
    """A cause in one line: the key, and where it is written or could be."""
    path = format_path(cause.path)
    place = f"{shorten(cause.place.file, base)}:{cause.place.line}:{cause.place.column}" if cause.place else ""
    if not cause.is_default:
        return f"{path}  {place}".rstrip()
    return f"{path} (default{f'; would be below {place}' if place else ''})"


def shorten(path: str, base: Path) -> str:
    """A path relative to a folder if it lies in it."""
    return Path(path).relative_to(base).as_posix() if Path(path).is_relative_to(base) else path
