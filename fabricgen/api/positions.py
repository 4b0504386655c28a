"""From intent paths to file positions: the one place that knows both."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from fabricgen.diagnostics import Diagnostic, IntentPath, Place, Related, lookup
from fabricgen.source import Document


def place_diagnostics(
    diagnostics: Iterable[Diagnostic], document: Document | None, read_as: Document | None = None
) -> list[Diagnostic]:
    """Give every diagnostic with an intent path its position, related places included; sorted by position.

    A diagnostic without a hint gets its code's advice: a stage gives a hint only where it knows more than that.

    Args:
        diagnostics: What the stages said.
        document: What the user wrote.
        read_as: The same, repaired; knows where a value stands whose key was misspelt.
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
