"""Output to the terminal: data to stdout, diagnostics to stderr."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING, NoReturn

import typer

from fabricgen.cli.terminal import has_color, print_text
from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.diagnostics.visible import in_json, show_line

if TYPE_CHECKING:
    from fabricgen.api import Compiled
    from fabricgen.tables.sections import Row, Sections, Value

DataFormat = StrEnum("DataFormat", "table json csv")
"""Formats of data."""

DiagnosticFormat = StrEnum("DiagnosticFormat", "text json sarif junit github")
"""Formats of diagnostics."""


def fail(bag: Bag) -> NoReturn:
    """Print diagnostics, and end the command with 1."""
    print_diagnostics(bag)
    raise typer.Exit(1)


def end_on_errors(bag: Bag, compiled: Compiled | None = None, *, quiet: bool = False) -> None:
    """Print diagnostics as ``print_diagnostics`` does; errors end the command with 1."""
    if print_diagnostics(bag, compiled, quiet=quiet):
        raise typer.Exit(1)


def print_diagnostics(
    bag: Bag,
    compiled: Compiled | None = None,
    form: DiagnosticFormat = DiagnosticFormat.text,
    *,
    quiet: bool = False,
    devices: bool = False,
    notes: bool = False,
) -> bool:
    """Print every diagnostic with its place, text to stderr, other forms to stdout; return whether there are errors.

    ``compiled`` is the inventory that places come from; None if every diagnostic has its place. ``quiet`` prints, where
    there are no errors, only faults of waivers, and what is waived in one line; ``notes`` also infos that need no
    action. With ``devices`` files may be of devices, whose lines hold secrets and are not quoted.
    """
    from fabricgen.api import place_diagnostics
    from fabricgen.diagnostics.writers import write_diagnostics

    placed = place_diagnostics(bag, compiled.document if compiled else None, compiled.read_as if compiled else None)
    found = [item for item in placed if form is not DiagnosticFormat.text or not _is_note(item)]
    found = _count_waived(found) if quiet and not bag.has_errors else found
    placed = [item for item in placed if notes and _is_note(item)] + found
    stream = sys.stderr if form is DiagnosticFormat.text else sys.stdout
    if not placed and form is DiagnosticFormat.text:
        return False
    lines_of = _quote_lines(placed, compiled, devices=devices)
    text = write_diagnostics(placed, form.value, lines_of=lines_of, color=has_color(stream))
    write = getattr(stream, "write_commands", stream.write) if form is DiagnosticFormat.github else stream.write
    write(text.rstrip("\n") + "\n")
    return bag.has_errors


def _quote_lines(
    placed: Sequence[Diagnostic], compiled: Compiled | None, *, devices: bool
) -> Callable[[str], Sequence[str]]:
    """Return what gives the lines of a file by its name, as they may be quoted beside diagnostics."""
    from fabricgen.catalog.library import KNOWN_FAULTS
    from fabricgen.compiler.positions import quote_file
    from fabricgen.source import NOT_OPENED, read_lines

    document = compiled.document if compiled else None
    refused = {item.place.file for item in placed if item.place and item.code in NOT_OPENED}
    of_file: dict[str, list[Diagnostic]] = {}
    for diagnostic in placed:
        of_file.setdefault(diagnostic.place.file if diagnostic.place else "", []).append(diagnostic)

    @cache
    def lines_of(file: str) -> Sequence[str]:
        about = of_file.get(file, ())
        if document is not None and file in document.files:
            return hide_secrets(document.lines(file), about)
        if file in refused or (devices and not any(found.path for found in about)):
            return ()
        from pathlib import Path

        folder = compiled.folder if compiled and Path(file).is_relative_to(compiled.folder) else Path(file).parent
        lines = read_lines(Path(file), inside=folder)
        if Path(file).parent.name == KNOWN_FAULTS:  # their key is one of the intent, no secret
            return lines
        return hide_secrets(quote_file(document, file, lines, placed), about)

    return lines_of


def _is_note(item: Diagnostic) -> bool:
    """Return whether nothing is to be done about a diagnostic on the intent."""
    from fabricgen.diagnostics import lookup

    code = lookup(item.code)
    return bool(code and code.is_note and item.path and not item.waived)


def _count_waived(found: Iterable[Diagnostic]) -> list[Diagnostic]:
    """Print how many diagnostics are waived, and return the faults of waivers."""
    from fabricgen.compiler.waivers import list_waived

    waived = list_waived(found)
    codes = [item.code for item in waived if item.waived]
    if codes:
        noun = "diagnostic" if len(codes) == 1 else "diagnostics"
        listed = ", ".join(sorted(set(codes)))
        print_line(f"{len(codes)} {noun} waived ({listed}); fabricgen validate shows them", error=True)
    return [item for item in waived if not item.waived]


_READING = ("FG-INT", "FG-SRC", "FG-SEC")
"""Codes of what was not read as the intent has it, so that anything may be in a wrong place."""


def hide_secrets(lines: Sequence[str], diagnostics: Sequence[Diagnostic]) -> list[str]:
    """Lines of a file without what stands where a secret reference should: it may be the secret itself."""
    from fabricgen.diagnostics.quoting import find_secret, hide_values, holds_secrets
    from fabricgen.diagnostics.visible import HIDDEN

    broken = any(found.place and not found.path for found in diagnostics)
    shown = hide_values(lines, broken=broken)
    # A value that the message shows is none that may be a secret.
    misread = [
        found.path
        for found in diagnostics
        if found.code.startswith(_READING) and (find_secret(found.path) or holds_secrets(found.path))
    ]
    for diagnostic in diagnostics:
        place, path = diagnostic.place, diagnostic.path
        in_place = holds_secrets(path) and not any(other[: len(path)] == path for other in misread)
        # Where everything below is in its place, so are its secrets.
        if place is None or place.line > len(shown) or in_place:
            continue
        line = shown[place.line - 1]
        start = _find_hidden(line, diagnostic, place.column - 1)
        if line[start:].strip():
            shown[place.line - 1] = line[:start] + (" " if line[start - 1 : start] == ":" else "") + HIDDEN
    return shown


def _find_hidden(line: str, diagnostic: Diagnostic, start: int) -> int:
    """Return the index from which a line is hidden, where a diagnostic points at ``start`` of it."""
    from fabricgen.diagnostics.quoting import find_secret, holds_secrets

    path = diagnostic.path
    after_colon = line.find(":", start) + 1 or len(line)
    if holds_secrets(path):
        return after_colon if line[start:].startswith(path[-1]) else start
    if find_secret(path):
        return start
    # A key that is refused and is not like any other may have any value.
    unknown = diagnostic.message.startswith("unknown key") and not diagnostic.hint.startswith("did you mean")
    return after_colon if unknown else len(line)


def print_rows(rows: Iterable[dict[str, str | int | float]], form: DataFormat, *, whole: bool = False) -> bool:
    """Print rows that share their keys, and return whether there are any; ``whole`` as in ``print_table``."""
    if form is DataFormat.json:
        return _print_json_rows(rows)
    if form is DataFormat.csv:
        import csv

        writer = None
        for row in rows:
            if writer is None:
                writer = csv.DictWriter(sys.stdout, list(row), lineterminator="\n")
                writer.writeheader()
            writer.writerow({key: show_line(value) if isinstance(value, str) else value for key, value in row.items()})
        return writer is not None
    if found := list(rows):
        from fabricgen.cli.table import print_table

        print_table(found, whole=whole)
    return bool(found)


def print_json(data: object, indent: int = 2) -> None:
    """Print data as one JSON document."""
    print(to_json(data, indent))


def print_line(*texts: object, error: bool = False) -> None:
    """Print one line; what is foreign in it starts no other."""
    print(show_line("".join(map(str, texts))), file=sys.stderr if error else sys.stdout)


def to_json(data: object, indent: int | None = 2, *, sort_keys: bool = False) -> str:
    """Data as JSON in which nothing hides."""
    import json

    return in_json(json.dumps(data, indent=indent, sort_keys=sort_keys))


def _print_json_rows(rows: Iterable[dict[str, str | int | float]]) -> bool:
    opened = False
    for row in rows:
        sys.stdout.write((",\n " if opened else "[\n ") + to_json(row, None))
        opened = True
    sys.stdout.write("\n]\n" if opened else "[]\n")
    return opened


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


_AT_LEAST = {"noticed_ms", "healed_ms", "moved_ms", "silent_moved_ms"}
"""Times that leave out what no source gives, such as a PHY's: 0 is the least they can be."""


def _cells(row: Row, sources: dict[str, int]) -> dict[str, str | int | float]:
    """A row for the eye: what is not there as a dash, a source as its number."""
    cells: dict[str, str | int | float] = {}
    for field, value in row.items():
        if field == SOURCE and isinstance(value, str):
            cells[field] = f"[{sources.setdefault(value, len(sources) + 1)}]"
        elif isinstance(value, int | float) and not isinstance(value, bool):
            cells[field] = "≥ 0" if field in _AT_LEAST and not value else value
        else:
            cells[field] = _text(value, "-")
    return cells


def _text(value: Value, nothing: str) -> str:
    if value is None or value == "":
        return nothing
    if isinstance(value, bool):
        return "yes" if value else "no"
    return show_line(" ".join(map(str, value)) if isinstance(value, list) else str(value))
