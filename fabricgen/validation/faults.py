"""Faults that a validator found in a document, in the words of a writer of YAML."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from fabricgen.diagnostics import IntentPath, Nearest, format_path
from fabricgen.diagnostics.quoting import find_secret, holds_secrets
from fabricgen.diagnostics.words import counted, or_list
from fabricgen.source import Document
from fabricgen.validation.mistakes import Mistake

Legal = Callable[[IntentPath], list[str]]
"""Gives the keys that may stand in the mapping at a path."""

_WANTED = {
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "list_type": "a list",
    "tuple_type": "a list",
    "string_type": "a text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "bool_type": "true or false",
}
"""Type that a value should have been of, in the words of YAML."""


def format_keys(path: IntentPath) -> str:
    """Write the keys of a path, without the items of lists: ``cages.lanes``."""
    return ".".join(segment for segment in path if not segment.startswith("["))


def list_faults(
    document: Document, error: ValidationError, legal: Legal, named: Callable[[IntentPath], str] = format_path
) -> list[Fault]:
    """Return what a validator found, in the user's words; a key that is there misspelt is not missing as well."""
    legal, nearest = cache(legal), Nearest()
    found = [Fault.of(document, details, legal, nearest, named) for details in error.errors(include_url=False)]
    misspelt = {target for fault in found if (target := meant_path(document, fault))}
    return [fault for fault in found if fault.mistake is not Mistake.MISSING_KEY or fault.path not in misspelt]


_IMPERATIVES = frozenset({"add", "set", "use", "write"})
"""First words of advice behind the semicolon of a refusal."""


class Fault(NamedTuple):
    """One validation error in the user's words; ``shown_path`` is cut where its end may be a secret, or None."""

    mistake: Mistake
    message: str
    path: IntentPath
    hint: str = ""
    guess: Any = None
    on_key: bool = False
    shown_path: IntentPath | None = None

    @classmethod
    def of(
        cls,
        document: Document,
        details: ErrorDetails,
        legal: Legal,
        nearest: Nearest,
        named: Callable[[IntentPath], str],
    ) -> Fault:
        """Translate one pydantic error of a document."""
        loc = details["loc"]
        fault = cls.at(document.to_path(loc), details, legal, nearest, named)
        return fault._replace(on_key=True) if loc and loc[-1] == "[key]" else fault

    @classmethod
    def at(
        cls,
        path: IntentPath,
        details: ErrorDetails,
        legal: Legal,
        nearest: Nearest,
        named: Callable[[IntentPath], str] = format_path,
    ) -> Fault:
        """Translate one pydantic error about what stands at a path."""
        keys = legal(path[:-1]) if details["type"] == "extra_forbidden" else []
        secret = _hides(path, keys, nearest, is_key=details["type"] == "extra_forbidden")
        if secret:
            return cls._hidden(path, path[:secret], details, keys)
        name = named(path) or "the document"
        kind, context, actual = details["type"], details.get("ctx", {}), details.get("input")
        if kind == "extra_forbidden":
            guess = nearest.find(path[-1], keys)
            hint = f"did you mean {guess!r}?" if guess else f"use one of {', '.join(keys)}" if keys else ""
            return cls(Mistake.UNKNOWN_KEY, f"unknown key {path[-1]!r}", path, hint, guess, on_key=True)
        if kind == "missing":
            return cls(Mistake.MISSING_KEY, f"{name} is missing", path, f"add {path[-1]}")
        if kind in ("literal_error", "enum"):
            found = re.finditer(r"'([^']*)'|(\d+)", str(context.get("expected", "")))
            words = [m[1] or m[2] for m in found if m[1] or m[2]]
            guess = nearest.find(str(actual), words)
            hint = f"did you mean {guess!r}?" if guess else f"write {or_list(words)}"
            message = f"{name} is {_shown(actual)}; allowed are {', '.join(words)}"
            return cls(Mistake.NOT_ONE_OF, message, path, hint, guess)
        if kind == "fabricgen":
            return cls._custom(path, name, context, actual, nearest)
        return cls._standard(path, name, kind, context, actual, details["msg"])

    @classmethod
    def _hidden(cls, path: IntentPath, shown_path: IntentPath, details: ErrorDetails, keys: Sequence[str]) -> Fault:
        """Translate an error at a key that holds a secret, or below it: nothing that stands there is quoted."""
        name, kind = format_path(shown_path), details["type"]
        if kind == "missing":
            message = f"{name} lacks its {path[-1]}"
            return cls(Mistake.MISSING_KEY, message, path, f"add {path[-1]}", shown_path=shown_path)
        if kind == "extra_forbidden":
            hint = f"use one of {', '.join(keys)}" if keys else ""
            return cls(Mistake.UNKNOWN_KEY, f"{name} has an unknown key", path, hint, None, True, shown_path)
        if kind == "fabricgen":
            text = details["ctx"]["text"]
            return cls(Mistake.MALFORMED, f"{name}: what stands here {text}", path, shown_path=shown_path)
        wanted = _WANTED.get(kind, "a reference to a secret")
        return cls(Mistake.WRONG_TYPE, f"{name} is not {wanted}", path, f"write {wanted}", shown_path=shown_path)

    @classmethod
    def _custom(cls, path: IntentPath, name: str, context: Mapping[str, Any], actual: Any, nearest: Nearest) -> Fault:
        guess = context.get("suggestion") or nearest.find(str(actual), context.get("legal", ()))
        text, _, advice = context["text"].partition("; ")
        _, form, wanted = text.partition("is not ")
        if guess:
            text, hint = context["text"], f"write {guess}"
        elif advice.partition(" ")[0] in _IMPERATIVES:
            hint = advice
        else:
            text, hint = context["text"], f"write {wanted}" if form and not advice else ""
        # A mapping is named by its key; its own keys would add nothing.
        shown = "what stands here" if context.get("hidden") else _shown(actual)
        subject = name if isinstance(actual, dict) else f"{name}: {shown}"
        return cls(Mistake.MALFORMED, f"{subject} {text}", path, hint, guess)

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
            message = f"{name} is {_shown(actual)}; {words} {limit} is allowed"
            guess = limit if key in ("ge", "le") else None
            return cls(Mistake.OUT_OF_RANGE, message, path, f"use {words} {limit}", guess)
        if kind in ("too_short", "too_long"):
            limit = context["min_length"] if kind == "too_short" else context["max_length"]
            bound = "minimum" if kind == "too_short" else "maximum"
            hint = f"add {limit - len(actual)} or more to {name}" if kind == "too_short" else f"keep {limit} of them"
            message = f"{name} has {counted(context['actual_length'], 'item')}; the {bound} is {limit}"
            return cls(Mistake.EMPTY, message, path, hint if isinstance(actual, list) else "")
        if kind in _WANTED or kind.endswith(("_type", "_parsing")):
            wanted = _WANTED.get(kind) or text.removeprefix("Input should be ").removeprefix("a valid ")
            guess = _of_type(actual, wanted)
            hint = f"write {_shown(guess)}" if guess is not None else f"write {wanted}"
            return cls(Mistake.WRONG_TYPE, f"{name} is {_kind(actual)}; it must be {wanted}", path, hint, guess)
        return cls(Mistake.MALFORMED, f"{name}: {text}", path)


def _hides(path: IntentPath, keys: Sequence[str], nearest: Nearest, *, is_key: bool) -> int:
    """Return how many segments of a path may be shown, 0 if its end may be a secret, unlike a key's near miss."""
    if is_key and nearest.find(path[-1], keys):
        return 0
    secret = find_secret(path[:-1] if is_key else path)
    if secret or not holds_secrets(path[:-1] if is_key else path):
        return secret
    return len(path) - 1 if is_key or path[-1].startswith("[") else len(path)


def meant_path(document: Document, fault: Fault) -> IntentPath | None:
    """The key an unknown key is a misspelling of, if that one is not there."""
    if fault.mistake is not Mistake.UNKNOWN_KEY or not fault.guess:
        return None
    target = (*fault.path[:-1], str(fault.guess))
    return None if document.has(target) or any(segment.startswith("[") for segment in target) else target


_SHOWN_MAX = 60
"""Characters of a value that a message shows."""


def _shown(value: Any) -> str:
    """A value as YAML has it, cut where it is long."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        text = str(value).lower()
    elif isinstance(value, dict):
        text = f"{{{', '.join(islice(value, _SHOWN_MAX))}}}"
    elif isinstance(value, list):
        text = f"[{', '.join(_shown(item) for item in islice(value, _SHOWN_MAX))}]"
    else:
        text = getattr(value, "raw", None) or (repr(value) if isinstance(value, str) else str(value))
    return text if len(text) <= _SHOWN_MAX else f"{text[: _SHOWN_MAX - 3]}..."


def _of_type(value: Any, wanted: str) -> Any:
    """A value as what it should have been, for example ``4`` for ``"4"``, as it is written; None if it is none."""
    if not isinstance(value, str):
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        return getattr(value, "raw", str(value)) if wanted == "a text" and is_number else None
    if wanted == "true or false":
        return {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}.get(value.lower())
    return int(value) if wanted in ("a whole number", "a number") and re.fullmatch(r"-?\d{1,18}", value) else None


def _kind(value: Any) -> str:
    """A value with the word for its type before it."""
    names = ((dict, "the mapping "), (list, "the list "), (str, "the text "), (bool, ""), (int | float, "the number "))
    return next((name for kind, name in names if isinstance(value, kind)), "") + _shown(value)
