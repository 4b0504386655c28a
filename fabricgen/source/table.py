"""CSV files, for example the list of assets: rows with the place of every cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fabricgen.diagnostics import Bag, Nearest, Place, Related
from fabricgen.diagnostics.words import counted
from fabricgen.source import source_codes as codes
from fabricgen.source.decode import Reporter, decode_text, read_whole, refuse_long_lines

_FIELD = re.compile(r'[ ]*"((?:[^"]|"")*)"[ ]*(?=,|$)|([^",]*)(?=,|$)')


@dataclass(frozen=True, slots=True)
class TableField:
    """One field of a row: its text without quotes and outer blanks, and the column it starts in."""

    text: str
    column: int


@dataclass(frozen=True, slots=True)
class CsvRow:
    """One row: text by column name; optional columns that the file lacks are empty."""

    values: dict[str, str]
    file: str
    line: int
    columns: dict[str, int]

    def place(self, column: str) -> Place:
        """Return the place of the cell of a column; the start of the row if the file lacks the column."""
        return Place(self.file, self.line, self.columns.get(column, 1))


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
    rows = []
    for number, line in lines[1:]:
        cells = _split(number, line, report)
        if cells is not None and any(cell.text for cell in cells) and _check_width(number, cells, len(header), report):
            rows.append(_row(report.file, number, header, cells, (*required, *optional)))
    return rows


def _row(file: str, line: int, header: list[TableField], cells: list[TableField], names: Sequence[str]) -> CsvRow:
    values = dict.fromkeys(names, "")
    columns: dict[str, int] = {}
    for head, cell in zip(header, cells, strict=True):
        if head.text in values and head.text not in columns:
            values[head.text] = cell.text
            columns[head.text] = cell.column
    return CsvRow(values, file, line, columns)


def _split(number: int, line: str, report: Reporter) -> list[TableField] | None:
    """Split one line into its fields; None, with a report, if a quote is out of place."""
    cells = []
    offset = 0
    while True:
        field = _FIELD.match(line, offset)
        if field is None:
            column = line.index('"', offset) + 1
            report.at(codes.CSV_RAGGED_ROW, number, column, "a quote is out of place")
            return None
        quoted, plain = field.groups()
        raw = field.group()
        text = plain.strip() if quoted is None else quoted.replace('""', '"')
        cells.append(TableField(text, offset + len(raw) - len(raw.lstrip()) + 1 if raw.strip() else offset + 1))
        offset = field.end() + 1
        if offset > len(line):
            return cells


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
            report.at(
                codes.DUPLICATE_KEY, number, cell.column, message, related=related,
            )  # fmt: skip
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
