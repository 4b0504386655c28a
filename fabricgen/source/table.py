"""CSV files, for example the list of assets: rows with the place of every cell."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fabricgen.diagnostics import Bag, Nearest, Place, Related
from fabricgen.diagnostics.words import counted
from fabricgen.source import source_codes as codes
from fabricgen.source.decode import Reporter, decode_text, read_whole, refuse_long_lines

_LINE_END = re.compile(r"(\r\n|\r|\n)")
_FIELD = re.compile(r'[ ]*"((?:[^"]|"")*)"[ ]*(?=,|$)|([^",]*)(?=,|$)')


class TableField(NamedTuple):
    """One field of a row: its text without quotes and outer blanks, and the column it starts in."""

    text: str
    column: int


class CsvRow(NamedTuple):
    """One row: text by column name; optional columns that the file lacks are empty.

    ``text`` is the whole line, ``fields`` the number of the field of each column.
    """

    values: dict[str, str]
    file: str
    line: int
    text: str
    fields: dict[str, int]

    def place(self, column: str) -> Place:
        """Return the place of the cell of a column; the start of the row if the file lacks the column."""
        at = self.fields.get(column, -1)
        return Place(self.file, self.line, 1 if at < 0 else _read_field(_match_fields(self.text)[at]).column)


def read_csv(
    path: Path, bag: Bag, *, required: Sequence[str], optional: Sequence[str], inside: Path | None = None
) -> list[CsvRow]:
    """Read a CSV file with a header line, and return the complete rows; none if a required column is missing.

    The file is as RFC 4180 describes it, in UTF-8 with or without a byte order mark. Columns that are neither required
    nor optional are errors.
    """
    report = Reporter(bag, str(path))
    data = read_whole(path, report, inside)
    text = None if data is None else decode_text(data, report, mark_allowed=True)
    if text is None or refuse_long_lines(text, report):
        return []
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        report.at(codes.EMPTY, 1, 1, f"{report.file} holds no data", hint="write a header line")
        return []
    header = _split(*lines[0], report)
    if header is None or not _check_header(lines[0], header, report, required, optional):
        return []
    return list(_rows(lines[1:], header, dict.fromkeys((*required, *optional), ""), report))


def _rows(
    lines: Sequence[tuple[int, str]], header: list[TableField], empty: dict[str, str], report: Reporter
) -> Iterator[CsvRow]:
    """Yield the complete rows that have a value; what is wrong with others is reported."""
    fields = {head.text: at for at, head in reversed([*enumerate(header)]) if head.text in empty}
    for number, line in lines:
        texts = [each.strip() for each in line.split(",")]
        if '"' in line or len(texts) != len(header):
            cells = _split(number, line, report)
            is_row = cells and any(cell.text for cell in cells) and _check_width(number, cells, len(header), report)
            texts = [cell.text for cell in cells] if cells and is_row else []
        if any(texts):
            yield CsvRow(empty | {name: texts[at] for name, at in fields.items()}, report.file, number, line, fields)


def _split(number: int, line: str, report: Reporter) -> list[TableField] | None:
    """Split one line into its fields; None, with a report, if a quote is out of place."""
    fields = _match_fields(line)
    end = fields[-1].end() + 1 if fields else 0
    if end <= len(line):
        report.at(codes.CSV_RAGGED_ROW, number, line.index('"', end) + 1, "a quote is out of place")
        return None
    return list(map(_read_field, fields))


def _match_fields(line: str) -> list[re.Match[str]]:
    """Return the fields of a line with their quotes and blanks, up to a quote that is out of place."""
    found, offset = [], 0
    while offset <= len(line) and (field := _FIELD.match(line, offset)):
        found.append(field)
        offset = field.end() + 1
    return found


def _read_field(field: re.Match[str]) -> TableField:
    quoted, plain = field.groups()
    raw, offset = field.group(), field.start()
    text = plain.strip() if quoted is None else quoted.replace('""', '"')
    return TableField(text, offset + len(raw) - len(raw.lstrip()) + 1 if raw.strip() else offset + 1)


def _check_width(number: int, cells: list[TableField], width: int, report: Reporter) -> bool:
    if len(cells) == width:
        return True
    column = cells[width].column if len(cells) > width else cells[-1].column
    message = f"the row has {counted(len(cells), 'field')}, the header has {width}"
    report.at(codes.CSV_RAGGED_ROW, number, column, message)
    return False


def _check_header(
    line: tuple[int, str], header: list[TableField], report: Reporter, required: Sequence[str], optional: Sequence[str]
) -> bool:
    """Report what is wrong with the columns; False if a required one is missing."""
    number, text = line
    known = (*required, *optional)
    first: dict[str, TableField] = {}
    nearest = Nearest()
    for cell in header:
        if cell.text in first:
            related = (Related("first given here", place=report.place(number, first[cell.text].column)),)
            message = f'the column "{cell.text}" is given twice'
            report.at(codes.DUPLICATE_KEY, number, cell.column, message, related=related)
        elif cell.text not in known:
            close = nearest.find(cell.text, known)
            hint = f'did you mean "{close}"?' if close else f"use one of {', '.join(known)}"
            message = f'the column "{cell.text}" is unknown' if cell.text else "a column has no name"
            report.at(codes.CSV_UNKNOWN_COLUMN, number, cell.column, message, hint=hint)
        first.setdefault(cell.text, cell)
    missing = [name for name in required if name not in first]
    for name in missing:
        semicolons = len(header) == 1 and ";" in text
        hint = "save the file with commas instead of semicolons" if semicolons else "add the column to the header line"
        message = f'the column "{name}" is missing'
        report.at(codes.CSV_MISSING_COLUMN, number, 1, message, hint=hint)
    return not missing


def edit_csv(data: bytes, number: int, values: Mapping[str, str]) -> bytes:
    """Return a sound CSV file with other cells in one line, or with one more line if it has no line of that number.

    Everything else keeps its bytes: order, quotes, blanks, line ends. Columns that the header lacks are added to every
    line. Values are words, which need no quotes.
    """
    mark = codecs.BOM_UTF8 if data.startswith(codecs.BOM_UTF8) else b""
    parts = _LINE_END.split(data[len(mark) :].decode())
    filled = [at for at in range(0, len(parts), 2) if parts[at].strip()]
    names = [_read_field(field).text for field in _match_fields(parts[filled[0]])]
    missing = [name for name in values if name not in names]
    for at in filled if missing else ():
        parts[at] += "".join(f",{name if at == filled[0] else ''}" for name in missing)
    names += missing
    at = 2 * (number - 1)
    if at in filled:
        parts[at] = _with_cells(parts[at], [values.get(name) for name in names])
    else:
        end = parts[1] if len(parts) > 1 else "\n"
        parts[filled[-1]] += end + ",".join(values.get(name, "") for name in names)
    return mark + "".join(parts).encode()


def _with_cells(line: str, values: Sequence[str | None]) -> str:
    """Return a line with other cells; None keeps one."""
    for field, value in reversed(list(zip(_match_fields(line), values, strict=True))):
        start, stop = field.span(2 if field[1] is None else 1)
        if field[1] is None:
            core = line[start:stop].lstrip()
            start, stop = stop - len(core), stop - len(core) + len(core.rstrip())
        if value is not None:
            line = line[:start] + value + line[stop:]
    return line
