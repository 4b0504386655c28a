"""Diagnostics of the intent's shape."""

from __future__ import annotations

from functools import partial

from fabricgen.diagnostics import register
from fabricgen.validation.mistakes import Mistake

declare = partial(register, source="The intent language, docs/intent.md; fabricgen schema")

UNKNOWN_KEY = declare(
    "FG-INT-001",
    "Unknown key",
    why="A misspelt key would be ignored and its default used without a word.",
    fix="Use the intended key, or remove it.",
)
MISSING_KEY = declare(
    "FG-INT-002",
    "Missing key",
    why="There is no default a careful engineer would choose without knowing it.",
    fix="Add the key.",
)
WRONG_TYPE = declare(
    "FG-INT-003",
    "Wrong type",
    why="A value of another type would have to be guessed at.",
    fix="Write a value of the key's type.",
)
NOT_ONE_OF = declare(
    "FG-INT-004",
    "Not one of the allowed words",
    why="The word has no meaning in the language.",
    fix="Use one of the words the message lists.",
)
OUT_OF_RANGE = declare(
    "FG-INT-005",
    "Out of range",
    why="The target's own field or the protocol does not take the value.",
    fix="Use a value inside the range.",
)
MALFORMED = declare(
    "FG-INT-006",
    "Malformed value",
    why="The value does not have the form its key needs.",
    fix="Write a value of the kind that the message names.",
)
EMPTY = declare(
    "FG-INT-007",
    "Empty or too long",
    why="A list or map of that size has no meaning, or exceeds what the target accepts.",
    fix="Give as many items as the message allows.",
)
UNREADABLE = declare(
    "FG-INT-009",
    "Too much is missing to go on",
    why="Checks of the whole fabric need at least hosts, units, tiers and links.",
    fix="Correct the errors above first; more may follow.",
    fatal=True,
)

BY_MISTAKE = {
    Mistake.UNKNOWN_KEY: UNKNOWN_KEY,
    Mistake.MISSING_KEY: MISSING_KEY,
    Mistake.WRONG_TYPE: WRONG_TYPE,
    Mistake.NOT_ONE_OF: NOT_ONE_OF,
    Mistake.OUT_OF_RANGE: OUT_OF_RANGE,
    Mistake.MALFORMED: MALFORMED,
    Mistake.EMPTY: EMPTY,
}
