"""Records as JSON text: a line for each small value, so that two bundles can be compared line by line."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from typing import Any

_SMALL = 320
_ITEMS_MAX = 16
"""Most signs, and most items, of a value that has one line for itself."""


def write_json(value: Any) -> bytes:
    """Return a value of records, dataclasses, lists, sets, mappings and plain values as a JSON file."""
    return f"{_lay_out(to_data(value))}\n".encode()


def to_data(value: Any) -> Any:
    """Return a value as what JSON holds."""
    if isinstance(value, (str, int, float)) or value is None:
        return value
    if isinstance(value, dict):
        return {key: to_data(each) for key, each in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {key: to_data(each) for key, each in zip(value._fields, value, strict=True)}
    if is_dataclass(value):
        return {field.name: to_data(getattr(value, field.name)) for field in fields(value)}
    return [to_data(each) for each in (sorted(value) if isinstance(value, frozenset) else value)]


def _lay_out(value: Any, indent: str = "") -> str:
    """Return JSON with a line for each item of what is not small, faster than an indenting encoder."""
    if not isinstance(value, (dict, list)) or len(value) <= _ITEMS_MAX:
        text = json.dumps(value)
        if len(text) <= _SMALL or not isinstance(value, (dict, list)):
            return text
    inner = f"{indent} "
    pairs = value.items() if isinstance(value, dict) else ()
    items = [f"{json.dumps(str(key))}: {_lay_out(each, inner)}" for key, each in pairs] or [
        _lay_out(each, inner) for each in value
    ]
    signs = "{}" if isinstance(value, dict) else "[]"
    between = f",\n{inner}"
    return f"{signs[0]}\n{inner}{between.join(items)}\n{indent}{signs[1]}"
