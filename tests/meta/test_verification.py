"""The page of what judges tried counts files once, and explains every judge."""

from __future__ import annotations

from pathlib import Path

from tests import tally
from tests.judges.outside import JUDGES

PAGE = Path(__file__).resolve().parents[2] / "docs/verification.md"


def test_a_file_counts_once_and_stays_refused() -> None:
    tally.take()
    for refused in (False, True, False):
        tally.count("frr", "hostname a\n", refused=refused, release="10.3")
    tally.count("frr", "hostname b\n", refused=False, release="10.3")
    tally.count_missing("batfish", "no parser")
    rows = tally.table([tally.Shown(*row) for name, row in tally.take() if name == tally.PROPERTY])
    assert "| frr | 10.3 | 4 | 2 | 1 | 0 |" in rows
    assert "| batfish | | **not run**: no parser | | | |" in rows
    assert tally.take() == []


def test_the_page_explains_every_judge() -> None:
    explained = PAGE.read_text(encoding="utf-8").partition(tally.START)[0]
    rows = [row.split("|")[1] for row in explained.splitlines() if row.startswith("| ")]
    judges = {judge.name for judge in JUDGES if not judge.name.startswith("vtysh ")}
    assert judges - {name.strip() for row in rows for name in row.split(",")} == set()


def test_notes_of_every_system_say_what_only_a_device_can_tell() -> None:
    systems = {line.removeprefix("* ").partition(",")[0] for line in tally.only_devices()}
    assert {"cumulus_nvue", "eos", "fboss", "sonic"} <= systems
