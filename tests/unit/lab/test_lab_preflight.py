"""Missing parts of a machine are reported once, before anything is made."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.lab import stages as life
from fabricgen.lab.lifecycle import installation, state
from fabricgen.lab.lifecycle.kernel import CommandError
from tests.unit.lab.fabrics import compiled, lab_of, plan_of

HERE = installation.__name__


def refuse(word: str) -> object:
    """A ``run`` that fails for commands that hold a word."""

    def run(command: list[str], **_: object) -> str:
        if any(word in part for part in command):
            raise CommandError(f"{command[0]}: Operation not permitted")
        return ""

    return run


@pytest.fixture(autouse=True)
def capable(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that has everything."""
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(installation, "_TOOLS", ("sh",))
    monkeypatch.setattr(installation, "DAEMONS", ())
    monkeypatch.setattr(installation, "run", refuse("nothing"))


@pytest.mark.parametrize(
    ("lacking", "found"),
    [
        ({}, []),
        ({"os.geteuid": lambda: 1000}, ["FG-LAB-001"]),
        ({f"{HERE}._TOOLS": ("sh", "no-such-program"), f"{HERE}.DAEMONS": ("no-such-daemon",)}, ["FG-LAB-002"]),
        ({f"{HERE}.run": refuse("--uts")}, ["FG-LAB-003"]),
        ({f"{HERE}.run": refuse("nexthop")}, ["FG-LAB-003"]),
    ],
    ids=["nothing", "root", "programs", "namespaces", "routes over two paths"],
)
def test_what_a_machine_lacks_is_one_message(
    lacking: dict[str, object], found: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in lacking.items():
        monkeypatch.setattr(name, value)
    bag = Bag()
    installation.check_machine(bag)
    assert [item.code for item in bag] == found


def test_too_little_memory_stops_before_anything_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "available_memory_bytes", lambda: 100 << 20)
    monkeypatch.setattr(state, "claim", lambda _: pytest.fail("something was made"))
    bag = Bag()
    assert not life.bring_up(lab_of("quickstart"), bag, lambda *_: None)
    assert [found.code for found in bag] == ["FG-LAB-004"]


def test_a_lab_of_that_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "claim", lambda _: False)
    bag = Bag()
    assert not life.bring_up(lab_of("quickstart"), bag, lambda *_: None)
    assert [found.code for found in bag] == ["FG-LAB-006"]


def test_no_lab_of_that_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(state, "ROOT", tmp_path)
    bag = Bag()
    assert life.find_lab("nowhere", bag) is None
    assert [found.code for found in bag] == ["FG-LAB-007"]


def test_what_a_lab_does_not_prove_is_told() -> None:
    bag = Bag()
    wish = life.BootRequest("test", "spines=1")
    blueprint = life.prepare(plan_of("quickstart"), compiled("quickstart").platforms or {}, wish, bag)
    assert any(note.startswith("spines: 1 of 2") for note in blueprint.notes)
