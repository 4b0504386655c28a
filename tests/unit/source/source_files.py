"""Files on disk for the tests of the source room, and what reading them gives."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.source import Document, load_document

Write = Callable[..., Path]


def read(
    path: Path, *, pure: bool = False, overlays: tuple[Path, ...] = ()
) -> tuple[Document | None, list[Diagnostic]]:
    """The document of a file shown as ``f``, and everything reported."""
    bag = Bag()
    document = load_document(path, bag, pure=pure, overlays=overlays, shown_as="f")
    return document, list(bag)


def spots(diagnostics: list[Diagnostic]) -> list[tuple[str, int, int]]:
    """Code, line and column of diagnostics, sorted."""
    return sorted((item.code, item.place.line, item.place.column) for item in diagnostics if item.place)
