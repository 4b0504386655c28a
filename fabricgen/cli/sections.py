"""Printing data that is several tables: a table each, one JSON object, or one flat CSV."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from fabricgen.cli.output import DataFormat, print_json, print_rows
from fabricgen.cli.terminal import print_text
from fabricgen.diagnostics.visible import show_line

if TYPE_CHECKING:
    from fabricgen.tables.sections import Row, Sections, Value

SOURCE = "source"


def print_sections(data: Sections, form: DataFormat) -> None:
    """Print every section.

    As CSV each cell is a line of its own, ``section,item,field,value``, because sections differ in their columns;
    ``item`` counts the rows of a section from 1. In tables sources are numbered, and listed once at the end.
    """
    if form is DataFormat.json:
        print_json({"fabric": data.fabric, **data.sections})
    elif form is DataFormat.csv:
        _print_csv(data)
    else:
        _print_tables(data)


def _print_csv(data: Sections) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(("section", "item", "field", "value"))
    for section, rows in data.sections.items():
        for item, row in enumerate(rows, 1):
            writer.writerows((section, item, field, _text(value, "")) for field, value in row.items())


def _print_tables(data: Sections) -> None:
    sources: dict[str, int] = {}
    between = ""
    for section, rows in data.sections.items():
        if rows:
            print(between + section.replace("_", " ").upper())
            print_rows([_cells(row, sources) for row in rows], DataFormat.table, whole=True)
            between = "\n"
    if sources:
        print()
    for text, number in sources.items():
        print_text(f"[{number}] {text}", indent=f"[{number}] ")


def _cells(row: Row, sources: dict[str, int]) -> dict[str, str | int | float]:
    """A row for the eye: what is not there as a dash, a source as its number."""
    cells: dict[str, str | int | float] = {}
    for field, value in row.items():
        if field == SOURCE and isinstance(value, str):
            cells[field] = f"[{sources.setdefault(value, len(sources) + 1)}]"
        elif isinstance(value, int | float) and not isinstance(value, bool):
            cells[field] = value
        else:
            cells[field] = _text(value, "-")
    return cells


def _text(value: Value, nothing: str) -> str:
    if value is None or value == "":
        return nothing
    if isinstance(value, bool):
        return "yes" if value else "no"
    return show_line(" ".join(map(str, value)) if isinstance(value, list) else str(value))
