"""Real processes: one that is killed, two that write at once; and a real disk that is full."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from faulty_disk import FaultyDisk, snapshot
from scenario import NEW_FILES, OLD_FILES, Files, Workshop, messages, render, touch

from fabricgen.diagnostics import Bag
from fabricgen.render.tree.access import open_tree
from fabricgen.render.tree.filesystem import Filesystem
from tests.command_line import Done

REPOSITORY = Path(__file__).parents[3]
PRELUDE = f"""
import os, signal, sys
from pathlib import Path
sys.path[:0] = [{str(REPOSITORY)!r}, {str(Path(__file__).parent)!r}]
from scenario import NEW_FILES, render
from fabricgen.diagnostics import Bag
from fabricgen.render.tree.filesystem import Filesystem
from fabricgen.render.tree.access import open_tree
out = Path(sys.argv[1])
"""
DIES = """
class Killed(Filesystem):
    renames = 0
    def rename(self, source, target):
        Killed.renames += 1
        if Killed.renames == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        super().rename(source, target)
render(out, NEW_FILES, Bag(), filesystem=Killed())
"""
HOLDS = """
transaction = open_tree(out, Bag())
with transaction:
    transaction.put("switches", "switches/x/frr.conf", b"first writer\\n")
    print("holding", flush=True)
    sys.stdin.readline()
    assert transaction.commit({}) is not None
"""


@pytest.mark.parametrize("rename", [1, 2, 4])
def test_sigkill_in_the_commit_leaves_the_old_tree(tmp_path: Path, rename: int) -> None:
    workshop = Workshop.build(tmp_path)
    out = workshop.copy("killed")
    command = [sys.executable, "-c", PRELUDE + DIES, str(out), str(rename)]
    Done.of(subprocess.run(command, capture_output=True, text=True, check=False)).exits(-signal.SIGKILL)
    assert (out / "manifest/.lock").exists()
    assert (out / "manifest/.journal").exists() is (rename > 1)
    touch(out)
    assert snapshot(out) == workshop.before
    workshop.check_foreign(out)


@pytest.mark.parametrize("fresh", [False, True], ids=["existing", "absent"])
def test_second_writer_stops_and_names_the_first(tmp_path: Path, fresh: bool) -> None:
    out = tmp_path / "out"
    if not fresh:
        assert render(out, OLD_FILES, Bag()) is not None
    command = [sys.executable, "-c", PRELUDE + HOLDS, str(out)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as first:
        assert first.stdout.readline() == "holding\n"
        before = snapshot(tmp_path)
        bag = Bag()
        assert open_tree(out, bag) is None
        assert [item.code for item in bag] == ["FG-OUT-003"]
        assert f"process {first.pid}" in messages(bag)[0]
        assert snapshot(tmp_path) == before
        first.stdin.write("\n")
        first.stdin.close()
        assert first.wait() == 0
    assert (out / "switches/x/frr.conf").read_bytes() == b"first writer\n"
    assert render(out, NEW_FILES, Bag()) is not None
    assert not (out / "switches/x").exists()
    assert os.listdir(tmp_path) == ["out"]


class Busy(Filesystem):
    """Somebody writes into the staging folder of a dead process while it is removed."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times

    def remove_folder(self, path: str) -> None:
        if self.left and ".staging." in path:
            self.left -= 1
            Path(path, f"late{self.left}").touch()
        super().remove_folder(path)


def test_workers_that_outlive_their_parent_keep_nobody_out(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert render(out, OLD_FILES, Bag()) is not None
    for late in (1, 20):
        (out / "manifest/.staging.4711").mkdir()
        bag = Bag()
        assert render(out, OLD_FILES, bag, filesystem=Busy(late)) is not None, messages(bag)
        assert not (out / "manifest/.staging.4711").exists()


def test_lock_of_a_dead_process_stops_nobody(tmp_path: Path) -> None:
    for out in (tmp_path / "out", tmp_path / "absent"):
        lock = out / "manifest/.lock" if out.name == "out" else tmp_path / ".absent.fabricgen.lock"
        lock.parent.mkdir(parents=True, exist_ok=True)
        lock.write_text("1\n")
        assert render(out, NEW_FILES, Bag()) is not None
        assert not lock.exists()


class Interrupted(Filesystem):
    """Lets something else happen just before the first call of one kind on a lock."""

    def __init__(self, call: str, event: Callable[[], object]) -> None:
        self._event: dict[str, Callable[[], object]] = {call: event}

    def _happen(self, call: str) -> None:
        self._event.pop(call, lambda: None)()

    def open(self, path: str, flags: int, mode: int = 0o666) -> int:
        if path.endswith(".lock"):
            self._happen("open")
        return super().open(path, flags, mode)

    def lock(self, fd: int, *, shared: bool = False) -> None:
        self._happen("lock")
        super().lock(fd, shared=shared)


def check_exclusive(out: Path, filesystem: Filesystem) -> None:
    """Open a tree, see that nobody else can, and write it."""
    transaction = open_tree(out, Bag(), filesystem=filesystem)
    with transaction:
        bag = Bag()
        assert open_tree(out, bag) is None
        assert f"process {os.getpid()}" in messages(bag)[0]
        transaction.put("switches", "switches/x/frr.conf", b"x\n")
        assert transaction.commit({}) is not None
    assert [path.name for path in out.rglob("*") if path.is_file()].count("frr.conf") == 1
    assert not list(out.rglob("*.json"))[1:]


@pytest.mark.parametrize("fresh", [False, True], ids=["existing", "absent"])
def test_lock_that_lost_its_name_to_a_holder_that_ended_is_no_lock(tmp_path: Path, fresh: bool) -> None:
    out = tmp_path / "out"
    if not fresh:
        assert render(out, OLD_FILES, Bag()) is not None
    lock = tmp_path / ".out.fabricgen.lock" if fresh else out / "manifest/.lock"
    check_exclusive(out, Interrupted("lock", lock.unlink))


def test_tree_that_appears_before_the_lock_is_opened_as_it_is(tmp_path: Path) -> None:
    out = tmp_path / "out"
    check_exclusive(out, Interrupted("open", lambda: render(out, OLD_FILES, Bag())))
    assert os.listdir(tmp_path) == ["out"]


def test_folder_of_the_lock_may_vanish_with_its_former_holder(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    check_exclusive(out, Interrupted("open", (out / "manifest").rmdir))


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A file system of 400 KiB and 60 inodes; skipped by name where this user may not mount one."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=400k,nr_inodes=60", "tmpfs", str(disk)]
    if os.geteuid() != 0 or subprocess.run(command, check=False, capture_output=True).returncode != 0:
        pytest.skip("this user may not mount a tmpfs; the injected ENOSPC is tried in any case")
    yield disk
    subprocess.run(["umount", str(disk)], check=True)


SMALL = {f"switches/s{number}/frr.conf": (b"!" * 5000, 0o644) for number in range(10)}
LARGE = dict.fromkeys(SMALL, (b"?" * 60_000, 0o644))
MANY = {f"hosts/h{number}/qos.sh": (b"", 0o755) for number in range(60)}


@pytest.mark.parametrize("files", [LARGE, MANY], ids=["blocks", "inodes"])
def test_full_disk_leaves_the_old_tree(mounted: Path, files: Files) -> None:
    out = mounted / "out"
    bag = Bag()
    assert render(out, files, bag, filesystem=Filesystem()) is None
    assert [(item.code, item.count > 1) for item in bag] == [("FG-OUT-012", True)]
    assert os.listdir(mounted) == []
    assert render(out, SMALL, Bag()) is not None
    before, bag = snapshot(mounted), Bag()
    assert render(out, {**SMALL, **files}, bag, filesystem=Filesystem()) is None
    assert [(item.code, item.count > 1) for item in bag] == [("FG-OUT-012", True)]
    assert snapshot(mounted) == before


class NarrowDisk(FaultyDisk):
    """A disk with hardly any room left."""

    def __init__(self, blocks: int, inodes: int) -> None:
        super().__init__()
        self.left = blocks, inodes

    def space(self, path: str) -> os.statvfs_result:
        real = list(super().space(path))
        real[4], real[7] = self.left
        return os.statvfs_result(real)


@pytest.mark.parametrize(("blocks", "inodes"), [(10, 10**6), (10**6, 2), (10, 2)])
def test_too_little_room_is_found_before_the_commit(tmp_path: Path, blocks: int, inodes: int) -> None:
    assert render(tmp_path / "out", OLD_FILES, Bag()) is not None
    before, bag = snapshot(tmp_path), Bag()
    disk = NarrowDisk(blocks, inodes)
    assert render(tmp_path / "out", NEW_FILES, bag, filesystem=disk) is None
    assert {item.code for item in bag} == {"FG-OUT-012"}
    assert not [call for call in disk.calls if call.startswith("rename")]
    assert snapshot(tmp_path) == before
