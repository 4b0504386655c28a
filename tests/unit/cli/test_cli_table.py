"""Tables on terminals that are too narrow for them, and where no terminal is."""

from __future__ import annotations

import io
import re

import pytest
from test_cli_progress import Terminal

from fabricgen.cli.table import LEFT_OUT_FIRST, Row, print_table

STYLE = re.compile(r"\x1b\[[0-9;]*m")
FORMULA = "xoff = 1024 + (9100 port MTU + 15152 cable) x 1.2353, up to whole KB; size = xoff + xon"
WIDE: list[Row] = [
    {"class": name, **{f"a_long_name_{number}": 1000 + number for number in range(8)}, "derivation": FORMULA}
    for name in ("leaf", "spine", "core")
]
NARROW: list[Row] = [{"pool": "ingress_lossless_pool", "size_bytes": 1, "derivation": FORMULA}]
DEVICES: list[Row] = [
    {
        "name": f"leaf-u{number:03}-r0", "kind": "switch", "model": "dell_z9864f", "platform": "sonic",
        "asn": 4_200_000_000 + number, "loopback": f"10.255.0.{number}", "management": f"192.168.100.{number}",
        "state": "drained" if number % 9 else "", "serial": "", "reason": FORMULA if number % 7 == 0 else "",
    }
    for number in range(1, 200)
]  # fmt: skip


def printed(
    rows: list[Row], stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, *, whole: bool = False, width: int = 120
) -> list[str]:
    """Lines of a table on a stream."""
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("sys.stdout", stream)
    print_table(rows, whole=whole)
    return STYLE.sub("", stream.getvalue()).splitlines()


def test_a_table_that_cannot_be_made_to_fit_has_its_rows_as_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(WIDE, Terminal(), monkeypatch, whole=True)
    assert max(map(len, lines)) <= 120
    heads = [line.split() for line in lines if line.startswith("class")]
    assert heads == [["class", "leaf", "spine"], ["class", "core"]]
    values = [line.split() for line in lines if "a_long_name_3" in line]
    assert values == [["a_long_name_3", *["1003"] * n] for n in (2, 1)]
    # Every word of a long text is there, in each of the columns.
    words = " ".join(lines).split()
    assert all(words.count(word) == 3 * FORMULA.split().count(word) for word in ("9100", "15152", "1.2353,", "KB;"))


def test_long_texts_are_folded_and_names_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed([{**NARROW[0], "source": FORMULA}], Terminal(), monkeypatch, whole=True)
    assert max(map(len, lines)) <= 120
    assert lines[0].split() == ["pool", "size_bytes", "derivation", "source"]
    assert lines[2].startswith("ingress_lossless_pool ")
    assert len(lines) > 3
    folded = printed(NARROW, Terminal(), monkeypatch, width=60)
    texts = [line[folded[0].index("derivation") :] for line in folded[2:]]
    assert " ".join(texts) == FORMULA


@pytest.mark.parametrize("rows", [WIDE, NARROW, DEVICES])
@pytest.mark.parametrize("whole", [False, True])
def test_a_line_stays_a_line_where_no_terminal_is(
    rows: list[Row], monkeypatch: pytest.MonkeyPatch, *, whole: bool
) -> None:
    lines = printed(rows, io.StringIO(), monkeypatch, whole=whole, width=40)
    assert len(lines) == 2 + len(rows)
    assert lines[0].split() == list(rows[0])
    for line, row in zip(lines[2:], rows, strict=True):
        assert line.split() == " ".join(map(str, row.values())).split()


@pytest.mark.parametrize("width", [70, 80, 100, 120, 160, 240])
def test_columns_are_left_out_whole_and_named(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    lines = printed(DEVICES, Terminal(), monkeypatch, width=width)
    assert max(map(len, lines)) <= width
    shown = lines[0].split()
    assert [key for key in DEVICES[0] if key in shown] == shown
    assert {"name", "asn", "loopback", "management"} <= set(shown)
    text = " ".join(lines)
    hidden = re.findall(rf"Not shown at {width} columns: (.*?)\. A wider terminal or --format json", text)
    assert set(", ".join(hidden).split(", ")) - {""} == set(DEVICES[0]) - set(shown)
    for row in DEVICES:
        line = next(line for line in lines if line.startswith(f"{row['name']} "))
        for key in ("name", "asn", "loopback", "management"):
            assert str(row[key]) in line.split()


def test_empty_columns_go_first_and_unknown_ones_from_the_right(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(DEVICES, Terminal(), monkeypatch, width=110)
    assert "serial" not in lines[0]
    assert "model" in lines[0]
    rows: list[Row] = [{"name": "a" * 30, "state": "up", "one": "b" * 30, "two": "c" * 30}]
    assert not {"one", "two", "state"} & set(LEFT_OUT_FIRST)
    assert printed(rows, Terminal(), monkeypatch, width=80)[0].split() == ["name", "state", "one"]


def test_rows_are_columns_where_not_even_names_and_addresses_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = printed(DEVICES, Terminal(), monkeypatch, width=50)
    assert max(map(len, lines)) <= 50
    assert not any("Not shown" in line for line in lines)
    values = {key: [] for key in DEVICES[0]}  # type: dict[str, list[str]]
    for line in lines:
        words = line.split()
        if words and words[0] in ("name", "asn", "loopback", "management"):
            values[words[0]] += words[1:]
    for key in ("name", "asn", "loopback", "management"):
        assert values[key] == [str(row[key]) for row in DEVICES]


def test_a_terminal_without_its_width_or_colors(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("TERM", "dumb"), ("NO_COLOR", "1")):
        with monkeypatch.context() as patch:
            patch.setenv(name, value)
            patch.delenv("FORCE_COLOR", raising=False)
            patch.setenv("COLUMNS", "0")
            stream = Terminal()
            patch.setattr("sys.stdout", stream)
            print_table(DEVICES)
        assert "\x1b" not in stream.getvalue()
        assert 70 < max(map(len, stream.getvalue().splitlines())) <= 80
