"""Plain scalars of YAML 1.2's core schema: which text is null, a truth value, a number, and which is just text.

The parsers are asked for texts only. Resolving them here makes both give the same values, keeps YAML 1.1's surprises
out (``on``, ``1:30``, ``010`` as eight) and keeps the written form of a float: an AS number ``65001.10`` is no decimal.
"""

from __future__ import annotations

import math
import re

Scalar = str | int | float | bool | None

_FIRST = frozenset("-+.0123456789nNtTfF~")
_WORDS: dict[str, Scalar] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_INTEGER = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL = {f"{sign}.{word}": float(f"{sign}inf") for sign in ("", "+", "-") for word in ("inf", "Inf", "INF")} | {
    f".{word}": math.nan for word in ("nan", "NaN", "NAN")
}
_DIGITS_MAX = 400


class RawFloat(float):
    """A float that remembers how it was written.

    Attributes:
        raw: The text in the file, for example ``65001.10``, which as a number alone would be ``65001.1``.
    """

    __slots__ = ("raw",)
    raw: str

    def __new__(cls, value: float, raw: str) -> RawFloat:
        """Make the float ``value`` that was written as ``raw``."""
        self = super().__new__(cls, value)
        self.raw = raw
        return self

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]
        """Keep the written form in copies and pickles."""
        return float(self), self.raw


class NumberRangeError(ValueError):
    """A number that no float or sensible integer can hold."""


def resolve_scalar(text: str) -> Scalar:
    """Return the value that YAML 1.2's core schema gives to a plain scalar.

    Raises:
        NumberRangeError: The text is a number, but too large to be held.

    Source:
        YAML 1.2.2 section 10.3.2, tag resolution.
    """
    if not text:
        return None
    if text[0] not in _FIRST:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(_bounded(text))
    if _BASED.fullmatch(text):
        return int(_bounded(text), 0)
    if text in _SPECIAL:
        return RawFloat(_SPECIAL[text], text)
    if _FLOAT.fullmatch(text):
        value = float(text)
        if math.isinf(value):
            raise NumberRangeError(text)
        return RawFloat(value, text)
    return text


def _bounded(text: str) -> str:
    if len(text) > _DIGITS_MAX:
        raise NumberRangeError(text)
    return text
