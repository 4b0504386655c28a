"""Data to lines of YAML in block style, in which no text can be taken for anything else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

_PLAIN_WORD = re.compile(r"[A-Za-z_/][\w./+-]*")
_YAML_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "none"])
"""Words that a reader of YAML 1.1 takes for something else than a text."""


def list_yaml(value: Any, depth: int = 0, scalar: Callable[[Any], str] | None = None) -> Iterator[str]:
    """Yield the lines of a mapping or list in block style; ``scalar`` writes values.

    Args:
        value: Mapping, list, or scalar.
        depth: Blanks before each line.
        scalar: Writer of a scalar; texts in double quotes where they need them by default.
    """
    scalar = scalar or write_scalar
    blanks = " " * depth
    if isinstance(value, dict):
        for key, below in value.items():
            if isinstance(below, dict | list) and below:
                yield f"{blanks}{quote_text(str(key))}:"
                yield from list_yaml(below, depth + 2, scalar)
            else:
                yield f"{blanks}{quote_text(str(key))}: {_empty(below) or scalar(below)}"
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict | list) and item:
                first, *rest = list_yaml(item, depth + 2, scalar)
                yield f"{blanks}- {first.strip()}"
                yield from rest
            else:
                yield f"{blanks}- {_empty(item) or scalar(item)}"


def write_scalar(value: Any) -> str:
    """Write a scalar of YAML: a number as it was written, a text in quotes unless it can be nothing else."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote_text(value)
    return str(getattr(value, "raw", value))


def quote_text(text: str) -> str:
    """Return a text in double quotes, unless it is a word that YAML takes for nothing but a text."""
    return text if _PLAIN_WORD.fullmatch(text) and text.lower() not in _YAML_WORDS else json.dumps(text)


def _empty(value: Any) -> str:
    """Return an empty mapping or list in flow style; empty text for anything else."""
    if value in ({}, []) and isinstance(value, dict | list):
        return "{}" if isinstance(value, dict) else "[]"
    return ""
