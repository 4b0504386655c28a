"""From intent paths to file positions and quotable lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from fabricgen.diagnostics import Diagnostic, IntentPath, Place, Related, format_path, lookup
from fabricgen.source import Document


def place_diagnostics(
    diagnostics: Iterable[Diagnostic], document: Document | None, read_as: Document | None = None
) -> list[Diagnostic]:
    """Give every diagnostic with an intent path its position, related places included; sorted by position.

    A diagnostic without a hint gets its code's advice. ``document`` is what the user wrote; ``read_as`` is the same,
    repaired, which knows where a value stands whose key was misspelt.
    """
    placed = [_place(diagnostic, document, read_as) for diagnostic in diagnostics]
    return sorted(placed, key=lambda d: (d.place or Place("", 0, 0), d.code, d.message))


def written_path(document: Document, path: IntentPath) -> IntentPath:
    """The path as the user wrote it: the group of a single host group has no key of its own."""
    if path[:1] == ("hosts",) and len(path) > 1 and not document.has(path[:2]):
        return ("hosts", *path[2:])
    return path


def _place(diagnostic: Diagnostic, document: Document | None, read_as: Document | None) -> Diagnostic:
    code = lookup(diagnostic.code)
    hint = diagnostic.hint or (code.hint if code is not None else "")
    if document is None:
        return replace(diagnostic, hint=hint)
    if read_as is not None and not document.has(written_path(document, diagnostic.path)):
        document = read_as if read_as.has(written_path(read_as, diagnostic.path)) else document
    related = tuple(_related(item, document) for item in diagnostic.related)
    place = diagnostic.place
    path = written_path(document, diagnostic.path)
    if place is None and path:
        place = _nearest(document, path, diagnostic.on_key, related)
    return replace(diagnostic, hint=hint, path=path, place=place, related=related)


def _nearest(document: Document, path: IntentPath, on_key: bool, related: Iterable[Related]) -> Place | None:
    """The place of a path, or of its nearest written parent.

    Of a section that is not written at all it is the first place that takes part, else the end of the document.
    """
    if document.has(path[:1]):
        return document.place(path, on_key)
    return next((item.place for item in related if item.place), document.end)


def _related(item: Related, document: Document) -> Related:
    """A related place with its position; none if the user wrote nothing of it, a default for instance."""
    path = written_path(document, item.path)
    known = item.place is None and bool(path) and document.has(path[:1])
    return replace(item, place=document.place(path)) if known else item


_SHORT_FORMS = ("count", "pool", "ipv4", "ipv6")
"""Keys that a bare value stands for: ``32`` for ``{count: 32}``, a pool for ``{pool: …}``."""


@dataclass(frozen=True, slots=True)
class LineCause:
    """An intent key that takes part in a line.

    Attributes:
        path: The key, as far as it is written in the document.
        place: Where it is written, or the place of what is written around it; None if nothing is.
        is_default: The key itself is not written: its default, or what it follows from, decides.
    """

    path: IntentPath
    place: Place | None
    is_default: bool


def list_causes(document: Document, paths: Iterable[IntentPath]) -> tuple[LineCause, ...]:
    """Each intent path as far as it is written, once."""
    causes: dict[IntentPath, LineCause] = {}
    from fabricgen.plan.model.origin_keys import IF_WRITTEN  # of explain alone

    for full in (each for each in paths if each not in IF_WRITTEN or document.has(each)):
        path = written_path(document, full)
        if path and path[-1] in _SHORT_FORMS and document.is_scalar(path[:-1]):
            path = path[:-1]
        around = document.place(path) if document.has(path[:1]) else None
        causes.setdefault(path, LineCause(path, around, not document.has(path)))
    return tuple(causes.values())


def tell_cause(cause: LineCause, base: Path) -> str:
    """A cause in one line: the key, and where it is written or could be."""
    path = format_path(cause.path)
    place = f"{shorten(cause.place.file, base)}:{cause.place.line}:{cause.place.column}" if cause.place else ""
    if not cause.is_default:
        return f"{path}  {place}".rstrip()
    return f"{path} (default{f'; would be below {place}' if place else ''})"


def shorten(path: str, base: Path) -> str:
    """A path relative to a folder if it lies in it."""
    return Path(path).relative_to(base).as_posix() if Path(path).is_relative_to(base) else path


_RAW = "raw"


def quote_file(
    document: Document | None, file: str, lines: Sequence[str], diagnostics: Iterable[Diagnostic]
) -> Sequence[str]:
    """Lines of a file that diagnostics stand in: of a snippet those without what may be a secret."""
    columns: dict[int, int] = {}
    platform = ""
    for found in diagnostics:
        for place, path in ((found.place, found.path), *((related.place, related.path) for related in found.related)):
            if place is None or place.file != file:
                continue
            columns[place.line] = max(columns.get(place.line, 0), place.column)
            platform = platform or _platform(path) or _platform(found.path)
    if not platform or file in (document.files if document else ()):
        return lines
    from fabricgen.diagnostics.secrets import show_line_of_file

    return [
        show_line_of_file(line, columns[number]) if number in columns else line for number, line in enumerate(lines, 1)
    ]


def _platform(path: Sequence[str]) -> str:
    """The platform that a path of a snippet names."""
    return path[path.index(_RAW) + 1] if _RAW in path[:-1] else ""
