"""From a document with positions to the typed intent, reporting every error and going on with the best guess."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

from pydantic import ValidationError

from fabricgen.diagnostics import Bag, Change, Fix, IntentPath, Place, format_path, set_to
from fabricgen.diagnostics.quoting import find_secret, holds_secrets
from fabricgen.intent import intent_codes as codes
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.faults import Fault, list_faults, meant_path
from fabricgen.source import Document, Draft

_STAND_INS: dict[str, Any] = {
    "fabric": "fabric",
    "per_unit": 1,
    "count": 1,
    "speed": "400G",
    "media": "smf",
    "length_m": 1,
    "priority": 0,
    "reason": "unknown",
}
"""What a required value is taken for when it cannot be read, so that the rest can still be checked."""

_REQUIRED = {*_STAND_INS, "server", "nic", "model", "platform"}
_NAMED_MAX = 5
"""Keys that are named of those without which nothing else can be checked."""
_ROUNDS = 8


class Reading(NamedTuple):
    """What an intent document was read as.

    Attributes:
        intent: The intent; None if too little was left to go on.
        document: The document it was read from, faulty values left out or replaced by a guess.
        guessed: Paths of those values, but for those whose meaning is likely.
    """

    intent: FabricIntent | None
    document: Document
    guessed: frozenset[IntentPath] = frozenset()


def load_intent(document: Document, bag: Bag) -> Reading:
    """Validate a document as an intent.

    Every error is reported. An intent is returned in spite of errors wherever the faulty values can be left
    out or replaced by a guess, so that later stages find their errors in the same run; nothing is rendered
    from it, because the bag has errors.

    Args:
        document: What the user wrote, overlays merged.
        bag: Receives the diagnostics.

    Returns:
        What the document was read as.
    """
    from fabricgen.intent.schema import legal_keys

    told = _Told(set(), set(), set())
    faults: list[Fault] = []
    guessed: set[IntentPath] = set()
    for _ in range(_ROUNDS):
        try:
            return Reading(FabricIntent.model_validate(document.data), document, frozenset(guessed))
        except ValidationError as error:
            faults = list_faults(document, error, legal_keys)
            for fault in faults:
                if told.is_new(fault, document):
                    fixes = _fixes(document, fault)
                    path = fault.path if fault.told is None else fault.told
                    place = None if fault.told is None else document.place(fault.path, fault.on_key)
                    bag.add(
                        fault.code, fault.message, path, on_key=fault.on_key, hint=fault.hint, place=place, fixes=fixes
                    )
            guessed.update(fault.path for fault in faults if not _is_meant(document, fault))
            repaired = _repaired(document, faults)
            told.note_repairs(faults, document, repaired)
            document = repaired
    rest = ", ".join(format_path(fault.told or fault.path) for fault in faults[:_NAMED_MAX])
    rest += f" and {len(faults) - _NAMED_MAX} more" if len(faults) > _NAMED_MAX else ""
    bag.add(codes.UNREADABLE, f"nothing else can be checked without {rest}", faults[0].told or faults[0].path)
    return Reading(None, document)


class _Told(NamedTuple):
    """What was reported already, and where repairs changed the document.

    Attributes:
        reported: Codes and paths of faults.
        left_out: Paths that a repair took away.
        disturbed: Places of what holds a value that a repair took away or guessed. What is wrong with them afterwards
            is the repair's doing: a list that is too short now, an item that says nothing any more.
    """

    reported: set[tuple[Any, ...]]
    left_out: set[IntentPath]
    disturbed: set[Place | None]

    def is_new(self, fault: Fault, document: Document) -> bool:
        """Whether a fault is the user's own and not reported yet; from now on it is."""
        is_missing = fault.code is codes.MISSING_KEY
        key, holder = (fault.code.id, fault.path), fault.path[:-1] if is_missing else fault.path
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
            if fault.code is not codes.UNKNOWN_KEY:
                above = range(len(fault.path) + (fault.code is not codes.MISSING_KEY))
                self.disturbed.update(before.place(fault.path[:depth]) for depth in above)


def _fixes(document: Document, fault: Fault) -> tuple[Fix, ...]:
    """What mends a fault: the key that is meant, or the value."""
    target = meant_path(document, fault)
    if fault.told is not None or (target is not None and (find_secret(target) or holds_secrets(target[:-1]))):
        return ()
    if target is not None:
        # A text may be a secret that nobody knows as one under this key: no fix repeats it.
        value = document.value(fault.path)
        return (Fix((Change(fault.path), Change(target, value))),) if isinstance(value, bool | int) else ()
    if fault.code is codes.UNKNOWN_KEY:
        return set_to(fault.path, None)
    return set_to(fault.path, fault.guess) if fault.guess is not None else ()


def _is_meant(document: Document, fault: Fault) -> bool:
    """Whether what a faulty value is taken for is what the user probably meant; the end of a range is not."""
    return bool(meant_path(document, fault)) or (fault.guess is not None and fault.code is not codes.OUT_OF_RANGE)


def _repaired(document: Document, faults: Sequence[Fault]) -> Document:
    """The document with every faulty value replaced by a guess, or left out."""
    return document.changed(lambda draft: _repair(draft, document, faults))


def _repair(draft: Draft, document: Document, faults: Sequence[Fault]) -> None:
    misspelt = {fault.path: target for fault in faults if (target := meant_path(document, fault))}
    meant = set(misspelt.values())
    for path, target in misspelt.items():
        draft.rename(path, target[-1])
    stand_in = cache(partial(_stand_in, document))
    for fault in faults:
        path = fault.path
        is_gone = document.has(path) and not draft.has(path)
        if path not in misspelt and path not in meant and not is_gone and draft.has(path[:-1]):
            _replace(draft, fault, stand_in)


def _replace(draft: Draft, fault: Fault, stand_in: Callable[[str], Any]) -> None:
    """Put a guess in the place of a faulty value, or leave it out; what cannot do without it goes too."""
    path, is_missing = fault.path, fault.code is codes.MISSING_KEY
    is_needed = is_missing or (not fault.on_key and bool(path) and path[-1] in _REQUIRED)
    value = None if fault.on_key and not is_missing else fault.guess
    if value is None and is_needed:
        value = stand_in(path[-1])
    if value is not None:
        draft.replace(path, value)
    elif not is_needed and path and draft.has(path):
        draft.remove(path)
    elif len(path) > 1 and (is_missing or not is_needed):
        draft.remove(path[:-1])


def _stand_in(document: Document, key: str) -> Any:
    """A value for a required key: a fixed guess, else what the key says elsewhere in the document."""
    return _STAND_INS[key] if key in _STAND_INS else _elsewhere(document.data, key)


def _elsewhere(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        if isinstance(value.get(key), str):
            return value[key]
        return next((found for item in value.values() if (found := _elsewhere(item, key)) is not None), None)
    return None
