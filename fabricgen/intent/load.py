"""From a document with positions to the typed intent, reporting every error and going on with the best guess."""

from __future__ import annotations

from functools import partial
from typing import Any

from fabricgen.diagnostics import Bag, format_path, register
from fabricgen.diagnostics.words import name_few
from fabricgen.intent.fabric import FabricIntent, legal_keys
from fabricgen.source import Document
from fabricgen.validation.faults import Fault, list_faults
from fabricgen.validation.reading import DocumentReader, ReadResult, read_guessing

UNREADABLE = register(
    "FG-INT-009",
    "Too much is missing to go on",
    why="Checks of the whole fabric need at least hosts, units, tiers and links.",
    fix="Correct the errors above first; more may follow.",
    source="docs/intent.md",
    fatal=True,
)
_PLACEHOLDERS: dict[str, Any] = {
    "fabric": "fabric",
    "per_unit": 1,
    "count": 1,
    "speed": "400G",
    "media": "smf",
    "length_m": 1,
    "priority": 0,
    "reason": "unknown",
}
"""Stand-ins for required values that cannot be read, so that the rest can still be checked."""

_NAMED_MAX = 5
"""Keys that are named of those without which nothing else can be checked."""


def load_intent(document: Document, bag: Bag) -> ReadResult[FabricIntent]:
    """Validate a document as an intent; every error is reported.

    An intent is returned in spite of errors wherever the faulty values can be left out or replaced by a guess, so that
    later stages find their errors in the same run; nothing is rendered from it, because the bag has errors.
    """
    reader = DocumentReader(
        FabricIntent.model_validate,
        partial(list_faults, legal=legal_keys),
        partial(_report, bag),
        _placeholder,
        frozenset({*_PLACEHOLDERS, "server", "nic", "model", "platform"}),
    )
    reading = read_guessing(document, reader)
    if reading.record is None:
        faults = reading.left
        rest = name_few([format_path(fault.shown_path or fault.path) for fault in faults], _NAMED_MAX)
        bag.add(UNREADABLE, f"nothing else can be checked without {rest}", faults[0].shown_path or faults[0].path)
    return reading


def _report(bag: Bag, document: Document, fault: Fault) -> None:
    path = fault.path if fault.shown_path is None else fault.shown_path
    place = None if fault.shown_path is None else document.place(fault.path, fault.on_key)
    code = fault.mistake.code
    bag.add(code, fault.message, path, on_key=fault.on_key, hint=fault.hint, place=place)


def _placeholder(document: Document, key: str) -> Any:
    """A value for a required key: a fixed guess, else what the key says elsewhere in the document."""
    return _PLACEHOLDERS[key] if key in _PLACEHOLDERS else _elsewhere(document.data, key)


def _elsewhere(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        if isinstance(value.get(key), str):
            return value[key]
        return next((found for item in value.values() if (found := _elsewhere(item, key)) is not None), None)
    return None
