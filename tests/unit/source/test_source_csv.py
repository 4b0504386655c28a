"""CSV files: values as another reader sees them, and a place for every cell and fault."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from source_files import Write, spots

from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.diagnostics.visible import find_hidden
from fabricgen.source import CsvRow, read_csv


def table(path: Path) -> tuple[list[CsvRow], list[Diagnostic]]:
    bag = Bag()
    return read_csv(path, bag, required=["hostname"], optional=["serial", "mac"]), list(bag)


def test_rows_and_places(write: Write) -> None:
    rows, found = table(write('hostname, serial\nleaf-1, S1\n\n"leaf,2","say ""hi"""\n,\nleaf-3,\n', "a.csv"))
    assert found == []
    assert [row.values for row in rows] == [
        {"hostname": "leaf-1", "serial": "S1", "mac": ""},
        {"hostname": "leaf,2", "serial": 'say "hi"', "mac": ""},
        {"hostname": "leaf-3", "serial": "", "mac": ""},
    ]
    places = [row.place(column) for row in rows for column in ("hostname", "serial", "mac")]
    spots_of = [(place.line, place.column) for place in places]
    assert spots_of == [
        (2, 1),
        (2, 9),
        (2, 1),
        (4, 1),
        (4, 10),
        (4, 1),
        (6, 1),
        (6, 8),
        (6, 1),
    ]


@pytest.mark.parametrize("text", [b"\xef\xbb\xbfhostname\r\nh\xc3\xa9\r\n", "hostname\nhé".encode()])
def test_spreadsheet_files_are_read(write: Write, text: bytes) -> None:
    rows, found = table(write(text, "a.csv"))
    assert found == []
    assert [row.values["hostname"] for row in rows] == ["hé"]


@pytest.mark.parametrize(
    ("text", "reported", "names"),
    [
        ("serial,mac\ns,m\n", [("FG-SRC-030", 1, 1)], []),
        ("hostname;serial\nh;s\n", [("FG-SRC-030", 1, 1), ("FG-SRC-031", 1, 1)], []),
        ("hostname,seriall\nh,s\n", [("FG-SRC-031", 1, 10)], ["h"]),
        ("hostname,,\nh,,\n", [("FG-SRC-031", 1, 10), ("FG-SRC-016", 1, 11)], ["h"]),
        ("hostname,mac,hostname\nh,m,i\n", [("FG-SRC-016", 1, 14)], ["h"]),
        ("hostname,mac\nh\ng,m,x\ni,\n", [("FG-SRC-033", 2, 1), ("FG-SRC-033", 3, 5)], ["i"]),
        ('hostname,mac\n"h,m\nh"x,m\ni,m\n', [("FG-SRC-033", 2, 1), ("FG-SRC-033", 3, 2)], ["i"]),
        ('hostname,mac\n"h"x,m\ni,m\n', [("FG-SRC-033", 2, 1)], ["i"]),
        ('"hostname,mac\nh,m\n', [("FG-SRC-033", 1, 1)], []),
        ("", [("FG-SRC-010", 1, 1)], []),
        (" \n\n", [("FG-SRC-010", 1, 1)], []),
        (b"hostname\nZ\xfcrich\n", [("FG-SRC-006", 2, 2)], ["Z\ufffdrich"]),
        (b"hostname\nh\x00\n", [("FG-SRC-008", 2, 2)], ["h"]),
        ("hostname\n".encode("utf-16"), [("FG-SRC-005", 1, 1)], []),
        ("hostname\n" + "h" * 70000, [("FG-SRC-004", 2, 1)], []),
    ],
)  # fmt: skip
def test_faults(write: Write, text: str | bytes, reported: list[tuple[str, int, int]], names: list[str]) -> None:
    rows, found = table(write(text, "a.csv"))
    assert spots(found) == sorted(reported)
    assert [row.values["hostname"] for row in rows] == names
    assert all(item.hint for item in found)


def test_hints_know_the_cause(write: Write) -> None:
    _, found = table(write("hostname;serial\nh;s\n", "a.csv"))
    assert any("semicolons" in item.hint for item in found)
    _, found = table(write("hostname,seriall\nh,s\n", "a.csv"))
    assert [item.hint for item in found] == ['did you mean "serial"?']


def test_missing_file(tmp_path: Path) -> None:
    rows, found = table(tmp_path / "none.csv")
    assert rows == []
    assert [item.code for item in found] == ["FG-SRC-001"]


_CELL = st.text(st.characters(exclude_categories=("Cs", "Cc", "Co", "Cn", "Cf", "Zl", "Zp")), max_size=8).map(
    lambda text: "".join(sign for sign in text if find_hidden(sign) is None).strip()
)


@given(cells=st.lists(st.tuples(_CELL.filter(bool), _CELL), min_size=1), quoting=st.sampled_from([0, 1]))
def test_tables_of_another_writer_are_read_back(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str]], quoting: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "table.csv"
    text = io.StringIO()
    csv.writer(text, quoting=[csv.QUOTE_MINIMAL, csv.QUOTE_ALL][quoting]).writerows([("hostname", "mac"), *cells])
    path.write_bytes(text.getvalue().encode())
    rows, found = table(path)
    assert found == []
    assert [(row.values["hostname"], row.values["mac"]) for row in rows] == cells
    lines = path.read_text().splitlines()
    for row in rows:
        place = row.place("mac")
        assert lines[place.line - 1][: place.column - 1].endswith(",")
