"""Law 8 at every single system call: the tree is the old one or the new one, whatever happens in between."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest
from faulty_disk import FaultyDisk, run_until_death, snapshot
from scenario import NEW_FILES, OLD_FILES, Workshop, count_calls, messages, render, touch

from fabricgen.diagnostics import Bag
from tests.sampling import EVERYTHING, FRESH

ERRORS = (errno.ENOSPC, errno.EACCES, errno.EROFS, errno.EIO, errno.ENAMETOOLONG)


STRIDE = 1 if EVERYTHING else 7
"""Of how many calls one fails; another one in each run."""


def points(calls: int) -> list[int]:
    """Calls that fail, the first and none at all among them."""
    return sorted({0, *range(FRESH % STRIDE, calls, STRIDE), calls})


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop.build(tmp_path_factory.mktemp("workshop"))


def without_leftovers(found: dict[str, tuple[str, int, bytes]]) -> dict[str, tuple[str, int, bytes]]:
    return {path: what for path, what in found.items() if not path.startswith(("manifest/.staging.", "manifest/.lock"))}


def finish_and_check(workshop: Workshop, out: Path, name: str) -> str:
    """Run one further command, see that the tree is old or new, then render and see that it is new."""
    committed = (out / "manifest/.journal").exists()
    if not committed:
        assert without_leftovers(snapshot(out)) in (workshop.before, workshop.after), name
    touch(out)
    found = snapshot(out)
    assert found in (workshop.before, workshop.after), name
    assert found == workshop.before or not committed, name
    workshop.check_foreign(out)
    assert sorted(os.listdir(out.parent)) == ["out"], name
    bag = Bag()
    assert render(out, NEW_FILES, bag) is not None, messages(bag)
    assert snapshot(out) == workshop.after, name
    workshop.check_foreign(out)
    shutil.rmtree(out.parent)
    return "new" if found == workshop.after else "old"


@pytest.mark.parametrize(
    ("loses_power", "reports"),
    [(False, True), (True, True), (True, False)],
    ids=["killed", "power lost", "power lost on an old kernel"],
)
def test_update_dies_at_every_call(workshop: Workshop, loses_power: bool, reports: bool) -> None:
    calls = count_calls(workshop.copy(f"count{loses_power}{reports}"), NEW_FILES, reports=reports)
    outcomes = []
    for at in points(calls):
        name = f"die{loses_power}{reports}{at}"
        out = workshop.copy(name)
        disk = FaultyDisk(at, grave=workshop.grave(name) if loses_power else None, reports=reports)
        run_until_death(disk, lambda disk, out=out: render(out, NEW_FILES, Bag(), filesystem=disk))
        outcomes.append(finish_and_check(workshop, out, f"{name} {disk.calls[-1]}"))
    # Once a death leaves the new tree, every later death does: there is exactly one commit point.
    assert outcomes == sorted(outcomes, reverse=True)
    assert set(outcomes) == {"old", "new"}


def test_update_meets_an_error_at_every_call(workshop: Workshop) -> None:
    calls = count_calls(workshop.copy("count-error"), NEW_FILES)
    for at in points(calls)[:-1]:
        name = f"error{at}"
        out = workshop.copy(name)
        disk, bag = FaultyDisk(at, error=ERRORS[at % len(ERRORS)]), Bag()
        result = run_until_death(disk, lambda disk, out=out, bag=bag: render(out, NEW_FILES, bag, filesystem=disk))
        assert len(bag) > 0, f"{name}: the error was swallowed"
        assert (result is None) == bag.has_errors, messages(bag)
        finish_and_check(workshop, out, f"{name} {messages(bag)}")


@pytest.mark.parametrize(("loses_power", "applied"), [(False, 1), (True, 4)], ids=["killed", "power lost"])
def test_undoing_dies_at_every_call(workshop: Workshop, loses_power: bool, applied: int) -> None:
    first = _renames(workshop, f"calls{loses_power}")[applied]
    at, done = FRESH % STRIDE, False
    while not done:
        name = f"undo{loses_power}{at}"
        out = workshop.copy(name)
        run_until_death(FaultyDisk(first), lambda disk, out=out: render(out, NEW_FILES, Bag(), filesystem=disk))
        assert (out / "manifest/.journal").exists()
        disk = FaultyDisk(at, grave=workshop.grave(name) if loses_power else None)
        run_until_death(disk, lambda disk, out=out: render(out, OLD_FILES, Bag(), filesystem=disk))
        done = _passed_undoing(disk)
        _check_undone(workshop, out, name)
        at += STRIDE
    assert at > 30


def _renames(workshop: Workshop, name: str) -> list[int]:
    """Return which calls of an update rename: the first is that of the journal, the others replace one file each."""
    disk = FaultyDisk()
    render(workshop.copy(name), NEW_FILES, Bag(), filesystem=disk)
    disk.die()
    return [at for at, call in enumerate(disk.calls) if call.startswith("rename ")]


def _passed_undoing(disk: FaultyDisk) -> bool:
    """The journal's removal and everything after it is another scenario: a normal update."""
    removed = next((at for at, call in enumerate(disk.calls) if call.endswith("/.journal") and "remove" in call), None)
    return removed is not None and len(disk.calls) > removed + 8


def _check_undone(workshop: Workshop, out: Path, name: str) -> None:
    touch(out)
    assert snapshot(out) == workshop.before, name
    workshop.check_foreign(out)
    shutil.rmtree(out.parent)


def test_undoing_meets_an_error_at_every_call(workshop: Workshop) -> None:
    first = _renames(workshop, "calls-error")[2]
    at, done = FRESH % STRIDE, False
    while not done:
        name = f"undo-error{at}"
        out = workshop.copy(name)
        run_until_death(FaultyDisk(first), lambda disk, out=out: render(out, NEW_FILES, Bag(), filesystem=disk))
        disk, bag = FaultyDisk(at, error=ERRORS[at % len(ERRORS)]), Bag()
        run_until_death(disk, lambda disk, out=out, bag=bag: render(out, OLD_FILES, bag, filesystem=disk))
        done = _passed_undoing(disk)
        assert done or bag.has_errors
        if not done:
            _check_undone(workshop, out, f"{name} {messages(bag)}")
        at += STRIDE
    assert at > 30


@pytest.mark.parametrize("fault", ["killed", "power lost", "power lost on an old kernel", "error"])
def test_fresh_tree_at_every_call(tmp_path: Path, fault: str) -> None:
    counted = tmp_path / "count/out"
    reports = "old" not in fault
    calls = count_calls(counted, NEW_FILES, reports=reports)
    complete = snapshot(counted)
    outcomes = []
    for at in points(calls):
        home, grave = tmp_path / f"{at}", tmp_path / f"{at}-grave"
        home.mkdir()
        grave.mkdir()
        (home / "neighbour").write_bytes(b"mine\n")
        error = ERRORS[at % len(ERRORS)] if fault == "error" else None
        disk, bag = FaultyDisk(at, error=error, grave=grave if "lost" in fault else None, reports=reports), Bag()
        run_until_death(disk, lambda disk, out=home / "out", bag=bag: render(out, NEW_FILES, bag, filesystem=disk))
        name = f"{fault} {at} {disk.calls[-1]} {messages(bag)}"
        assert not (home / "out").exists() or snapshot(home / "out") == complete, name
        touch(home / "out")
        assert set(os.listdir(home)) in ({"neighbour"}, {"neighbour", "out"}), name
        outcomes.append("new" if (home / "out").exists() else "old")
        assert render(home / "out", NEW_FILES, Bag()) is not None
        assert snapshot(home / "out") == complete, name
        assert set(os.listdir(home)) == {"neighbour", "out"}, name
        shutil.rmtree(home)
    assert outcomes == sorted(outcomes, reverse=True)


def test_power_loss_after_the_command_loses_nothing_and_brings_no_journal_back(workshop: Workshop) -> None:
    out = workshop.copy("finished")
    disk = FaultyDisk(grave=workshop.grave("finished"))
    assert run_until_death(disk, lambda disk: render(out, NEW_FILES, Bag(), filesystem=disk)) is not None
    assert without_leftovers(snapshot(out)) == workshop.after
    fresh = workshop.folder / "finished/fresh"
    disk = FaultyDisk(grave=workshop.grave("fresh"))
    assert run_until_death(disk, lambda disk: render(fresh, NEW_FILES, Bag(), filesystem=disk)) is not None
    assert {path for path, what in snapshot(fresh).items() if what[0] == "file"} > set(NEW_FILES)
