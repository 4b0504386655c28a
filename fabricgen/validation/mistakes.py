"""Sorts of mistakes that validation finds in documents, catalog files and manifests, and their codes."""

from __future__ import annotations

from enum import Enum, auto
from functools import partial

from fabricgen.diagnostics import Code, register

declare = partial(register, source="docs/intent.md; docs/architecture.md, law 3; templates/README.md")

UNKNOWN_KEY = declare(
    "FG-INT-001",
    "Unknown key",
    why="A misspelt key would be ignored and its default used without a word.",
    fix="Use the intended key, or remove it.",
)
MISSING_KEY = declare("FG-INT-002", "Missing key", why="A default would be a guess.", fix="Add the key.")
BAD_VALUE = declare(
    "FG-INT-003",
    "Value that the key does not take",
    why="A value of another type, form, range or length would have to be guessed at, or be refused by its target.",
    fix="Write a value of the kind that the message names.",
)


class Mistake(Enum):
    """Sorts of what can be wrong with a value."""

    UNKNOWN_KEY = auto()
    MISSING_KEY = auto()
    WRONG_TYPE = auto()
    NOT_ONE_OF = auto()
    OUT_OF_RANGE = auto()
    MALFORMED = auto()
    EMPTY = auto()

    @property
    def code(self) -> Code:
        """Return the code that reports it."""
        return {Mistake.UNKNOWN_KEY: UNKNOWN_KEY, Mistake.MISSING_KEY: MISSING_KEY}.get(self, BAD_VALUE)
