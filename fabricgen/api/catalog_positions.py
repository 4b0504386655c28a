"""Places in the user's own catalog files: a fault of such a file stands at its line, not where the intent names it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fabricgen.catalog.library import OwnFolder, find_file
from fabricgen.diagnostics import Bag, Diagnostic, IntentPath, Place, Related
from fabricgen.source import load_data


def stand_at_record(diagnostic: Diagnostic, own: Sequence[OwnFolder]) -> Diagnostic:
    """Return the diagnostic at the line of the catalog file it is about, if that file is the user's own.

    Args:
        diagnostic: Any; only one with a ``record``, or with related ones, changes.
        own: The user's catalog folders.
    """
    if not diagnostic.record and not any(item.record for item in diagnostic.related):
        return diagnostic
    related = []
    for item in diagnostic.related:
        place = _find_place(item.record, own) if item.record else None
        if place is not None or not item.record:
            related.append(replace(item, place=place) if place else item)
    place = _find_place(diagnostic.record, own) if diagnostic.record else None
    if place is None:
        return replace(diagnostic, related=tuple(related))
    asked = Related("the record is used here", diagnostic.path)
    return replace(diagnostic, place=place, related=(asked, *related))


def _find_place(record: IntentPath, own: Sequence[OwnFolder]) -> Place | None:
    """Return the place of a key of a record; None if the record ships with fabricgen, or does not exist."""
    kind, name, *keys = record
    file = find_file(kind, name, own)
    if file is None or file.inside is None:
        return None
    document = load_data(file.path, Bag(), inside=file.inside)
    if document is None:
        return None
    return document.place(tuple(keys), on_key=True) if document.has(tuple(keys[:1])) else document.end
