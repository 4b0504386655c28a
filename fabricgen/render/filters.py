"""The two filters templates have beside Jinja's own: ``json`` and ``cli``."""

from __future__ import annotations

import json
from json.encoder import encode_basestring_ascii

from fabricgen.diagnostics.visible import find_hidden, name_character


class UnsafeTextError(ValueError):
    """A text that would not stay on its line, or would be invisible there."""


def to_json(value: object) -> str:
    """Write a value as JSON, ASCII only.

    Texts are nearly all there is, so they take the short way to the C encoder. (``str`` of a text is that text; of one
    that records its use, it is where the recording happens.)

    Raises:
        TypeError: The value is no JSON value, for example undefined.
        ValueError: It is a number that JSON cannot write.
    """
    if isinstance(value, str):
        return encode_basestring_ascii(str(value))
    return json.dumps(value, allow_nan=False)


def to_cli(value: object) -> str:
    """Write a text or a whole number into a line of configuration.

    Raises:
        UnsafeTextError: The text holds a line break or another invisible character.
        TypeError: The value is neither text nor whole number.
    """
    if isinstance(value, str):
        found = find_hidden(value)
        if found is None:
            return str(value)
        raise UnsafeTextError(f"the text {value!r} holds {name_character(value[found])}")
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise TypeError(f"the filter cli takes a text or a whole number, not {type(value).__name__}")
