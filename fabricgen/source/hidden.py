"""Invisible characters in values: written as themselves, or as escapes that only reading turns into them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fabricgen.diagnostics.visible import HIDDEN_IN_LINES, name_character
from fabricgen.source import source_codes as codes
from fabricgen.source.report import Reporter

_UNIT = re.compile(
    r"\\(?:x([0-9A-Fa-f]{2})|u([Dd][89ABab][0-9A-Fa-f]{2}\\u[Dd][C-Fc-f][0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})"
    r"|U([0-9A-Fa-f]{8})|(\S))|(.)"
)
"""One character of a scalar as it is written: by number, by number as a surrogate pair, by letter, or itself."""
_LETTERS = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip
"""Escapes of YAML 1.2.2, section 5.7; those of JSON are among them."""


def replace_hidden(text: str, lines: Sequence[str], line: int, column: int, report: Reporter) -> str:
    """Report invisible characters in a scalar, and read blanks in its place.

    Args:
        text: The scalar's value. Line feeds and tabs in it are for the field to judge.
        lines: The file's.
        line: Where the scalar begins, from 1.
        column: The same.
        report: Takes one diagnostic at the first such character.
    """
    found = [sign for sign in HIDDEN_IN_LINES.findall(text) if sign != "\t"]
    if not found:
        return text
    others = f", and {len(found) - 1} more in the text" if len(found) > 1 else ""
    report.at(codes.CONTROL_CHARACTER, *find_character(lines, line, column, found[0]), _tell(found[0]) + others)
    return HIDDEN_IN_LINES.sub(lambda sign: "\t" if sign[0] == "\t" else " ", text)


def find_hidden_in(text: str, *, escapes: bool) -> tuple[int, int, str] | None:
    """Line, column and character of the first invisible one in a text of lines; tabs can be.

    Args:
        text: The text.
        escapes: It is JSON, in which such a character may stand as an escape as well.
    """
    if not escapes or "\\" not in text:
        found = next((sign for sign in HIDDEN_IN_LINES.finditer(text) if sign[0] != "\t"), None)
        at = found.start() if found else 0
        return (text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), found[0]) if found else None
    for number, line in enumerate(text.split("\n"), 1):
        for unit in _UNIT.finditer(line):
            sign = _read(unit)
            if sign != "\t" and HIDDEN_IN_LINES.match(sign):
                return number, unit.start() + 1, sign
    return None


def find_character(lines: Sequence[str], line: int, column: int, character: str) -> tuple[int, int]:
    """Line and column of the first time that a character is written at or behind a place; that place if it is not."""
    for number in range(line, len(lines) + 1):
        for unit in _UNIT.finditer(lines[number - 1], column - 1 if number == line else 0):
            if _read(unit) == character:
                return number, unit.start() + 1
            if unit[0][1:] == character:
                return number, unit.start() + 2
    return line, column


def _tell(character: str) -> str:
    return f"{name_character(character)} is invisible"


def _read(unit: re.Match[str]) -> str:
    byte, pair, short, long, letter, itself = unit.groups()
    if pair:
        high, low = int(pair[:4], 16), int(pair[6:], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    number = byte or short or long
    if number:
        return chr(min(int(number, 16), 0x10FFFF))
    return itself or _LETTERS.get(letter, letter)
