"""Usage errors in plain words, whichever library found them."""

from __future__ import annotations

from typing import Any

_WORDS = {
    "int_parsing": "is not a whole number",
    "int_parsing_size": "is not a whole number",
    "int_from_float": "is not a whole number",
    "float_parsing": "is not a number",
    "greater_than_equal": "is less than {ge}",
    "less_than_equal": "is more than {le}",
}
"""What a validator of option values found, by its type."""


def reword(error: Any) -> None:
    """Give a usage error a message of ours where a validator of option values wrote it."""
    details = getattr(error.__cause__, "errors", None)
    if not callable(details):
        return
    first = details()[0]
    context = first.get("ctx", {})
    if "error" in context:
        error.message = str(context["error"])
    else:
        error.message = f"{first['input']!r} {_WORDS.get(first['type'], 'cannot be read').format(**context)}."
