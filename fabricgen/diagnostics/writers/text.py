"""Diagnostics for people: a headline, the source line with a caret, then path, hint and related places."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache

from fabricgen.diagnostics.model import Diagnostic, Place, Severity, format_path
from fabricgen.diagnostics.visible import count_cells, show_line, show_lines

LinesOf = Callable[[str], Sequence[str]]
"""Gives the lines of a file by the name places call it; none for a file it does not know."""

_COLORS = {Severity.ERROR: "1;31", Severity.WARNING: "1;33", Severity.INFO: "1;36"}
_DIM = "2"
_BOLD = "1"
_GUTTER = 5
_TAB_WIDTH = 4
_SHOWN_WIDTH = 160
_MARGIN = 60
_ELLIPSIS = "…"
_SHOWN_NOTES = 3
"""Of more notes than these only the places are shown, without their lines."""


def advice(diagnostic: Diagnostic) -> Iterator[str]:
    """Yield the lines behind what is wrong, for formats of plain text: the hint, and other places that take part."""
    if diagnostic.hint:
        yield f"hint: {diagnostic.hint}"
    for related in diagnostic.related:
        where = str(related.place) if related.place else format_path(related.path)
        yield f"note: {where}: {related.text}" if where else f"note: {related.text}"


def write_text(diagnostics: Sequence[Diagnostic], *, lines_of: LinesOf | None, color: bool) -> str:
    """Write diagnostics as text that ends with a summary line."""
    writer = _TextWriter(lines_of, color=color)
    blocks = [writer.block(diagnostic) for diagnostic in diagnostics]
    return "\n".join([*blocks, writer.summary(diagnostics)])


class _TextWriter:
    """Holds how to show source lines, and whether in colour."""

    def __init__(self, lines_of: LinesOf | None, *, color: bool) -> None:
        self._lines_of = cache(lines_of) if lines_of else None
        self._color = color

    def block(self, diagnostic: Diagnostic) -> str:
        """One diagnostic with everything that belongs to it; of a waived one what it is and who waived it."""
        severity = diagnostic.severity
        where = f"{show_line(str(diagnostic.place))}: " if diagnostic.place else ""
        times = f" (×{diagnostic.count})" if diagnostic.count > 1 else ""
        waived = "waived " if diagnostic.waived else ""
        label = self._paint(f"{waived}{severity.value}[{diagnostic.code}]", _DIM if waived else _COLORS[severity])
        first, *more = f"{show_lines(diagnostic.message)}{times}".split("\n")
        lines = [f"{label} {self._paint(where, _BOLD)}{first}"]
        lines += self._field("", "\n".join(more)) if more else []
        if diagnostic.waived:
            return "".join(f"{line}\n" for line in (*lines, *self._field("waived ", str(diagnostic.waived))))
        lines += self._source(diagnostic.place, "^", _COLORS[severity])
        lines += self._field("path: ", show_line(format_path(diagnostic.path))) if diagnostic.path else []
        lines += self._field("hint: ", diagnostic.hint) if diagnostic.hint else []
        for related in diagnostic.related:
            note = show_line(str(related.place or format_path(related.path)))
            lines += self._field("note: ", f"{note}: {related.text}" if note else related.text)
            if len(diagnostic.related) <= _SHOWN_NOTES:
                lines += self._source(related.place, "-", _DIM)
        return "".join(f"{line}\n" for line in lines)

    def summary(self, diagnostics: Sequence[Diagnostic]) -> str:
        """Return how many there are of each severity."""
        parts = []
        for severity, word in ((Severity.ERROR, "error"), (Severity.WARNING, "warning"), (Severity.INFO, "info")):
            number = sum(diagnostic.severity is severity and not diagnostic.waived for diagnostic in diagnostics)
            if number:
                parts.append(self._paint(f"{number} {word}{'s' if number > 1 else ''}", _COLORS[severity]))
        waived = sum(diagnostic.waived is not None for diagnostic in diagnostics)
        if waived:
            parts.append(self._paint(f"{waived} waived", _DIM))
        return f"{', '.join(parts) or 'no errors'}\n"

    def _field(self, name: str, text: str) -> list[str]:
        indent = " " * (_GUTTER - 2)
        first, *more = show_lines(text).split("\n")
        return [f"{indent}{self._paint(name, _BOLD)}{first}", *(f"{indent}{' ' * len(name)}{line}" for line in more)]

    def _source(self, place: Place | None, mark: str, color: str) -> list[str]:
        """The line of a place with a mark below the column; nothing if the line cannot be had."""
        if place is None or self._lines_of is None:
            return []
        lines = self._lines_of(place.file)
        if not 0 < place.line <= len(lines):
            return []
        shown, offset = _window(lines[place.line - 1], place.column - 1)
        number = str(place.line).rjust(_GUTTER)
        bar = self._paint("|", _DIM)
        marker = self._paint(mark, color)
        source = f"{self._paint(number, _DIM)} {bar} {shown}".rstrip()
        return [source, f"{' ' * _GUTTER} {bar} {' ' * offset}{marker}"]

    def _paint(self, text: str, color: str) -> str:
        return f"\x1b[{color}m{text}\x1b[0m" if self._color and text else text


def _window(line: str, column: int) -> tuple[str, int]:
    """The part of a line around a column as a terminal shows it, and how many cells stand left of the column.

    A caret behind the end of the line, where something is missing, stays one cell behind it.
    """
    column = max(0, min(column, len(line)))
    head, tail = "", ""
    start, end = 0, len(line)
    if len(line) > _SHOWN_WIDTH:
        start = max(0, column - _MARGIN)
        end = min(len(line), start + _SHOWN_WIDTH)
        head = _ELLIPSIS if start else ""
        tail = _ELLIPSIS if end < len(line) else ""
        while start < column and unicodedata.combining(line[start]):
            start += 1
    before = head + _expand(line[start:column])
    shown = before + _expand(line[column:end], count_cells(before)) + tail
    return shown, count_cells(before)


def _expand(text: str, cells: int = 0) -> str:
    """Write tabs as spaces and control characters as escapes; ``cells`` stand left of the text."""
    if text.isascii() and text.isprintable():
        return text
    parts = []
    for character in text:
        shown = " " * (_TAB_WIDTH - cells % _TAB_WIDTH) if character == "\t" else show_line(character)
        parts.append(shown)
        cells += count_cells(shown)
    return "".join(parts)
