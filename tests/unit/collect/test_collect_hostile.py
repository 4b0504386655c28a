"""Switches whose answers grow, or have no end: each is one line, and the memory of all of them stays small."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.run import REPOSITORY
from tests.emulated.https_fleet import serve_api
from tests.emulated.https_switch import Answer
from tests.unit.collect.test_collect_https import APPLIED, CONFIG, Site
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.nightly
PEAK_MIB = 300
DEEP = b"[" * 245_000 + b"]" * 245_000
WIDE = b"[" + b"[]," * 5_000_000 + b"[]]"
REFUSED = {
    "deep": (Answer(b'{"result": [{}, {"x": %s}]}' % DEEP, raw=True), "FG-COL-023"),
    "wide": (Answer(b'{"result": [{}, {"x": %s}]}' % WIDE, raw=True), "FG-COL-023"),
    "redirecting": (Answer(b"", 302, (("Location", "https://127.0.0.1:1/"),)), "FG-COL-018"),
}
ENDLESS = {
    "slow": (Answer(b"{", hangs=True, raw=True), "FG-COL-014"),
    "endless": (Answer(b"x", flood_bytes=1 << 30, raw=True), "FG-COL-014 or FG-COL-022"),
    "growing": (Answer(b"a\n" * 5_000_000 + b"end\n"), "FG-COL-014 or FG-COL-023"),
}
"""The machine decides whether these meet the bound of time or that of size first."""


def collect(site: Site, kinds: dict[str, tuple[Answer, str]], count: int, seconds: float) -> dict[str, Any]:
    """Collect so many switches of each kind, half of them by eAPI and half by NVUE."""
    for kind, (answer, _) in kinds.items():
        for number in range(count):
            api = "nvue" if number % 2 and kind != "growing" else "eapi"
            site.add(f"{kind}-{number}", api).answers[CONFIG if api == "eapi" else APPLIED] = answer
    with serve_api([*site.switches.values()], site.folder) as fleet:
        switches = [(each.name, each.api, each.port) for each in fleet.switches.values()]
        asked = {"switches": switches, "pins": str(fleet.pins), "out": str(site.folder / "out"), "seconds": seconds}
        words = [sys.executable, "-m", "tests.emulated.collect_peak", json.dumps(asked)]
        done = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def judge(found: dict[str, Any], kinds: dict[str, tuple[Answer, str]], count: int) -> None:
    assert len(found["codes"]) == count * len(kinds)
    for name, code in found["codes"].items():
        assert code, name
        assert code in kinds[name.partition("-")[0]][1], (name, code)
    assert found["lines"] <= len(found["codes"])
    assert found["peak_mib"] <= PEAK_MIB


def test_answers_that_grow_are_one_line_each_in_little_memory(tmp_path: Path) -> None:
    """Nothing of an answer stays in memory once its device is done."""
    kinds = {**REFUSED, "growing": (ENDLESS["growing"][0], "FG-COL-023")}
    judge(collect(Site(tmp_path), kinds, 2, PATIENCE_S), kinds, 2)


@pytest.mark.nightly
def test_72_hostile_switches_are_one_line_each_in_little_memory(tmp_path: Path) -> None:
    kinds = {**REFUSED, **ENDLESS}
    judge(collect(Site(tmp_path), kinds, 12, 60), kinds, 12)
