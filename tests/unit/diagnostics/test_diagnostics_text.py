"""The text writer: what people see, down to the cell the caret stands in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from diagnostics_samples import EVIL, FABRIC, ORDINARY, SAMPLE, at, lines_of

from fabricgen.diagnostics import Diagnostic, Severity, Waiver
from fabricgen.diagnostics.registry import explain_code
from fabricgen.diagnostics.writers import write_diagnostics
from fabricgen.source import source_codes as codes

EXPECTED = (Path(__file__).parent / "ordinary.txt").read_text(encoding="utf-8")


def caret_cell(line: str, column: int) -> tuple[str, int]:
    """The source line as shown, and the cell its caret stands in."""
    found = [Diagnostic("FG-SRC-001", Severity.ERROR, "m", place=at(1, column))]
    text = write_diagnostics(found, "text", lines_of=lambda _: [line])
    source, caret = text.splitlines()[1:3]
    assert caret.endswith("^")
    return source[8:], len(caret) - 1 - 8


def test_text() -> None:
    assert write_diagnostics(ORDINARY, "text", lines_of=lines_of) == EXPECTED


def test_text_without_lines_shows_places_only() -> None:
    text = write_diagnostics(ORDINARY, "text", lines_of=None)
    assert " | " not in text
    assert "fabric.yaml:4:22" in text


def test_a_waived_one_is_its_message_and_its_waiver() -> None:
    waived = Waiver("netops", "2099-12-31", "measured")
    found = Diagnostic("FG-SRC-001", Severity.WARNING, "m", place=at(4, 22), hint="a hint", waived=waived)
    assert write_diagnostics([found], "text", lines_of=lines_of).splitlines() == [
        "waived warning[FG-SRC-001] fabric.yaml:4:22: m", f"   waived {waived}", "", "1 waived",
    ]  # fmt: skip


def test_text_without_diagnostics() -> None:
    assert write_diagnostics([], "text", lines_of=lines_of) == "no errors\n"


@pytest.mark.parametrize(
    ("numbers", "summary"), [((1, 0), "1 error"), ((0, 2), "2 warnings"), ((2, 1), "2 errors, 1 warning")]
)
def test_summary(numbers: tuple[int, int], summary: str) -> None:
    found = [
        Diagnostic("FG-SRC-001", severity, f"m{n}")
        for severity, number in zip((Severity.ERROR, Severity.WARNING), numbers, strict=True)
        for n in range(number)
    ]
    assert write_diagnostics(found, "text", lines_of=None).splitlines()[-1] == summary


@pytest.mark.parametrize(
    ("line", "column", "shown", "cell"),
    [
        ("key: value", 6, "key: value", 5),
        ("\tkey: v", 2, "    key: v", 4),
        ("a\tb\tc", 5, "a   b   c", 8),
        ("日本: x", 3, "日本: x", 4),
        ("日本: x", 5, "日本: x", 6),
        ("e\u0301e\u0301: x", 5, "e\u0301e\u0301: x", 2),
        ("😀😀 x", 4, "😀😀 x", 5),
        ("日\tx", 3, "日  x", 4),
        ("key:", 9, "key:", 4),
        ("a\x1bb", 3, "a\\x1bb", 5),
        ("a\u202eb", 3, "a\\u202eb", 7),
    ],
)  # fmt: skip
def test_caret_stands_below_its_character(line: str, column: int, shown: str, cell: int) -> None:
    assert caret_cell(line, column) == (shown, cell)


@pytest.mark.parametrize("column", [1, 50, 3000, 9999, 10000])
def test_long_lines_are_cut_around_the_caret(column: int) -> None:
    line = "".join(chr(ord("a") + n % 26) for n in range(10000))
    shown, cell = caret_cell(line, column)
    assert len(shown) <= 162
    assert shown[cell] == line[column - 1]


def test_colours_are_only_added() -> None:
    colored = write_diagnostics(ORDINARY, "text", lines_of=lines_of, color=True)
    assert "\x1b[1;31merror[FG-QOS-011]\x1b[0m" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == EXPECTED


def test_no_message_reaches_the_terminal_raw() -> None:
    text = write_diagnostics(EVIL, "text", lines_of=lambda _: [*FABRIC, "\x1b]0;x\x07"])
    text.encode()
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert "\\x1b[31m" in text


def test_more_lines_of_a_message_are_indented() -> None:
    found = [Diagnostic("FG-SRC-001", Severity.ERROR, "one\ntwo", hint="three\nfour", count=2)]
    assert write_diagnostics(found, "text", lines_of=None) == (
        "error[FG-SRC-001] one\n   two (×2)\n   hint: three\n         four\n\n1 error\n"
    )


def test_unknown_format() -> None:
    with pytest.raises(ValueError, match="text, json, sarif, junit, github"):
        write_diagnostics([], "xml", lines_of=None)


def test_explain_says_what_stops_reading() -> None:
    assert explain_code(codes.SYNTAX).startswith("FG-SRC-011 (error, stops reading)\n")


def test_explain() -> None:
    text = explain_code(SAMPLE)
    lines = text.splitlines()
    assert lines[:2] == ["FG-SRC-990 (error)", "  a sample"]
    heads = [line for line in lines if line and not line.startswith(" ")]
    assert heads[1:] == ["Why it matters", "What to do", "Source"]
    assert "https://example.org/a-rather-long-address/that-must-stay-in-one-piece/because-it-is-copied/whole." in text
    assert all(len(line) <= 80 for line in lines if "https" not in line)
    assert text.endswith("Nothing\n")
