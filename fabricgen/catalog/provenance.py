"""Where a catalog file says its values come from, and whether the file is named like its record."""

from __future__ import annotations

from fabricgen.catalog import catalog_codes as codes
from fabricgen.catalog.reader import Table
from fabricgen.catalog.records import Provenance

_CONFIDENCES = ("sourced", "secondary", "unconfirmed")


def read_id(root: Table, file_id: str) -> str:
    """The record's id, which must be the name the file was found by."""
    written = root.text("id")
    if written and written != file_id:
        root.fault(codes.WRONG_ID, f"id is {written}, the file is named {file_id}", "id", hint=f"write id: {file_id}")
    return file_id


def read_provenance(root: Table) -> Provenance:
    """Read ``source``, ``confidence``, ``sources`` and ``unconfirmed`` of a file."""
    confidence = root.text("confidence", "sourced")
    if confidence not in _CONFIDENCES:
        wanted = ", ".join(_CONFIDENCES)
        root.fault(codes.BAD_VALUE, f"confidence is {confidence!r}, it must be one of {wanted}", "confidence")
    others = root.table("sources", optional=True)
    return Provenance(
        source=root.text("source"),
        confidence=confidence,
        unconfirmed=root.words("unconfirmed", optional=True),
        sources={name: others.text(name) for name in others.names()},
    )
