"""Bytes of a file to text: encoding, line ends, invisible characters; and the diagnostics of one file."""

from __future__ import annotations

import codecs
import difflib
import os
import re
from collections.abc import Sequence
from pathlib import Path

from fabricgen.diagnostics import Bag, Code, IntentPath, Place, Related
from fabricgen.diagnostics.visible import CONTROLLING, HIDDEN_IN_LINES, name_character
from fabricgen.files import Refused, Why, check_folder, read_file
from fabricgen.source import source_codes as codes

_LISTED_MAX = 100


class Reporter:
    """Adds the diagnostics of one file to the bag; what would be an endless list ends in one line with a count."""

    __slots__ = ("_bag", "_seen", "file")

    def __init__(self, bag: Bag, file: str) -> None:
        """Report into ``bag`` about the file shown as ``file``."""
        self._bag = bag
        self._seen: dict[str, tuple[int, Place]] = {}
        self.file = file

    def at(
        self,
        code: Code,
        line: int,
        column: int,
        message: str,
        *,
        hint: str | None = None,
        related: Sequence[Related] = (),
        path: IntentPath = (),
    ) -> None:
        """Add one diagnostic; line and column count from 1. Without a hint of its own it gets the code's remedy."""
        place = Place(self.file, line, column)
        if hint is None:
            hint = code.hint
        count, _ = self._seen.get(code.id, (0, place))
        if count < _LISTED_MAX:
            self._seen[code.id] = (count + 1, place)
            self._bag.add(code, message, path, hint=hint, related=related, place=place)
            return
        if count == _LISTED_MAX:
            self._seen[code.id] = (count + 1, place)
        first = self._seen[code.id][1]
        title = code.title[0].lower() + code.title[1:]
        self._bag.add(code, f"{title}: more of the same from here on", hint=hint, place=first)

    def place(self, line: int, column: int) -> Place:
        """A place in this file."""
        return Place(self.file, line, column)


SIZE_MAX_BYTES = 8 * 1024 * 1024
LINE_MAX = 65536

_CODES = {Why.MISSING: codes.MISSING, Why.TOO_LARGE: codes.TOO_LARGE, Why.OUTSIDE: codes.OUTSIDE}
NOT_OPENED = frozenset(code.id for code in (codes.MISSING, codes.OUTSIDE, codes.UNREADABLE))
"""Codes of files of which not a line was read, so none may be shown."""

_WIDE_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WIDE_BYTES = re.compile(rb"(?:[^\0]\0){2}|(?:\0[^\0]){2}|\0\0\0[^\0]|[^\0]\0\0\0")
_UNDECODED = re.compile("[\udc80-\udcff]+")
_WORD = re.compile(r"\S+")


def read_whole(path: Path, report: Reporter, inside: Path | None = None) -> bytes | None:
    """Read a file whole, or say why not; with ``inside``, no link may lead out of that folder."""
    found = read_file(path, SIZE_MAX_BYTES, inside=inside)
    if isinstance(found, Refused):
        hint = _similar(path) if found.why is Why.MISSING else None
        report.at(_CODES.get(found.why, codes.UNREADABLE), 1, 1, f"{report.file} {found.reason}", hint=hint)
        return None
    return found


def is_folder(path: Path, bag: Bag, *, inside: Path | None = None, hint: str | None = None) -> bool:
    """Return whether files can be looked up in a folder, which has to be ``inside`` another; a fault is reported."""
    refused = check_folder(path, inside=inside)
    if refused is None:
        return True
    report = Reporter(bag, str(path))
    if refused.why is not Why.OUTSIDE:
        hint = "correct the path, or create the directory" if refused.why is Why.MISSING else None
    report.at(_CODES.get(refused.why, codes.UNREADABLE), 1, 1, f"{path} {refused.reason}", hint=hint)
    return False


def decode_text(data: bytes, report: Reporter, *, mark_allowed: bool = False) -> str | None:
    """Turn bytes into printable text whose lines end with a line feed; None if it is in another Unicode encoding.

    Faults are replaced by something harmless of the same width, so that places stay right. ``mark_allowed`` accepts the
    UTF-8 byte order mark of spreadsheets.
    """
    if data.startswith(_WIDE_MARKS) or _WIDE_BYTES.match(data):
        message = "the file is encoded as UTF-16 or UTF-32; only UTF-8 is read"
        report.at(codes.WIDE_ENCODING, 1, 1, message)
        return None
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
        if not mark_allowed:
            message = "the file starts with a byte order mark (EF BB BF)"
            report.at(codes.NOT_PLAIN_UTF8, 1, 1, message)
    text = data.decode("utf-8", "surrogateescape")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _replace_invisible(_replace_undecoded(text, report), report)


def refuse_long_lines(text: str, report: Reporter) -> bool:
    """Report a line that would keep a parser busy for minutes, as a comment does not; say whether there is one."""
    for line, content in enumerate(text.split("\n"), 1):
        if len(content) > LINE_MAX and not content.lstrip(" ").startswith("#"):
            message = f"the line has {len(content)} characters; at most {LINE_MAX} are read"
            report.at(codes.TOO_LARGE, line, 1, message)
            return True
    return False


def _replace_undecoded(text: str, report: Reporter) -> str:
    if _UNDECODED.search(text) is None:
        return text
    for line, content in enumerate(text.split("\n"), 1):
        for word in _WORD.finditer(content):
            run = _UNDECODED.search(content, word.start(), word.end())
            if run is not None:
                shown = " ".join(f"{byte:02X}" for byte in run.group().encode("utf-8", "surrogateescape")[:8])
                guess = word.group()[:60].encode("utf-8", "surrogateescape").decode("cp1252", "replace")
                hint = f'save the file as UTF-8; read as Windows-1252 or Latin-1 the text says "{guess}"'
                message = f"{shown} is not UTF-8"
                report.at(codes.NOT_PLAIN_UTF8, line, run.start() + 1, message, hint=hint)
    return _UNDECODED.sub(lambda run: "\N{REPLACEMENT CHARACTER}" * len(run.group()), text)


def _replace_invisible(text: str, report: Reporter) -> str:
    if CONTROLLING.search(text) is None:
        return text
    for line, content in enumerate(text.split("\n"), 1):
        found = CONTROLLING.findall(content)
        if found:
            others = f", and {len(found) - 1} more on the line" if len(found) > 1 else ""
            message = f"{name_character(found[0])} is invisible{others}"
            report.at(codes.CONTROL_CHARACTER, line, content.index(found[0]) + 1, message)
    return CONTROLLING.sub(" ", text)


def _similar(path: Path) -> str:
    """Name a file of nearly the same name in the same directory, if there is one."""
    try:
        names = sorted(entry.name for entry in os.scandir(path.parent))
    except (OSError, ValueError):
        return "check the path"
    close = difflib.get_close_matches(path.name, names, n=1)
    return f"did you mean {path.parent / close[0]}?" if close else "check the path"


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
    """Report the first invisible character in a scalar at a line and column from 1, and read blanks in its place."""
    found = [sign for sign in HIDDEN_IN_LINES.findall(text) if sign != "\t"]
    if not found:
        return text
    others = f", and {len(found) - 1} more in the text" if len(found) > 1 else ""
    report.at(
        codes.CONTROL_CHARACTER,
        *find_character(lines, line, column, found[0]),
        f"{name_character(found[0])} is invisible{others}",
    )
    return HIDDEN_IN_LINES.sub(lambda sign: "\t" if sign[0] == "\t" else " ", text)


def find_hidden_in(text: str, *, escapes: bool) -> tuple[int, int, str] | None:
    """Line, column and character of the first invisible one, tabs aside; in JSON it may be an escape as well."""
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


def _read(unit: re.Match[str]) -> str:
    byte, pair, short, long, letter, itself = unit.groups()
    if pair:
        high, low = int(pair[:4], 16), int(pair[6:], 16)
        return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    number = byte or short or long
    if number:
        return chr(min(int(number, 16), 0x10FFFF))
    return itself or _LETTERS.get(letter, letter)
