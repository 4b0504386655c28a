"""From a document with positions to a validated record, reporting every error and going on with the best guess."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import TypeAdapter, ValidationError

from fabricgen.diagnostics import Bag, IntentPath, Place, format_path
from fabricgen.source import Document, EditedTree, load_data
from fabricgen.validation.faults import Fault, format_keys, list_faults, meant_path
from fabricgen.validation.mistakes import Mistake
from fabricgen.validation.schema import keys_at

_ROUNDS = 8
T = TypeVar("T")


class DocumentReader(NamedTuple, Generic[T]):
    """Reader of one kind of document.

    Attributes:
        faults: Puts what a validation found in the user's words.
        report: Takes every fault that is the user's own, with the document it is in.
        placeholder: What a required key is taken for where it cannot be read; None where nothing stands in.
        required: Keys that are replaced, not left out, where their value is faulty.
    """

    validate: Callable[[Any], T]
    faults: Callable[[Document, ValidationError], list[Fault]]
    report: Callable[[Document, Fault], None]
    placeholder: Callable[[Document, str], Any]
    required: Collection[str] = ()


class ReadResult(NamedTuple, Generic[T]):
    """Result of reading a document.

    Attributes:
        document: The document it was read from, faulty values left out or replaced by a guess.
        guessed: Paths of those values, but for those whose meaning is likely.
        left: Faults that no guess mends, where there is no record.
    """

    record: T | None
    document: Document
    guessed: frozenset[IntentPath] = frozenset()
    left: Sequence[Fault] = ()


def read_strictly(
    document: Document, adapter: TypeAdapter[T], named: Callable[[IntentPath], str] = format_keys
) -> tuple[T | None, list[Fault]]:
    """Validate a document once, of which nothing has to be guessed; the record, or None with every fault."""
    try:
        return adapter.validate_python(document.data), []
    except ValidationError as error:
        return None, list_faults(document, error, partial(keys_at, adapter.json_schema()), named)


def load_strictly(
    path: Path, adapter: TypeAdapter[T], bag: Bag, *, inside: Path | None = None
) -> tuple[Document | None, T | None]:
    """Read a file of YAML or JSON, and validate it once; every fault is reported at its place."""
    document = load_data(path, bag, inside=inside)
    if document is None:
        return None, None
    found = read_strictly(document, adapter, format_path)
    for fault in found[1]:
        place = document.place(fault.path, fault.on_key) or document.place(())
        bag.add(fault.mistake.code, fault.message, place=place, hint=fault.hint)
    return document, found[0]


def read_json(record: type[T], text: str) -> T:
    """Return a record that was written as JSON; raises ValueError if the text is none, or lacks something."""
    return TypeAdapter(record).validate_json(text)


def read_guessing(document: Document, reader: DocumentReader[T]) -> ReadResult[T]:
    """Validate a document, and again with its faulty values left out or replaced by a guess until it is valid."""
    reported = _Reported(set(), set(), set())
    faults: list[Fault] = []
    guessed: set[IntentPath] = set()
    for _ in range(_ROUNDS):
        try:
            return ReadResult(reader.validate(document.data), document, frozenset(guessed))
        except ValidationError as error:
            faults = reader.faults(document, error)
        for fault in faults:
            if reported.is_new(fault, document):
                reader.report(document, fault)
        guessed.update(fault.path for fault in faults if not _is_meant(document, fault))
        repaired = document.changed(partial(_repair, document=document, faults=faults, reader=reader))
        reported.note_repairs(faults, document, repaired)
        document = repaired
    return ReadResult(None, document, left=faults)


class _Reported(NamedTuple):
    """Faults that are already reported, and places that repairs changed.

    Attributes:
        reported: Codes and paths of faults.
        left_out: Paths that a repair took away.
        disturbed: Places of what holds a value that a repair took away or guessed. What is wrong with them afterwards
            is the repair's doing: a list that is too short now, an item without content.
    """

    reported: set[tuple[Any, ...]]
    left_out: set[IntentPath]
    disturbed: set[Place | None]

    def is_new(self, fault: Fault, document: Document) -> bool:
        """Return whether a fault is the user's own and not reported yet; from now on it is."""
        is_missing = fault.mistake is Mistake.MISSING_KEY
        key, holder = (fault.mistake, fault.path), fault.path[:-1] if is_missing else fault.path
        if key in self.reported or (is_missing and fault.path in self.left_out):
            return False
        if document.place(holder) in self.disturbed:
            return False
        self.reported.add(key)
        return True

    def note_repairs(self, faults: Sequence[Fault], before: Document, after: Document) -> None:
        """Remember what the repair of some faults changed."""
        touched = {path for fault in faults for path in (fault.path, fault.path[:-1])}
        self.left_out.update(path for path in touched if not after.has(path))
        for fault in faults:
            if fault.mistake is not Mistake.UNKNOWN_KEY:
                above = range(len(fault.path) + (fault.mistake is not Mistake.MISSING_KEY))
                self.disturbed.update(before.place(fault.path[:depth]) for depth in above)


def _is_meant(document: Document, fault: Fault) -> bool:
    """Return whether what a faulty value is taken for is what the user probably meant; the end of a range is not."""
    return bool(meant_path(document, fault)) or (fault.guess is not None and fault.mistake is not Mistake.OUT_OF_RANGE)


def _repair(draft: EditedTree, document: Document, faults: Sequence[Fault], reader: DocumentReader[Any]) -> None:
    misspelt = {fault.path: target for fault in faults if (target := meant_path(document, fault))}
    meant = set(misspelt.values())
    for path, target in misspelt.items():
        draft.rename(path, target[-1])
    placeholder = cache(partial(reader.placeholder, document))
    for fault in faults:
        path = fault.path
        is_gone = document.has(path) and not draft.has(path)
        if path not in misspelt and path not in meant and not is_gone and draft.has(path[:-1]):
            _replace(draft, fault, placeholder, reader.required)


def _replace(draft: EditedTree, fault: Fault, placeholder: Callable[[str], Any], required: Collection[str]) -> None:
    """Put a guess in the place of a faulty value, or leave it out; what cannot do without it goes too."""
    path, is_missing = fault.path, fault.mistake is Mistake.MISSING_KEY
    is_needed = is_missing or (not fault.on_key and bool(path) and path[-1] in required)
    value = None if fault.on_key and not is_missing else fault.guess
    if value is None and is_needed:
        value = placeholder(path[-1])
    if value is not None:
        draft.replace(path, value)
    elif not is_needed and path and draft.has(path):
        draft.remove(path)
    elif len(path) > 1 and (is_missing or not is_needed):
        draft.remove(path[:-1])
