"""Tables on terminals that are too narrow for them, and where no terminal is."""

from __future__ import annotations

import io
import re

import pytest

from fabricgen.cli.table import Row, print_table

STYLE = re.compile(r"\x1b\[[0-9;]*m")
FORMULA = "xoff = 1024 + (9100 port MTU + 15152 cable) x 1.2353, up to whole KB; size = xoff + xon"
WIDE: list[Row] = [
    {"class": name, **{f"a_long_name_{number}": 1000 + number for number in range(8)}, "derivation": FORMULA}
    for name in ("leaf", "spine", "core")
]
NARROW: list[Row] = [{"pool": "ingress_lossless_pool", "size_bytes": 1, "derivation": FORMULA}]


class Terminal(io.StringIO):
    """A terminal as far as a program can tell."""

    def isatty(self) -> bool:
        return True


def printed(rows: list[Row], stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, *, fold: bool = True) -> list[str]:
    """Lines of a table on a stream."""
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout", stream)
    print_table(rows, fold=fold)
    return [line.rstrip() for line in STYLE.sub("", stream.getvalue()).splitlines() if line.strip()]


def test_a_table_that_cannot_be_made_to_fit_has_its_rows_as_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(WIDE, Terminal(), monkeypatch)
    assert max(map(len, lines)) <= 120
    assert lines[0].split() == ["class", "leaf", "spine", "core"]
    assert next(line for line in lines if "a_long_name_3" in line).split() == ["a_long_name_3", *["1003"] * 3]
    # Every word of a long text is there, in each of the columns.
    words = " ".join(lines).split()
    assert all(words.count(word) == 3 * FORMULA.split().count(word) for word in ("9100", "15152", "1.2353,", "KB;"))


def test_long_texts_are_folded_and_names_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed([{**NARROW[0], "source": FORMULA}], Terminal(), monkeypatch)
    assert max(map(len, lines)) <= 120
    assert lines[0].split() == ["pool", "size_bytes", "derivation", "source"]
    assert lines[2].startswith(" ingress_lossless_pool ")
    assert len(lines) > 3


@pytest.mark.parametrize("rows", [WIDE, NARROW])
def test_a_line_stays_a_line_where_no_terminal_is(rows: list[Row], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(rows, io.StringIO(), monkeypatch)
    assert len(lines) == 2 + len(rows)
    assert all(FORMULA in line for line in lines[2:])


def test_tables_of_many_rows_are_never_turned(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(WIDE * 40, Terminal(), monkeypatch, fold=False)
    assert len(lines) == 2 + 120
