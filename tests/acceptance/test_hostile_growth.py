"""Faults by the thousand: what they cost grows with their number and no faster, whatever a waiver's pattern is."""

from __future__ import annotations

import random
import re
import sys
from pathlib import Path

import pytest

from fabricgen.api import compile_inventory, place_diagnostics
from fabricgen.compiler.waivers import Waived, WaiverIndex
from fabricgen.diagnostics import Bag, Waiver
from fabricgen.diagnostics.writers import write_diagnostics
from tests.acceptance.growth_kinds import FAULTS, KINDS, QUICKSTART, Files, write
from tests.acceptance.run import diagnose
from tests.sampling import FRESH, sampled

FEW, MANY = 300, 600
SAMPLE = 2


def _calls(folder: Path, files: Files) -> tuple[int, int]:
    """Calls that validating an inventory and writing what is wrong with it take, and how many diagnostics there are."""
    write(folder, files)
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    bag = Bag()
    sys.setprofile(count)
    try:
        compiled = compile_inventory(folder, (), bag)
        placed = place_diagnostics(bag, compiled.document, compiled.read_as)
        write_diagnostics(placed, "text", lines_of=compiled.document.lines)
    finally:
        sys.setprofile(None)
    return calls, len(placed)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", sampled(list(KINDS), SAMPLE, f"{FRESH} kinds"))
def test_twice_as_many_cost_twice_as_much(kind: str, tmp_path: Path) -> None:
    files = KINDS[kind]
    _calls(tmp_path / "warm", files(2))
    least, few, many = (_calls(tmp_path / str(number), files(number)) for number in (1, FEW, MANY))
    assert kind not in FAULTS or many[1] - least[1] >= MANY - 10, "the faults are reported, each by itself"
    assert few[0] - least[0] > 20 * FEW, "nothing is measured"
    assert many[0] - least[0] < 2.6 * (few[0] - least[0]), "twice as many, and more than 2.6 times the work"


@pytest.mark.parametrize(
    ("kind", "each"), [("switches drained", 1500), ("a leaf set", 1500), ("links between switches drained", 3000)]
)
def test_an_exception_costs_its_own_devices(kind: str, each: int, tmp_path: Path) -> None:
    _calls(tmp_path / "warm", KINDS[kind](2))
    least, many = (_calls(tmp_path / str(number), KINDS[kind](number))[0] for number in (1, 101))
    assert many - least < 100 * each


def _find(pattern: str, path: str) -> bool:
    return WaiverIndex([Waived("C", pattern, Waiver("o", "d", "r"), None)]).find("C", path) is not None


def test_no_pattern_is_tried_for_ever() -> None:
    assert not _find("*a" * 60 + "b", "a" * 50_000)
    assert _find("*a" * 60, "a" * 50_000)


def test_a_pattern_means_what_it_says() -> None:
    for seed in (7, FRESH):
        rng = random.Random(seed)
        for _ in range(2000):
            pattern, path = ("".join(rng.choices(letters, k=rng.randrange(1, 8))) for letters in ("ab.**", "ab."))
            wanted = re.fullmatch(re.escape(pattern).replace(r"\*", ".*"), path) is not None
            assert _find(pattern, path) == wanted, f"{pattern} {path} of seed {seed}"


def test_the_first_waiver_of_the_file_counts() -> None:
    entries = [Waived("C", pattern, Waiver("o", "d", pattern), None) for pattern in ("x*", "*y", "xy", "")]
    for at, path in enumerate(("xy", "zy", "xy", "z")):
        index = WaiverIndex(entries[at:] if at == 2 else entries)
        found = index.find("C", path)
        assert found is entries[at]


@pytest.mark.parametrize(
    ("said", "path"),
    [
        ("failures: {spine: 1000000}", ("expect", "failures", "spine")),
        ("failures: {spine: 999999999999}", ("expect", "failures", "spine")),
        ("paths: {leaf: 999999999999}", ("expect", "paths", "leaf")),
        ("gpus: 999999999999999999999999", ("expect", "gpus")),
        (f"oversubscription: {{leaf: 1.{'0' * 4000}}}", ("expect", "oversubscription", "leaf")),
    ],
)
def test_numbers_that_no_fabric_has(said: str, path: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "fabric.yaml").write_text(f"{QUICKSTART.partition('expect:')[0]}expect: {{{said}}}\n")
    assert [item.path for item in diagnose(tmp_path)[1] if item.path[:1] == ("expect",)] == [path]
