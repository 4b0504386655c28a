"""Tables as they are read from a screen, and compared with the rows that `--format json` has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

Row = dict[str, Any]
RULE = re.compile(r"─+")
NEVER_LEFT_OUT = {
    "name", "device", "interface", "asn", "loopback", "loopback6", "management", "address",
    *(f"{end}{what}" for end in "ab" for what in ("", "_port", "_cage", "_address", "_address6")),
}  # fmt: skip


class Table(NamedTuple):
    """A table as it is read from a screen: its title, and its rows by column."""

    title: str
    rows: list[dict[str, str]]


def read_screen(text: str, fields: frozenset[str] = frozenset()) -> list[Table]:
    """The tables of a screen: a rule below a header says where columns begin and end.

    ``fields`` of a row, all but its first, stand in the first column of rows that are columns.
    """
    lines = text.split("\n")
    rules = [number for number, line in enumerate(lines) if line.startswith("─")]
    tables: list[Table] = []
    for number, end in zip(rules, [*rules, len(lines)][1:], strict=True):
        spans = [found.span() for found in RULE.finditer(lines[number])]
        body = lines[number + 1 : end]
        body = body[: body.index("")] if "" in body else body
        cells = [cut(line, spans) for line in [lines[number - 1], *body]]
        title = lines[number - 2] if number > 1 and lines[number - 2].isupper() else ""
        tables.append(Table(title, list(read_rows(cells, fields))))
    return tables


def cut(line: str, spans: list[tuple[int, int]]) -> list[str]:
    """A line's cells; nothing stands between them, and nothing reaches into another."""
    between = [0, *(edge for span in spans for edge in span), len(line)]
    gaps = zip(between[::2], between[1::2], strict=True)
    assert not any(line[start:end].strip() for start, end in gaps), line
    return [line[start:end].strip() for start, end in spans]


def read_rows(cells: list[list[str]], fields: frozenset[str]) -> Iterator[dict[str, str]]:
    """Rows of one table, whether they are lines or columns; a first cell that is empty continues the row above."""
    header, *lines = cells
    whole: list[list[str]] = []
    for line in lines:
        if line[0]:
            whole.append(line)
        else:
            whole[-1] = [f"{one} {more}".strip() for one, more in zip(whole[-1], line, strict=True)]
    if whole and fields.issuperset(line[0] for line in whole):
        for column in range(1, len(header)):
            yield {line[0]: line[column] for line in [header, *whole]}
    else:
        for line in whole:
            yield dict(zip(header, line, strict=True))


def fields_of(rows: list[Row]) -> frozenset[str]:
    return frozenset(key for row in rows for key in list(row)[1:])


def as_shown(value: Any, *, nothing: str) -> str:
    if value is None or value == "":
        return nothing
    if isinstance(value, bool):
        return "yes" if value else "no"
    return " ".join(" ".join(map(str, value)).split() if isinstance(value, list) else str(value).split())


def assert_shown(rows: list[Row], tables: list[Table], nothing: str) -> None:
    """Every row is there in its order, and every value of every column that was kept is there whole."""
    shown = [row for table in tables for row in table.rows]
    assert len(shown) == len(rows)
    for row, found in zip(rows, shown, strict=True):
        assert NEVER_LEFT_OUT & row.keys() <= found.keys() <= row.keys()
        assert {key: as_shown(row[key], nothing=nothing) for key in found if key != "source"} == {
            key: value.removeprefix("≥ ") for key, value in found.items() if key != "source"
        }


def tables_of(screen: str, title: str, fields: frozenset[str]) -> list[Table]:
    parts = re.split(r"(?m)^([A-Z][A-Z ]*)\n", screen)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    return read_screen(found[title].partition("\n[1] ")[0], fields) if title in found else []
