"""Sorts of mistakes that validation finds."""

from __future__ import annotations

from enum import Enum, auto


class Mistake(Enum):
    """Sorts of what can be wrong with a value; each room has codes of its own for them."""

    UNKNOWN_KEY = auto()
    MISSING_KEY = auto()
    WRONG_TYPE = auto()
    NOT_ONE_OF = auto()
    OUT_OF_RANGE = auto()
    MALFORMED = auto()
    EMPTY = auto()
