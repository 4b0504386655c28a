"""The order of diagnostics that all writers share."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.diagnostics.model import Diagnostic, Place

_NOWHERE = Place("", 0, 0)


def sort_diagnostics(diagnostics: Sequence[Diagnostic]) -> list[Diagnostic]:
    """Sort by place, then code, path and message; what has no place comes last."""
    return sorted(
        diagnostics,
        key=lambda item: (item.place is None, item.place or _NOWHERE, item.code, item.path, item.message),
    )
