"""Places in the user's own catalog files: a fault of such a file stands at its line, not where the intent names it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from fabricgen.catalog.library import find_file
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath, Place, Related
from fabricgen.source import load_data


def stand_at_record(diagnostic: Diagnostic, folder: Path) -> Diagnostic:
    """Return the diagnostic at the line of the catalog file it is about, if that file is the user's own.

    Args:
        diagnostic: Any; only one with a ``record``, or with related ones, changes.
        folder: The catalog folder of the inventory, which may be missing.
    """
    if not diagnostic.record and not any(item.record for item in diagnostic.related):
        return diagnostic
    related = []
    for item in diagnostic.related:
        place = _find_place(item.record, folder) if item.record else None
        if place is not None or not item.record:
            related.append(replace(item, place=place) if place else item)
    place = _find_place(diagnostic.record, folder) if diagnostic.record else None
    if place is None:
        return replace(diagnostic, related=tuple(related))
    asked = Related("the record is asked for here", diagnostic.path)
    return replace(diagnostic, place=place, related=(asked, *related))


def _find_place(record: IntentPath, folder: Path) -> Place | None:
    """Where a key of a record stands; None if the record ships with fabricgen, or does not exist."""
    kind, name, *keys = record
    path = find_file(kind, name, folder)
    if path is None or not path.is_relative_to(folder):
        return None
    document = load_data(path, Bag(), inside=folder.parent)
    if document is None:
        return None
    return document.place(tuple(keys), on_key=True) if document.has(tuple(keys[:1])) else document.end
