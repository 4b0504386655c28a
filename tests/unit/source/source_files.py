"""Files on disk for the tests of the source room, and what reading them gives."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import patch

from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.source import Document, load_document, parse

Write = Callable[..., Path]


def read(
    path: Path, *, pure: bool = False, overlays: tuple[Path, ...] = ()
) -> tuple[Document | None, list[Diagnostic]]:
    """The document of a file shown as ``f``, and everything reported; ``pure`` leaves the C parser out."""
    bag = Bag()
    with patch.object(parse, "_parse_fast", return_value=None) if pure else nullcontext():
        document = load_document(path, bag, overlays=overlays, shown_as="f")
    return document, list(bag)


def spots(diagnostics: list[Diagnostic]) -> list[tuple[str, int, int]]:
    """Code, line and column of diagnostics, sorted."""
    return sorted((item.code, item.place.line, item.place.column) for item in diagnostics if item.place)
