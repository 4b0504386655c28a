"""Snippets that nobody meant: huge, binary, of another platform, all unknown. Counted, ten shown, and never slow."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.api.render import RenderOptions, render_inventory
from fabricgen.diagnostics import Bag, Severity
from fabricgen.platforms.commands.snippets import Fault, Laid, SnippetJudge
from fabricgen.platforms.reading.redaction import Redaction
from fabricgen.platforms.reading.semantics import PLAIN
from tests.unit.snippets.snippet_fabric import judge, write_fabric

NOTHING = Redaction(PLAIN.root)
MIB = 1 << 20


@pytest.mark.parametrize(("platform", "file"), [("frr", "frr.conf"), ("sonic", "frr.conf"), ("eos", "x.cli")])
def test_thousand_unknown_lines_are_counted(platform: str, file: str, tmp_path: Path) -> None:
    found = judge(tmp_path, platform, file, "".join(f"wibble{number} 1\n" for number in range(1000)))
    told = [item for item in found if item.code == "FG-EXC-030"]
    assert [item.place.line for item in told if item.place] == list(range(1, 12))
    assert "990 more of 1000" in told[-1].message
    foreign = [item.message for item in found if item.code == "FG-EXC-036"]
    assert len(foreign) == 1
    assert foreign[0].startswith("1000 of 1000 lines")


def test_thousand_unknown_tables_are_counted(tmp_path: Path) -> None:
    text = json.dumps({f"WIBBLE_{number}": {"x": {}} for number in range(1000)}, indent=1)
    told = [item for item in judge(tmp_path, "sonic", "x.json", text) if item.code == "FG-EXC-031"]
    assert len(told) == 11
    assert "990 more of 1000" in told[-1].message


@pytest.mark.parametrize("platform", ["frr", "eos", "sonic"])
def test_json_in_a_text_is_told_once(platform: str, tmp_path: Path) -> None:
    found = judge(tmp_path, platform, "frr.conf" if platform != "eos" else "x.cli", '{\n "PORT": {}\n}\n')
    assert [item.code for item in found if item.severity is Severity.ERROR] == ["FG-EXC-036"]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"ip route\x00 1\n", "U+0000 NULL"),
        (b"a\nb\x1b[31m\n", "U+001B ESCAPE"),
        (b"ip \xff\xfe\n", "not a text in UTF-8"),
        (b"!" * (MIB + 1), "larger than"),
    ],
)
def test_binary_is_refused(data: bytes, said: str, tmp_path: Path) -> None:
    found = judge(tmp_path, "frr", "frr.conf", data)
    assert [(item.code, said in item.message) for item in found] == [("FG-EXC-017", True)]


def _texts(size: int) -> dict[str, str]:
    """Texts of a size, of faults only; the first word is the room that judges them."""
    words = "".join(f"wibble{number} wobble {number}\n" for number in range(size // 16))
    peers = "".join(f" neighbor 10.{n % 250}.{n // 250}.1 remote-ass {n}\n" for n in range(size // 32))
    cards = "".join(f"   ip addres 10.{n % 250}.{n // 250}.1/31 {n}\n" for n in range(size // 32))
    rows = {f"Ethernet{n}|3": {"profile": f"p{n}", "wibble": "x"} for n in range(size // 64)}
    return {
        "families.vtysh words": words[:size],
        "families.vtysh neighbours": ("router bgp 1\n" + peers)[:size],
        "eos words": words[:size],
        "eos addresses": ("interface Loopback9\n" + cards)[:size],
        "sonic rows": json.dumps({"BUFFER_PG": rows}),
    }


def _calls_and_faults(kind: str, text: str) -> tuple[int, int]:
    """Calls that judging a text takes, and how many faults are found."""
    room = kind.split()[0]
    judge_snippet: SnippetJudge = import_module(f"fabricgen.platforms.{room}.snippet").judge_snippet
    laid = Laid(text, *(("{}", text) if room == "sonic" else ("", "")), "", "", {}, NOTHING)
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        found = [item for item in judge_snippet(laid) if isinstance(item, Fault)]
    finally:
        sys.setprofile(None)
    return calls, len(found)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", _texts(0))
def test_work_grows_with_a_text_and_no_faster(kind: str) -> None:
    _calls_and_faults(kind, _texts(MIB >> 8)[kind])
    (few, some), (many, most) = (_calls_and_faults(kind, _texts(MIB >> shift)[kind]) for shift in (7, 5))
    assert most > 300, "nothing is measured"
    assert most > 3 * some
    assert many < 4.6 * few, "four times as much text, and more than 4.6 times the work"


def test_render_refuses_what_validate_refuses(tmp_path: Path) -> None:
    folder = write_fabric(tmp_path / "in", "frr", "frr.conf", "router bgpp 1\n")
    bag = Bag()
    compiled = compile_inventory(folder, (), bag)
    assert compiled is not None
    said = {(item.code, item.message) for item in bag if item.severity is Severity.ERROR}
    assert render_inventory(compiled, tmp_path / "out", RenderOptions(verify=True), bag) is None
    assert {(item.code, item.message) for item in bag if item.severity is Severity.ERROR} == said
    assert {code for code, _ in said} == {"FG-EXC-030"}
    assert not (tmp_path / "out").exists()


def test_place_of_broken_json_is_told(tmp_path: Path) -> None:
    found = judge(tmp_path, "sonic", "x.json", '{\n "PORT": {\n')
    assert [item.code for item in found] == ["FG-EXC-020"]
    place = found[0].related[0].place
    assert place is not None
    assert place.line == 3
