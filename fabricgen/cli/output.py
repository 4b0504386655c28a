"""How data and diagnostics reach the terminal: data to stdout, diagnostics to stderr."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING

SECRET_KEYS = frozenset({"community", "key", "password_hash"})
"""Keys of the intent whose value is a secret reference."""

if TYPE_CHECKING:
    from fabricgen.api import Compiled
    from fabricgen.diagnostics import Bag, Diagnostic


class DataFormat(StrEnum):
    """How data is printed."""

    table = "table"
    json = "json"
    csv = "csv"


class DiagnosticFormat(StrEnum):
    """How diagnostics are printed."""

    text = "text"
    json = "json"
    sarif = "sarif"
    junit = "junit"
    github = "github"


def print_diagnostics(bag: Bag, compiled: Compiled | None, form: DiagnosticFormat, *, quiet: bool = False) -> bool:
    """Print every diagnostic with its place; text to stderr, other formats to stdout.

    Returns:
        Whether there are errors.
    """
    from fabricgen.api import place_diagnostics
    from fabricgen.diagnostics.writers import write_diagnostics
    from fabricgen.source import read_lines

    document = compiled.document if compiled else None
    placed = place_diagnostics(bag, document, compiled.read_as if compiled else None)
    stream = sys.stderr if form is DiagnosticFormat.text else sys.stdout
    if not placed and form is DiagnosticFormat.text:
        return False

    def lines_of(file: str) -> Sequence[str]:
        if document is not None and file in document.files:
            return hide_secrets(file, document.lines(file), placed)
        from pathlib import Path

        return hide_secrets(file, read_lines(Path(file)), placed)

    if not quiet or bag.has_errors:
        print(write_diagnostics(placed, form.value, lines_of=lines_of, color=stream.isatty()).rstrip("\n"), file=stream)
    return bag.has_errors


def hide_secrets(file: str, lines: Sequence[str], diagnostics: Sequence[Diagnostic]) -> list[str]:
    """Source lines without what stands where a secret reference should: it may be the secret itself."""
    shown = list(lines)
    for diagnostic in diagnostics:
        place = diagnostic.place
        if place and place.file == file and place.line <= len(shown) and SECRET_KEYS.intersection(diagnostic.path[-2:]):
            shown[place.line - 1] = shown[place.line - 1][: place.column - 1] + "(not shown)"
    return shown


def print_rows(rows: Iterable[dict[str, str | int | float]], form: DataFormat, *, fold: bool = False) -> None:
    """Print rows that share their keys; ``fold`` as in ``print_table``."""
    if form is DataFormat.json:
        _print_json_rows(rows)
    elif form is DataFormat.csv:
        import csv

        writer = None
        for row in rows:
            if writer is None:
                writer = csv.DictWriter(sys.stdout, list(row), lineterminator="\n")
                writer.writeheader()
            writer.writerow(row)
    elif found := list(rows):
        from fabricgen.cli.table import print_table

        print_table(found, fold=fold)


def _print_json_rows(rows: Iterable[dict[str, str | int | float]]) -> None:
    import json

    opened = False
    for row in rows:
        sys.stdout.write((",\n " if opened else "[\n ") + json.dumps(row))
        opened = True
    sys.stdout.write("\n]\n" if opened else "[]\n")
