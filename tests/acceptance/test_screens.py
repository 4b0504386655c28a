"""Whole screens of every table, at three widths, against what `--format json` and `--format csv` have."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import redirect_stdout
from fcntl import ioctl
from functools import cache
from typing import Any, NamedTuple

import pytest

from fabricgen.cli.planned import load_planned
from tests.acceptance.run import INVENTORIES, REPOSITORY
from tests.command_line import run_here

WIDTHS = (80, 100, 160)
LISTS = ("devices", "links", "addresses", "cabling", "exceptions")
SECTIONS = (("show", "qos"), ("show", "buffers"), ("analyze", "buffers"), ("analyze", "capacity"))
# Exceptions of every kind; a workload; two families of addresses.
PARTS: dict[str, tuple[str, ...]] = {
    "irregular": (),
    "dual-plane": ("--unit", "2"),
    "../tests/fabrics/conformance": (),
}
SHOWN = tuple(PARTS)
NEVER_LEFT_OUT = {
    "name", "device", "interface", "asn", "loopback", "loopback6", "management", "address",
    *(f"{end}{what}" for end in "ab" for what in ("", "_port", "_cage", "_address", "_address6")),
}  # fmt: skip
RULE = re.compile(r"─+")
Row = dict[str, Any]


class Table(NamedTuple):
    """A table as it is read from a screen: its title, and its rows by column."""

    title: str
    rows: list[dict[str, str]]


class Screen(io.BytesIO):
    """Bytes that a terminal shows."""

    def isatty(self) -> bool:
        return True


def on_screen(monkeypatch: pytest.MonkeyPatch, width: int, *words: str) -> str:
    """What a command shows on a terminal."""
    from fabricgen.cli.app import main

    with monkeypatch.context() as patch:
        for name, value in (("COLUMNS", str(width)), ("TERM", "xterm"), ("NO_COLOR", "1")):
            patch.setenv(name, value)
        patch.setattr(sys, "argv", ["fabricgen", *words])
        screen = Screen()
        stream = io.TextIOWrapper(screen, "utf-8")
        with redirect_stdout(stream):
            assert main() == 0
        stream.flush()
        return screen.getvalue().decode()


def read_screen(text: str, fields: frozenset[str] = frozenset()) -> list[Table]:
    """The tables of a screen: a rule below a header says where columns begin and end.

    Args:
        text: The screen.
        fields: Fields of a row but its first: they stand in the first column of rows that are columns.
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
    """Fields of rows, without the first of each."""
    return frozenset(key for row in rows for key in list(row)[1:])


def as_shown(value: Any, *, nothing: str) -> str:
    """A value of the JSON as a table shows it."""
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
            key: value for key, value in found.items() if key != "source"
        }


@pytest.fixture(autouse=True)
def _compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for verb in ("show", "analyze"):
        monkeypatch.setattr(f"fabricgen.cli.{verb}.load_planned", kept_planned)


@cache
def kept_planned(inventory: Any, overlay: Any, catalog: Any) -> Any:
    """A plan that is made once for all tables and widths."""
    return load_planned(inventory, overlay, catalog)


@pytest.mark.parametrize("inventory", SHOWN)
def test_lists_show_every_value_whole(inventory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = str(INVENTORIES / inventory)
    for table in LISTS:
        words = ("show", folder, table, *(PARTS[inventory] if table != "exceptions" else ()))
        rows = json.loads(run_here(*words, "--format", "json").stdout)
        assert list(csv.DictReader(io.StringIO(run_here(*words, "--format", "csv").stdout))) == [
            {key: str(value) for key, value in row.items()} for row in rows
        ]
        for width in WIDTHS:
            screen = on_screen(monkeypatch, width, *words)
            assert max(map(len, screen.splitlines()), default=0) <= width
            assert_shown(rows, read_screen(screen, fields_of(rows)), nothing="")


@pytest.mark.parametrize("inventory", SHOWN)
def test_sections_show_every_value_whole(inventory: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for verb, what in SECTIONS:
        words = (verb, str(INVENTORIES / inventory), what)
        data = json.loads(run_here(*words, "--format", "json").stdout)
        del data["fabric"]
        cells = list(csv.reader(io.StringIO(run_here(*words, "--format", "csv").stdout)))[1:]
        assert cells == [
            [section, str(number), key, as_shown(value, nothing="")]
            for section, rows in data.items()
            for number, row in enumerate(rows, 1)
            for key, value in row.items()
        ]
        for width in WIDTHS:
            screen = on_screen(monkeypatch, width, *words)
            sources = " ".join(screen[screen.find("\n[1] ") :].split()) if "\n[1] " in screen else ""
            for section, rows in data.items():
                title = section.replace("_", " ").upper()
                assert_shown(rows, tables_of(screen, title, fields_of(rows)), nothing="-")
                assert all(" ".join(row["source"].split()) in sources for row in rows if row.get("source"))


def tables_of(screen: str, title: str, fields: frozenset[str]) -> list[Table]:
    """The tables of one section."""
    parts = re.split(r"(?m)^([A-Z][A-Z ]*)\n", screen)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    return read_screen(found[title].partition("\n[1] ")[0], fields) if title in found else []


def test_the_summary_shows_every_number(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("show", str(INVENTORIES / "irregular"), "summary")
    data = json.loads(run_here(*words, "--format", "json").stdout)
    flat = {
        f"{key} {name}" if isinstance(value, dict) else key: each
        for key, value in data.items()
        for name, each in (value.items() if isinstance(value, dict) else [("", value)])
    }
    for width in WIDTHS:
        (table,) = read_screen(on_screen(monkeypatch, width, *words))
        assert {row["key"]: row["value"] for row in table.rows} == {
            key: as_shown(value, nothing="-") for key, value in flat.items()
        }


@pytest.mark.parametrize(("columns", "term"), [(80, "xterm"), (160, "dumb")])
def test_a_real_terminal_shows_the_same(columns: int, term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("show", str(INVENTORIES / "rail-1k"), "devices", "--tier", "leaf")
    master, slave = pty.openpty()
    ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    environment = {**os.environ, "TERM": term, "PYTHONPATH": str(REPOSITORY)}
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        environment.pop(name, None)
    command = [sys.executable, "-m", "fabricgen", *words]
    with subprocess.Popen(command, stdin=slave, stdout=slave, stderr=subprocess.DEVNULL, env=environment) as running:
        os.close(slave)
        read = bytearray()
        try:
            while data := os.read(master, 65536):
                read += data
        except OSError:
            pass
        assert running.wait() == 0
    os.close(master)
    text = read.decode().replace("\r\n", "\n")
    assert ("\x1b" in text) == (term != "dumb")
    plain = re.sub(r"\x1b\[\d*m", "", text)
    assert plain == on_screen(monkeypatch, columns, *words)
    assert "4200000001  10.255.0.17" in plain
