"""Waivers: reported and harmless while they run, an error when they end, a warning when they match nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

import pytest

from fabricgen.api import compile_inventory, place_diagnostics
from fabricgen.diagnostics import Bag, Diagnostic
from fabricgen.diagnostics.registry import RETIRED
from fabricgen.diagnostics.writers import FORMATS, write_diagnostics

REPOSITORY = Path(__file__).resolve().parents[2]
TODAY = date(2027, 1, 15)
LONG_CABLE = "media: mmf, length_m: 3}"
WAIVER = """\
- code: FG-TOP-020
  path: links.*.cable.length_m
  owner: netops
  expires: 2027-01-31
  reason: "measured, 4 m assemblies of the vendor"
"""


def compiled(
    folder: Path, waivers: str, *, long_cable: bool = True, today: date = TODAY, overlays: tuple[str, ...] = ()
) -> tuple[Bag, list[Diagnostic]]:
    """The quickstart with waivers, and with a copper cable beyond its reach if asked for."""
    text = (REPOSITORY / "inventories/quickstart/fabric.yaml").read_text(encoding="utf-8")
    assert text.count(LONG_CABLE) == 1
    (folder / "fabric.yaml").write_text(text.replace(LONG_CABLE, "media: dac, length_m: 4}") if long_cable else text)
    (folder / "waivers.yaml").write_text(waivers, encoding="utf-8")
    bag = Bag()
    result = compile_inventory(folder, overlays, bag, today=today)
    return bag, place_diagnostics(bag, result.document, result.read_as)


def of(found: list[Diagnostic], code: str) -> list[Diagnostic]:
    return [diagnostic for diagnostic in found if diagnostic.code == code]


def test_a_waived_error_is_reported_and_stops_nothing(tmp_path: Path) -> None:
    bag, found = compiled(tmp_path, WAIVER)
    assert not bag.has_errors
    (waived,) = of(found, "FG-TOP-020")
    assert (waived.waived.owner, waived.waived.expires) == ("netops", "2027-01-31")


def test_without_the_waiver_it_is_an_error(tmp_path: Path) -> None:
    bag, found = compiled(tmp_path, WAIVER.replace("links.*", "links.leaf-spine"))
    assert bag.has_errors
    assert of(found, "FG-TOP-020")[0].waived is None
    (idle,) = of(found, "FG-WVR-003")
    assert idle.place.line == 1


def test_the_last_day_counts_and_the_next_does_not(tmp_path: Path) -> None:
    assert not compiled(tmp_path, WAIVER, today=date(2027, 1, 31))[0].has_errors
    bag, found = compiled(tmp_path, WAIVER, today=date(2027, 2, 1))
    assert bag.has_errors
    (expired,) = of(found, "FG-WVR-002")
    assert expired.place.file.endswith("waivers.yaml")
    assert (expired.place.line, expired.place.column) == (1, 9)
    assert of(found, "FG-TOP-020")[0].waived is None


def test_a_waiver_of_what_is_mended_is_a_warning(tmp_path: Path) -> None:
    bag, found = compiled(tmp_path, WAIVER, long_cable=False)
    assert not bag.has_errors
    assert len(of(found, "FG-WVR-003")) == 1


def test_a_waiver_of_what_an_overlay_mends_is_none_while_the_overlay_is_on(tmp_path: Path) -> None:
    (tmp_path / "overlays").mkdir()
    (tmp_path / "overlays/short.yaml").write_text("links: {host-leaf: {cable: {length_m: 2}}}\n", encoding="utf-8")
    bag, found = compiled(tmp_path, WAIVER, overlays=("short",))
    assert not bag.has_errors
    assert of(found, "FG-WVR-003") == of(found, "FG-TOP-020") == []


def test_a_waiver_outlives_the_snippets_it_was_for(tmp_path: Path) -> None:
    """A process of its own: without snippets their codes are not loaded."""
    compiled(tmp_path, WAIVER.replace("FG-TOP-020", "FG-EXC-022"), long_cable=False)
    words = ("-m", "fabricgen", "validate", tmp_path, "--format", "json")
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=True)
    codes = [each["code"] for each in json.loads(done.stdout)["diagnostics"]]
    assert [code for code in codes if code.startswith("FG-WVR")] == ["FG-WVR-003"]


def test_an_error_of_meaning_cannot_be_waived(tmp_path: Path) -> None:
    waiver = WAIVER.replace("FG-TOP-020", "FG-QOS-001").replace("  path: links.*.cable.length_m\n", "")
    bag, found = compiled(tmp_path, waiver)
    assert bag.has_errors
    assert len(of(found, "FG-WVR-004")) == 1


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("  owner: netops\n", "", 1),
        ("2027-01-31", "2027-13-01", 4),
        ("2027-01-31", "soon", 4),
        ("FG-TOP-020", "FG-TOP-999", 1),
        ("FG-TOP-020", "FG-STA-103", 1),
        ("  reason:", "  raeson: x\n  reason:", 5),
        ("owner: netops", "owner: 7", 3),
    ],
)
def test_a_malformed_waiver_is_told_at_its_line(old: str, new: str, line: int, tmp_path: Path) -> None:
    bag, found = compiled(tmp_path, WAIVER.replace(old, new))
    assert bag.has_errors
    places = [diagnostic.place.line for diagnostic in of(found, "FG-WVR-001") if diagnostic.place]
    assert places == [line]


def test_a_file_that_is_no_list_is_refused(tmp_path: Path) -> None:
    assert len(of(compiled(tmp_path, "waivers: none\n")[1], "FG-WVR-001")) == 1


def test_a_folder_in_the_place_of_the_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "waivers.yaml").mkdir()
    (tmp_path / "fabric.yaml").write_text((REPOSITORY / "inventories/quickstart/fabric.yaml").read_text())
    bag = Bag()
    compile_inventory(tmp_path, (), bag, today=TODAY)
    assert "FG-SRC-002" in {diagnostic.code for diagnostic in bag}


def test_every_format_shows_what_is_waived(tmp_path: Path) -> None:
    found = compiled(tmp_path, WAIVER)[1]
    shown = {name: write_diagnostics(found, name, lines_of=None) for name in FORMATS}
    assert "waived error[FG-TOP-020]" in shown["text"]
    assert "1 waived" in shown["text"]
    document = json.loads(shown["json"])
    assert document["summary"]["error"] == 0
    assert document["summary"]["waived"] == 1
    results = json.loads(shown["sarif"])["runs"][0]["results"]
    (suppressed,) = [result for result in results if "suppressions" in result]
    assert suppressed["ruleId"] == "FG-TOP-020"
    assert "netops" in suppressed["suppressions"][0]["justification"]
    suite = ElementTree.fromstring(shown["junit"].encode())
    assert suite.get("failures") == "0"
    assert len(suite.findall(".//skipped")) == 1
    (line,) = [line for line in shown["github"].split("\n") if "FG-TOP-020" in line]
    assert line.startswith("::notice ")


@pytest.mark.parametrize(
    ("today", "words"),
    [
        (date(2027, 1, 16), ""),
        (date(2027, 1, 17), "expires on 2027-01-31, in 14 days"),
        (date(2027, 1, 30), "expires on 2027-01-31, tomorrow"),
        (date(2027, 1, 31), "expires on 2027-01-31, today"),
    ],
)
def test_the_end_of_a_waiver_is_announced_two_weeks_before(today: date, words: str, tmp_path: Path) -> None:
    bag, found = compiled(tmp_path, WAIVER, today=today)
    assert not bag.has_errors
    soon = of(found, "FG-WVR-011")
    assert len(soon) == bool(words)
    assert all(words in diagnostic.message and "netops" in diagnostic.message for diagnostic in soon)


def test_a_waiver_of_a_code_that_is_another_one_now_is_told(tmp_path: Path) -> None:
    bag, found = compiled(tmp_path, WAIVER + WAIVER.replace("FG-TOP-020", "FG-EXC-034"))
    assert not bag.has_errors
    (retired,) = of(found, "FG-WVR-005")
    assert retired.place.line == 6
    assert retired.message == "FG-EXC-034 is FG-EXC-930 now"
    assert of(found, "FG-WVR-003") == [], "it matches nothing, and needs nothing"


def test_a_waiver_holds_for_the_code_in_place_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(RETIRED, "FG-TOP-999", "FG-TOP-020")
    bag, found = compiled(tmp_path, WAIVER.replace("FG-TOP-020", "FG-TOP-999"))
    assert not bag.has_errors
    assert of(found, "FG-TOP-020")[0].waived is not None
    assert of(found, "FG-WVR-005")[0].hint == "write FG-TOP-020"
