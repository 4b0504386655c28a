"""From a document with positions to the typed intent, reporting every error and going on with the best guess."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from fabricgen.diagnostics import Bag, IntentPath, format_path
from fabricgen.diagnostics.registry import Code
from fabricgen.intent import codes
from fabricgen.intent.fabric import FabricIntent
from fabricgen.source import Document

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

_WANTED = {
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "list_type": "a list",
    "string_type": "a text",
    "int_type": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
}
"""What a value of the wrong type should have been, in the words of YAML."""

_REQUIRED = {*_STAND_INS, "server", "nic", "model", "platform"}
_ROUNDS = 8


class Reading(NamedTuple):
    """What an intent document was read as.

    Attributes:
        intent: The intent; None if too little was left to go on.
        document: The document it was read from, faulty values left out or replaced by a guess.
    """

    intent: FabricIntent | None
    document: Document


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

    reported: set[tuple[Any, ...]] = set()
    left_out: set[IntentPath] = set()
    faults: list[Fault] = []
    for _ in range(_ROUNDS):
        try:
            return Reading(FabricIntent.model_validate(document.data), document)
        except ValidationError as error:
            faults = list_faults(document, error, legal_keys)
            for fault in faults:
                is_ours = fault.code is codes.MISSING_KEY and fault.path in left_out
                if not is_ours and (fault.code.id, fault.path) not in reported:
                    reported.add((fault.code.id, fault.path))
                    bag.add(fault.code, fault.message, fault.path, on_key=fault.on_key, hint=fault.hint)
            document = _repaired(document, faults)
            touched = {path for fault in faults for path in (fault.path, fault.path[:-1])}
            left_out |= {path for path in touched if not document.has(path)}
    rest = ", ".join(format_path(fault.path) for fault in faults)
    bag.add(codes.UNREADABLE, f"nothing else can be checked without {rest}", faults[0].path)
    return Reading(None, document)


def list_faults(document: Document, error: ValidationError, legal: Callable[[IntentPath], list[str]]) -> list[Fault]:
    """What a validator found, in the user's words; a key that is there misspelt is not missing as well.

    Args:
        document: What was validated.
        error: What it found.
        legal: Keys that may stand in the mapping at a path.
    """
    found = [Fault.of(document, details, legal) for details in _branches(error.errors(include_url=False))]
    misspelt = {target for fault in found if (target := _meant(document, fault))}
    return [fault for fault in found if fault.code is not codes.MISSING_KEY or fault.path not in misspelt]


class Fault(NamedTuple):
    """One validation error in the user's words; ``guess`` is what the value was probably meant to be."""

    code: Code
    message: str
    path: IntentPath
    on_key: bool
    hint: str
    guess: Any

    @classmethod
    def of(cls, document: Document, details: ErrorDetails, legal: Callable[[IntentPath], list[str]]) -> Fault:
        """Translate one pydantic error."""
        path = document.to_path(details["loc"])
        name = format_path(path) or "the intent"
        kind, context, actual = details["type"], details.get("ctx", {}), details.get("input")
        if kind == "extra_forbidden":
            keys = legal(path[:-1])
            guess = _nearest(path[-1], keys)
            hint = f"did you mean {guess!r}?" if guess else f"legal keys here: {', '.join(keys)}" if keys else ""
            return cls(codes.UNKNOWN_KEY, f"unknown key {path[-1]!r}", path, True, hint, guess)
        if kind == "missing":
            return cls(codes.MISSING_KEY, f"{name} is missing", path, False, f"add {path[-1]}", None)
        if kind in ("literal_error", "enum"):
            words = [m[1] or m[2] for m in re.finditer(r"'([^']*)'|(\d+)", str(context.get("expected", "")))]
            guess = _nearest(str(actual), words)
            hint = f"did you mean {guess!r}?" if guess else ""
            return cls(
                codes.NOT_ONE_OF,
                f"{name} is {_shown(actual)}; allowed are {', '.join(words)}",
                path,
                False,
                hint,
                guess,
            )
        if kind == "fabricgen":
            return cls._custom(path, name, context, actual)
        return cls._standard(path, name, kind, context, actual, details["msg"])

    @classmethod
    def _custom(cls, path: IntentPath, name: str, context: Mapping[str, Any], actual: Any) -> Fault:
        guess = context.get("suggestion") or _nearest(str(actual), context.get("legal", ()))
        hint = f"write {guess}" if guess else ""
        shown = "what stands here" if context.get("hidden") else _shown(actual)
        return cls(codes.MALFORMED, f"{name}: {shown} {context['text']}", path, False, hint, guess)

    @classmethod
    def _standard(
        cls, path: IntentPath, name: str, kind: str, context: Mapping[str, Any], actual: Any, text: str
    ) -> Fault:
        bounds = {
            "greater_than_equal": ("ge", "at least"),
            "less_than_equal": ("le", "at most"),
            "greater_than": ("gt", "more than"),
            "less_than": ("lt", "less than"),
        }
        if kind in bounds:
            key, words = bounds[kind]
            limit = context[key]
            return cls(
                codes.OUT_OF_RANGE,
                f"{name} is {_shown(actual)}; {words} {limit} is allowed",
                path,
                False,
                f"use {words} {limit}",
                limit if key in ("ge", "le") else None,
            )
        if kind in ("too_short", "too_long"):
            words = f"at least {context['min_length']}" if kind == "too_short" else f"at most {context['max_length']}"
            return cls(
                codes.EMPTY, f"{name} has {context['actual_length']} items; {words} are allowed", path, False, "", None
            )
        if kind == "string_pattern_mismatch":
            return cls(
                codes.MALFORMED,
                f"{name}: {_shown(actual)} does not have the form {context['pattern']}",
                path,
                False,
                "",
                None,
            )
        if kind.endswith(("_type", "_parsing")):
            wanted = _WANTED.get(kind) or text.removeprefix("Input should be ").removeprefix("a valid ")
            return cls(
                codes.WRONG_TYPE,
                f"{name} is {_kind(actual)} {_shown(actual)}; it must be {wanted}",
                path,
                False,
                "",
                None,
            )
        return cls(codes.MALFORMED, f"{name}: {text}", path, False, "", None)


def _branches(errors: Sequence[ErrorDetails]) -> list[ErrorDetails]:
    """Of the errors of a union's branches keep those of the branch that got furthest into the value.

    A union reports one error list per branch; its branch names stand in the location. The errors deepest in
    the value come from the branch the user meant.
    """
    kept: list[ErrorDetails] = []
    for error in errors:
        mine = error["loc"]
        rivals = [other for other in errors if other is not error and _same_union(mine, other["loc"])]
        if any(_depth(other) > _depth(error) for other in rivals):
            continue
        if any(
            other in kept
            and _depth(other) == _depth(error)
            and other["loc"][:-1] == mine[:-1]
            and other["type"] == error["type"]
            and _is_tag(mine[-1])
            for other in rivals
        ):
            continue
        kept.append(error)
    return kept


def _is_tag(segment: int | str) -> bool:
    """Whether a location segment names a branch of a union rather than a key."""
    return isinstance(segment, str) and (
        not re.fullmatch(r"[a-z0-9_.-]+", segment)
        or segment in ("str", "int", "float", "bool", "literal")
        or segment.startswith("constrained-")
    )


def _same_union(one: Sequence[int | str], other: Sequence[int | str]) -> bool:
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return _is_tag(a) and _is_tag(b) and at > 0
    return False


def _depth(error: ErrorDetails) -> int:
    real = sum(not _is_tag(segment) for segment in error["loc"])
    return 2 * real + (0 if error["type"].endswith("_type") else 1)


def _repaired(document: Document, faults: Sequence[Fault]) -> Document:
    """The document with every faulty value replaced by a guess, or left out."""
    misspelt = {fault.path: target for fault in faults if (target := _meant(document, fault))}
    for path, target in misspelt.items():
        document = document.renamed(path, target[-1])
    for fault in faults:
        path = fault.path
        if path in misspelt or path in misspelt.values():
            continue
        if fault.code is codes.MISSING_KEY or (not fault.on_key and path and path[-1] in _REQUIRED):
            stand_in = fault.guess if fault.guess is not None else _stand_in(document, path[-1])
            if stand_in is not None:
                document = document.replaced(path, stand_in)
            elif len(path) > 1 and fault.code is codes.MISSING_KEY:
                document = _without(document, path[:-1])
        elif fault.guess is not None and not fault.on_key:
            document = document.replaced(path, fault.guess)
        elif document.has(path) and path:
            document = document.without(path)
        elif len(path) > 1:
            document = _without(document, path[:-1])
    return document


def _without(document: Document, path: IntentPath) -> Document:
    """The document without what stands at a path, which an earlier repair may have left out already."""
    return document.without(path) if document.has(path) else document


def _meant(document: Document, fault: Fault) -> IntentPath | None:
    """The key an unknown key is a misspelling of, if that one is not there."""
    if fault.code is not codes.UNKNOWN_KEY or not fault.guess:
        return None
    target = (*fault.path[:-1], str(fault.guess))
    return None if document.has(target) or any(segment.startswith("[") for segment in target) else target


def _stand_in(document: Document, key: str) -> Any:
    """A value for a required key: a fixed guess, else what the key says elsewhere in the document."""
    return _STAND_INS.get(key, _elsewhere(document.data, key))


def _elsewhere(value: Any, key: str) -> Any:
    if isinstance(value, dict):
        if isinstance(value.get(key), str):
            return value[key]
        return next((found for item in value.values() if (found := _elsewhere(item, key)) is not None), None)
    return None


def _nearest(word: str, legal: Sequence[str]) -> str | None:
    found = get_close_matches(word, legal, n=1, cutoff=0.6)
    return found[0] if found else None


def _shown(value: Any) -> str:
    text = getattr(value, "raw", None) or (repr(value) if isinstance(value, str) else str(value))
    if isinstance(value, dict):
        return "{" + ", ".join(value) + "}"
    return text if len(text) <= 60 else text[:57] + "..."


def _kind(value: Any) -> str:
    names = {
        dict: "a mapping",
        list: "a list",
        str: "the text",
        bool: "the truth value",
        type(None): "empty",
        int: "the number",
        float: "the number",
    }
    return next((name for kind, name in names.items() if isinstance(value, kind)), "a value")
