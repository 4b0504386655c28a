"""Records as JSON text: what ``json.dumps`` writes with an indent of 1; steps and neighbors that devices share once."""

from __future__ import annotations

import json
from collections.abc import Iterable
from json.encoder import encode_basestring_ascii
from typing import Any

from fabricgen.rollout.bundle import PlannedPlace, PlannedStep


def write_json(value: Any) -> bytes:
    """Return a value of records, lists, mappings and plain values as a JSON file."""
    return f"{_Writer().write(value, '')}\n".encode()


class _Writer:
    """Writes one file."""

    def __init__(self) -> None:
        self._known: dict[tuple[PlannedStep | PlannedPlace, str], str] = {}

    def write(self, value: Any, indent: str) -> str:
        """Return the text of a value; its further lines begin with an indent."""
        if isinstance(value, str):
            return encode_basestring_ascii(value)
        if isinstance(value, PlannedStep | PlannedPlace):
            found = self._known.get((value, indent))
            if found is None:
                found = self._known[value, indent] = self._mapping(value._asdict().items(), indent)
            return found
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return self._mapping(zip(value._fields, value, strict=True), indent)
        if isinstance(value, dict):
            return self._mapping(value.items(), indent)
        if isinstance(value, list | tuple):
            inner = f"{indent} "
            return _enclose("[]", [self.write(each, inner) for each in value], indent)
        return json.dumps(value)

    def _mapping(self, items: Iterable[tuple[str, Any]], indent: str) -> str:
        inner = f"{indent} "
        return _enclose(
            "{}", [f"{encode_basestring_ascii(key)}: {self.write(value, inner)}" for key, value in items], indent
        )


def _enclose(signs: str, items: list[str], indent: str) -> str:
    if not items:
        return signs
    between = f",\n{indent} "
    return f"{signs[0]}\n{indent} {between.join(items)}\n{indent}{signs[1]}"
