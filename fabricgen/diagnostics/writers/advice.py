"""The lines of a diagnostic behind what is wrong: its hint, and the other places that take part."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.diagnostics.model import Diagnostic, format_path


def advice(diagnostic: Diagnostic) -> Iterator[str]:
    """One line each."""
    if diagnostic.hint:
        yield f"hint: {diagnostic.hint}"
    for related in diagnostic.related:
        where = str(related.place) if related.place else format_path(related.path)
        yield f"note: {where}: {related.text}" if where else f"note: {related.text}"
