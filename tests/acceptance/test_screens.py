"""Whole screens of every table, at three widths, against what `--format json` and `--format csv` have."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from contextlib import redirect_stdout
from functools import cache
from typing import Any

import pytest

from fabricgen.cli.analyze import work_out_failures
from fabricgen.cli.planned import PlannedInventory, load_planned
from tests.acceptance.printed_tables import as_shown, assert_shown, fields_of, read_screen, tables_of
from tests.acceptance.run import INVENTORIES
from tests.acceptance.terminal import WIDTHS, run_on_terminal
from tests.command_line import run_here

LISTS = ("devices", "links", "addresses", "cabling", "exceptions")
SECTIONS = (
    ("show", "qos"), ("show", "buffers"), ("analyze", "buffers"), ("analyze", "capacity"), ("analyze", "failures"),
)  # fmt: skip
ONLY_AS_DATA = {"failures": ("links", "timers")}
"""Sections too long to read, which only JSON and CSV have."""
# Exceptions of every kind; a workload; two families of addresses.
PARTS: dict[str, tuple[str, ...]] = {"irregular": (), "dual-plane": ("--unit", "2"), "../tests/fabrics/conformance": ()}
SHOWN = tuple(PARTS)


class Screen(io.BytesIO):
    """Bytes that a terminal shows."""

    def isatty(self) -> bool:
        return True


def on_screen(monkeypatch: pytest.MonkeyPatch, width: int, *words: str) -> str:
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


@pytest.fixture(autouse=True)
def _compiled_once(monkeypatch: pytest.MonkeyPatch) -> None:
    for verb in ("show", "analyze"):
        monkeypatch.setattr(f"fabricgen.cli.{verb}.load_planned", kept_planned)
    monkeypatch.setattr("fabricgen.cli.analyze.work_out_failures", kept_failures)


@cache
def kept_planned(inventory: Any, overlay: Any, catalog: Any, *, notes: bool = False) -> Any:
    """A plan that is made once for all tables and widths."""
    return load_planned(inventory, overlay, catalog)


_failures: dict[tuple[int, bool], Any] = {}


def kept_failures(planned: PlannedInventory, pairs: None, *, links: bool) -> Any:
    """Failures that are worked out once for all widths; kept plans have identities of their own."""
    if (id(planned.plan), links) not in _failures:
        _failures[id(planned.plan), links] = work_out_failures(planned, pairs, links=links)
    return _failures[id(planned.plan), links]


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


@pytest.mark.sampled(1, of="inventory")
@pytest.mark.parametrize("inventory", [pytest.param(SHOWN[0], marks=pytest.mark.nightly), *SHOWN[1:]])
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
            shown = {key: rows for key, rows in data.items() if key not in ONLY_AS_DATA.get(what, ())}
            for section, rows in shown.items():
                title = section.replace("_", " ").upper()
                assert_shown(rows, tables_of(screen, title, fields_of(rows)), nothing="-")
                assert all(" ".join(row["source"].split()) in sources for row in rows if row.get("source"))


def test_the_summary_shows_every_number(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("show", str(INVENTORIES / "irregular"), "summary")
    data = json.loads(run_here(*words, "--format", "json").stdout)
    assert data["oversubscription"]["leaf"] == 2.0
    data["oversubscription"] = data.pop("ratios")
    data |= {f"scale_up {group}": said for group, said in data.pop("scale_up").items()}
    flat = {
        f"{key} {name}" if isinstance(value, dict) else key: each
        for key, value in data.items()
        for name, each in (value.items() if isinstance(value, dict) else [("", value)])
    }
    for width in WIDTHS:
        (table,) = read_screen(on_screen(monkeypatch, width, *words))
        shown = {row["key"]: row["value"] for row in table.rows}
        assert shown == {key: as_shown(value, nothing="-") for key, value in flat.items()}


@pytest.mark.parametrize(("columns", "term"), [(80, "xterm"), (160, "dumb")])
def test_a_real_terminal_shows_the_same(columns: int, term: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("show", str(INVENTORIES / "two-halls"), "devices", "--tier", "leaf")
    environment = {**os.environ, "TERM": term}
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
        environment.pop(name, None)
    text, code = run_on_terminal(words, columns=columns, env=environment)
    assert code == 0, text
    assert ("\x1b" in text) == (term != "dumb")
    plain = re.sub(r"\x1b\[\d*m", "", text)
    assert plain == on_screen(monkeypatch, columns, *words)
    assert "4200000001  10.255.0.5" in plain
