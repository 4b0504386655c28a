"""What a validator found in a document, in the words of somebody who writes YAML."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from fabricgen.diagnostics import IntentPath, format_path
from fabricgen.diagnostics.registry import Code
from fabricgen.intent import codes
from fabricgen.source import Document

_WANTED = {
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "list_type": "a list",
    "string_type": "a text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
}
"""What a value of the wrong type should have been, in the words of YAML."""


def list_faults(document: Document, error: ValidationError, legal: Callable[[IntentPath], list[str]]) -> list[Fault]:
    """What a validator found, in the user's words; a key that is there misspelt is not missing as well.

    Args:
        document: What was validated.
        error: What it found.
        legal: Keys that may stand in the mapping at a path.
    """
    found = [Fault.of(document, details, legal) for details in _branches(error.errors(include_url=False))]
    misspelt = {target for fault in found if (target := meant_path(document, fault))}
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
        """Translate one pydantic error of a document."""
        return cls.at(document.to_path(details["loc"]), details, legal)

    @classmethod
    def at(cls, path: IntentPath, details: ErrorDetails, legal: Callable[[IntentPath], list[str]]) -> Fault:
        """Translate one pydantic error about what stands at a path."""
        name = format_path(path) or "the document"
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
        # A mapping is what stands below its name: the name says which, its keys would say nothing more.
        shown = "what stands here" if context.get("hidden") else _shown(actual)
        subject = name if isinstance(actual, dict) else f"{name}: {shown}"
        return cls(codes.MALFORMED, f"{subject} {context['text']}", path, False, hint, guess)

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
            limit = context["min_length"] if kind == "too_short" else context["max_length"]
            words = f"at least {limit}" if kind == "too_short" else f"at most {limit}"
            hint = f"add {limit - len(actual)} or more to {name}" if kind == "too_short" else f"keep {limit} of them"
            message = f"{name} has {context['actual_length']} items; {words} are allowed"
            return cls(codes.EMPTY, message, path, False, hint if isinstance(actual, list) else "", None)
        if kind in _WANTED or kind.endswith(("_type", "_parsing")):
            wanted = _WANTED.get(kind) or text.removeprefix("Input should be ").removeprefix("a valid ")
            guess = _of_type(actual, wanted)
            hint = f"write {_shown(guess)}" if guess is not None else f"write {wanted}"
            return cls(codes.WRONG_TYPE, f"{name} is {_kind(actual)}; it must be {wanted}", path, False, hint, guess)
        return cls(codes.MALFORMED, f"{name}: {text}", path, False, "", None)


def meant_path(document: Document, fault: Fault) -> IntentPath | None:
    """The key an unknown key is a misspelling of, if that one is not there."""
    if fault.code is not codes.UNKNOWN_KEY or not fault.guess:
        return None
    target = (*fault.path[:-1], str(fault.guess))
    return None if document.has(target) or any(segment.startswith("[") for segment in target) else target


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


def _nearest(word: str, legal: Sequence[str]) -> str | None:
    found = get_close_matches(word, legal, n=1, cutoff=0.6)
    return found[0] if found else None


def _shown(value: Any) -> str:
    """A value as YAML has it, cut where it is long."""
    if isinstance(value, dict):
        return "{" + ", ".join(value) + "}"
    if value is None:
        return "empty"
    if isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, list):
        text = f"[{', '.join(_shown(item) for item in value)}]"
    else:
        text = getattr(value, "raw", None) or (repr(value) if isinstance(value, str) else str(value))
    return text if len(text) <= 60 else text[:57] + "..."


def _of_type(value: Any, wanted: str) -> Any:
    """A text as what it should have been, for example ``4`` for ``"4"``; None if it is none."""
    if not isinstance(value, str):
        return str(value) if wanted == "a text" and isinstance(value, int) and not isinstance(value, bool) else None
    if wanted == "true or false":
        return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}.get(value.lower())
    return int(value) if wanted in ("a whole number", "a number") and re.fullmatch(r"-?\d{1,18}", value) else None


def _kind(value: Any) -> str:
    """A value with the word for its type before it."""
    names = {
        dict: "the mapping ",
        list: "the list ",
        str: "the text ",
        bool: "",
        int: "the number ",
        float: "the number ",
    }
    return next((name for kind, name in names.items() if isinstance(value, kind)), "") + _shown(value)
