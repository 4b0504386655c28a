"""Number of disk flushes of a commit, and a stop after a write that failed in the background."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from faulty_disk import FaultyDisk, run_until_death, snapshot
from scenario import NEW_FILES, OLD_FILES, Files, QuickFilesystem, Workshop, messages, render, touch

from fabricgen.diagnostics import Bag
from fabricgen.render.tree import filesystem
from fabricgen.render.tree.durability import FEW_PATHS, Durability
from fabricgen.render.tree.filesystem import Filesystem

MOST_FLUSHES = 20
EIO = "EIO"


class Counting(QuickFilesystem):
    """Counts what would wait for the device."""

    def __init__(self, *, reports: bool = True) -> None:
        self.flushes = 0
        self._reports = reports

    def sync(self, fd: int) -> None:
        self.flushes += 1

    def sync_filesystem(self, fd: int) -> None:
        self.flushes += 1

    def reports_failed_writes(self, fd: int) -> bool:
        return self._reports


def many(count: int, text: str, mode: int = 0o644) -> Files:
    """As many files, in folders of ten."""
    return {f"hosts/h{at // 10}/etc/f{at}": (f"{text} {at}\n".encode(), mode) for at in range(count)}


def flushes_of(out: Path, files: Files, *, reports: bool = True) -> int:
    fs, bag = Counting(reports=reports), Bag()
    assert render(out, files, bag, filesystem=fs) is not None, messages(bag)
    return fs.flushes


@pytest.mark.parametrize("count", [1, 100, 500])
def test_a_commit_flushes_no_more_often_for_more_files(count: int, tmp_path: Path) -> None:
    """A tree that is new, all replaced, made executable, all deleted; and one deep below folders that do not exist."""
    for out in (tmp_path / "out", tmp_path / "a/b/c/d/e/f/g/h/i/j/k/l/out"):
        assert 0 < flushes_of(out, many(count, "old")) <= MOST_FLUSHES
        assert 0 < flushes_of(out, many(count, "new")) <= MOST_FLUSHES
        assert 0 < flushes_of(out, many(count, "new", 0o755)) <= MOST_FLUSHES
        assert 0 < flushes_of(out, {}) <= MOST_FLUSHES


def test_an_old_kernel_syncs_every_file(tmp_path: Path) -> None:
    """A kernel that reports a failed write per file only is asked for every file."""
    assert flushes_of(tmp_path / "out", many(100, "old"), reports=False) > 100
    assert flushes_of(tmp_path / "out", many(100, "new"), reports=False) > 100


@pytest.mark.parametrize(
    ("system", "release", "reports"),
    [
        ("Linux", "5.8.0-generic", True),
        ("Linux", "6.18.44-fc", True),
        ("Linux", "5.7.19", False),
        ("Linux", "4.18.0-553.el8_10.x86_64", False),
        ("Linux", "odd", False),
        ("Darwin", "23.6.0", False),
    ],
)
def test_which_kernels_report_failed_writes(
    system: str, release: str, reports: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "uname", lambda: os.uname_result((system, "", release, "", "")))
    monkeypatch.setattr(filesystem, "_HANDS_ON", frozenset())
    fd = os.open(tmp_path, os.O_RDONLY)
    try:
        assert Filesystem().reports_failed_writes(fd) is reports
    finally:
        os.close(fd)


def test_file_systems_that_hand_writes_on_are_told_by_their_type(monkeypatch: pytest.MonkeyPatch) -> None:
    """The type of /proc stands for one of them: 0x9fa0 in linux/magic.h."""
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("Linux", "", "6.1.0", "", "")))
    fd = os.open("/proc", os.O_RDONLY)
    try:
        assert Filesystem().reports_failed_writes(fd)
        monkeypatch.setattr(filesystem, "_HANDS_ON", frozenset({0x9FA0}))
        assert not Filesystem().reports_failed_writes(fd)
    finally:
        os.close(fd)


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    return Workshop.build(tmp_path_factory.mktemp("workshop"))


@pytest.mark.parametrize("reports", [True, False], ids=["syncfs", "each path"])
def test_a_write_that_fails_unseen_leaves_the_old_tree(workshop: Workshop, reports: bool) -> None:
    """The kernel took the bytes and lost them: whichever write it is, the commit learns of it and does not happen."""
    counted = FaultyDisk(reports=reports)
    assert render(workshop.copy(f"writes{reports}"), NEW_FILES, Bag(), filesystem=counted) is not None
    writes = counted.calls.count("write")
    counted.die()
    # The first write is the lock's, which nothing depends on after a power loss.
    for bad in range(2, writes):
        out, bag = workshop.copy(f"bad{reports}{bad}"), Bag()
        disk = FaultyDisk(reports=reports, bad_write=bad)
        run_until_death(disk, lambda disk, out=out, bag=bag: render(out, NEW_FILES, bag, filesystem=disk))
        assert bag.has_errors, bad
        assert EIO in " ".join(messages(bag))
        assert {name: what for name, what in snapshot(out).items() if ".lock" not in name} == workshop.before


def test_the_descriptor_is_older_than_every_write(tmp_path: Path) -> None:
    disk = FaultyDisk()
    assert render(tmp_path / "out", many(30, "new"), Bag(), filesystem=disk) is not None
    opened = disk.calls.index("reports_failed_writes")
    assert opened < min(at for at, call in enumerate(disk.calls) if call == "write" or call.startswith("make_folder"))
    assert disk.calls.count("reports_failed_writes") == 1
    disk.die()


def test_few_paths_do_not_wait_for_others_writes(tmp_path: Path) -> None:
    disk = FaultyDisk()
    guard = Durability(disk, str(tmp_path / "absent/tree"))
    names = [tmp_path / f"f{at}" for at in range(FEW_PATHS + 1)]
    for name in names:
        name.write_bytes(b"x")
    guard.keep({str(name) for name in names[:-1]})
    assert disk.flushes == disk.calls.count("sync") == FEW_PATHS
    guard.keep({str(name) for name in names})
    assert disk.calls.count("sync_filesystem") == 1
    guard.close()
    guard.close()
    disk.die()


@pytest.mark.nightly
def test_power_cut_at_every_call_of_a_small_update(workshop: Workshop) -> None:
    """One file changes: few paths, each synced by itself. Every prefix of the calls leaves one tree or the other."""
    name = "switches/b/etc/sonic/config_db.json"
    files = OLD_FILES | {name: (b'{"new": 22}\n', 0o644)}
    counted, out = FaultyDisk(), workshop.copy("small")
    assert render(out, files, Bag(), filesystem=counted) is not None
    counted.die()
    assert "sync_filesystem" not in counted.calls
    after, outcomes = snapshot(out), []
    for at in range(len(counted.calls) + 1):
        out = workshop.copy(f"small{at}")
        disk = FaultyDisk(at, grave=workshop.grave(f"small{at}"))
        run_until_death(disk, lambda disk, out=out: render(out, files, Bag(), filesystem=disk))
        touch(out)
        found = snapshot(out)
        assert found in (workshop.before, after), disk.calls[-1]
        outcomes.append("new" if found == after else "old")
        shutil.rmtree(out.parent)
    assert outcomes == sorted(outcomes, reverse=True)
    assert set(outcomes) == {"old", "new"}
