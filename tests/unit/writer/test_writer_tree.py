"""Effects of a transaction on an output tree, and its refusals."""

from __future__ import annotations

import json
import os
import subprocess
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from faulty_disk import FaultyDisk, snapshot
from scenario import (
    CHANGED,
    NEW_FILES,
    OLD_FILES,
    OLD_TIME,
    SOME,
    A,
    B,
    QuickFilesystem,
    codes,
    messages,
    render,
    small_tree,
)

from fabricgen.diagnostics import Bag
from fabricgen.render.tree.access import load_manifest, open_tree
from fabricgen.render.tree.filesystem import Filesystem
from fabricgen.render.tree.stager import FileRecord, Stager
from fabricgen.render.tree.writer import CommitResult


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A tree with two files, whose times are old."""
    return small_tree(tmp_path / "out")


def test_fresh_tree_holds_the_files_and_a_manifest_that_sha256sum_verifies(tmp_path: Path) -> None:
    out = tmp_path / "absent" / "out"
    bag = Bag()
    assert render(out, NEW_FILES, bag) == CommitResult(6, 0, 0, 0), messages(bag)
    for path, (data, mode) in NEW_FILES.items():
        assert (out / path).read_bytes() == data
        assert (out / path).stat().st_mode & 0o777 == mode
    header = json.loads((out / "manifest/header.json").read_bytes())
    assert header["files"] == 6
    shards = [(out / f"manifest/{shard}.txt").read_text() for shard in header["tree"]["shards"]]
    lines = "".join(shards).splitlines()
    sums = "".join(f"{digest}  {path}\n" for digest, _, _, path in (line.split(" ", 3) for line in lines))
    assert len(lines) == 6
    subprocess.run(["sha256sum", "--check", "--strict"], input=sums.encode(), cwd=out, check=True, capture_output=True)
    assert sorted(os.listdir(out.parent)) == ["out"]


def test_same_files_give_the_same_bytes_in_any_order(tmp_path: Path) -> None:
    render(tmp_path / "one", NEW_FILES, Bag())
    render(tmp_path / "two", dict(reversed(NEW_FILES.items())), Bag())
    render(tmp_path / "three", OLD_FILES, Bag())
    render(tmp_path / "three", NEW_FILES, Bag())
    assert snapshot(tmp_path / "one") == snapshot(tmp_path / "two") == snapshot(tmp_path / "three")


def test_nothing_is_written_when_nothing_changed(out: Path) -> None:
    times = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    disk = FaultyDisk()
    assert render(out, SOME, Bag(), filesystem=disk) == CommitResult(0, 2, 0, 0)
    disk.die()
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()} == times
    assert not [call for call in disk.calls if call.startswith("rename") or call in ("sync", "chmod")]


def test_changed_file_is_replaced_and_the_others_keep_their_time(out: Path) -> None:
    assert render(out, {**SOME, B: (b"new b\n", 0o644)}, Bag()) == CommitResult(1, 1, 0, 0)
    assert (out / B).read_bytes() == b"new b\n"
    assert (out / A).stat().st_mtime_ns == OLD_TIME


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
def test_mode_does_not_depend_on_the_umask_and_is_repaired(out: Path, umask: int) -> None:
    (out / A).chmod(0o640)
    old = os.umask(umask)
    try:
        files = {**SOME, "hosts/h/etc/netplan/60-fabricgen.yaml": (b"network: {}\n", 0o600), B: (b"x\n", 0o755)}
        assert render(out, files, Bag()) == CommitResult(written=2, unchanged=0, deleted=0, repaired=1)
    finally:
        os.umask(old)
    assert [(out / path).stat().st_mode & 0o777 for path in files] == [0o644, 0o755, 0o600]
    assert (out / A).stat().st_mtime_ns == OLD_TIME


def test_file_that_is_no_longer_rendered_goes_with_its_empty_folders_only(out: Path) -> None:
    (out / "switches/b/notes").mkdir()
    assert render(out, {A: SOME[A]}, Bag()) == CommitResult(0, 1, 1, 0)
    assert not (out / "switches/b/etc").exists()
    assert (out / "switches/b/notes").is_dir()


def test_keep_leaves_files_outside_the_selection_in_tree_and_manifest(out: Path) -> None:
    bag = Bag()
    transaction = open_tree(out, bag, filesystem=QuickFilesystem())
    with transaction:
        transaction.put("switches", A, b"new a\n")
        assert transaction.commit({}, keep=lambda path: path.startswith("switches/b/")) == CommitResult(1, 0, 0, 0)
    assert (out / B).read_bytes() == b"old b\n"
    manifest = load_manifest(out, bag)
    assert set(manifest.entries) == {A, B}
    assert not messages(bag)


def test_without_commit_nothing_stays(out: Path) -> None:
    before = snapshot(out)
    for target in (out, out.parent / "never"):
        transaction = open_tree(target, Bag(), filesystem=QuickFilesystem())
        with transaction:
            transaction.put("switches", A, b"new a\n")
    assert snapshot(out) == before
    assert os.listdir(out.parent) == ["out"]


def test_foreign_folder_stays_without_a_trace_if_nothing_is_committed(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine").write_bytes(b"mine")
    transaction = open_tree(tmp_path / "out", Bag())
    transaction.close()
    assert os.listdir(tmp_path / "out") == ["mine"]


def test_file_deleted_by_hand_is_written_again_or_forgotten(out: Path) -> None:
    (out / A).unlink()
    (out / B).unlink()
    assert render(out, {A: SOME[A]}, Bag()) == CommitResult(1, 0, 0, 0)
    assert (out / A).read_bytes() == SOME[A][0]


@pytest.mark.parametrize(
    "path",
    [
        "", "/etc/passwd", "../x", "a/../../x", "a/./b", "a//b", "a/", ".", "..", "a\0b", "a\\b", "a\nb", "a\x7fb",
        "a\u2028b", "a\u202eb", "a\ud800b", "manifest/x.txt", "Manifest/x", "manifest", ".git/config", "a/.GIT/hooks/x",
        "x" * 256, "\u00e9" * 128,
    ],
)  # fmt: skip
@pytest.mark.parametrize("fresh", [False, True], ids=["existing", "absent"])
def test_path_that_is_no_plain_output_is_refused(out: Path, path: str, fresh: bool) -> None:
    before, bag = snapshot(out.parent), Bag()
    assert render(out.parent / "new" if fresh else out, {**SOME, path: (b"x", 0o644)}, bag) is None
    assert codes(bag) == {"FG-OUT-001"}
    assert snapshot(out.parent) == before


@pytest.mark.parametrize("shard", ["", "a/b", "../x", ".hidden", "a b", "a\n", "x" * 300])
def test_shard_that_is_no_plain_name_is_refused(out: Path, shard: str) -> None:
    bag = Bag()
    assert Stager(Filesystem(), str(out), None).put(shard, A, b"", bag) is None
    assert codes(bag) == {"FG-OUT-001"}


@pytest.mark.parametrize("fresh", [False, True], ids=["existing", "absent"])
def test_one_path_twice_is_refused(out: Path, fresh: bool) -> None:
    before, bag = snapshot(out.parent), Bag()
    transaction = open_tree(out.parent / "new" if fresh else out, bag, filesystem=QuickFilesystem())
    with transaction:
        transaction.put("switches", A, b"one\n")
        transaction.put("hosts", A, b"two\n")
        assert transaction.commit({}) is None
    assert codes(bag) == {"FG-OUT-002"}
    assert snapshot(out.parent) == before


def test_file_and_folder_of_the_same_name_are_refused(out: Path) -> None:
    before, bag = snapshot(out), Bag()
    assert render(out, {"hosts/a": (b"", 0o644), "hosts/a/b/c": (b"", 0o644)}, bag) is None
    assert codes(bag) == {"FG-OUT-002"}
    assert snapshot(out) == before


def test_any_error_in_the_bag_refuses_the_commit(out: Path) -> None:
    before, bag = snapshot(out), Bag()
    render(out, {"../x": (b"", 0o644)}, bag)
    assert render(out, CHANGED, bag) is None
    assert snapshot(out) == before


def test_a_transaction_is_committed_once(out: Path) -> None:
    transaction = open_tree(out, Bag(), filesystem=QuickFilesystem())
    with transaction:
        assert transaction.commit({}) is not None
        with pytest.raises(RuntimeError):
            transaction.commit({})


def stage_in_worker(job: tuple[Stager, int]) -> list[FileRecord]:
    """Return what a worker does: it gets a stager and a range, and returns records."""
    stager, number = job
    records = [stager.put("switches", f"switches/s{number}{i}/frr.conf", b"!\n" * i, Bag()) for i in range(3)]
    return [record for record in records if record is not None]


@pytest.mark.parametrize("fresh", [False, True], ids=["existing", "absent"])
def test_workers_stage_into_the_transaction_of_their_parent(out: Path, fresh: bool) -> None:
    target = out.parent / "new" if fresh else out
    transaction = open_tree(target, Bag(), filesystem=Filesystem())
    with transaction, ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        for records in pool.map(stage_in_worker, [(transaction.stager(), 1), (transaction.stager(), 2)]):
            transaction.add(records)
        assert transaction.commit({}) == CommitResult(6, 0, 0 if fresh else 2, 0)
    assert (target / "switches/s22/frr.conf").read_bytes() == b"!\n!\n"
    assert len([path for path in (target / "switches").rglob("*") if path.is_file()]) == 6


def test_the_root_of_all_files_is_no_tree() -> None:
    assert open_tree(Path("//"), bag := Bag(), force=True) is None
    assert codes(bag) == {"FG-OUT-004"}


@pytest.mark.parametrize("kind", ["file", "fifo", "manifest file", "manifest link"])
def test_what_is_no_folder_is_no_tree(tmp_path: Path, kind: str) -> None:
    out = tmp_path / "out"
    if kind == "file":
        out.write_bytes(b"mine")
    elif kind == "fifo":
        os.mkfifo(out)
    else:
        out.mkdir()
        (out / "manifest").write_bytes(b"mine") if kind == "manifest file" else (out / "manifest").symlink_to(tmp_path)
    before, bag = snapshot(tmp_path), Bag()
    assert open_tree(out, bag, force=True) is None
    assert codes(bag) == {"FG-OUT-004"}
    assert snapshot(tmp_path) == before


def test_symlink_to_a_tree_is_the_tree(out: Path) -> None:
    link = out.parent / "link"
    link.symlink_to("out")
    assert render(link, CHANGED, Bag()) == CommitResult(3, 0, 0, 0)
    assert link.is_symlink()
    assert (out / B).read_bytes() == b"new b\n"


def test_symlink_to_an_absent_tree_makes_it_there(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("real")
    assert render(tmp_path / "link", SOME, Bag()) == CommitResult(2, 0, 0, 0)
    assert sorted(os.listdir(tmp_path)) == ["link", "real"]
    assert (tmp_path / "link").is_symlink()


def test_orphaned_worker_does_not_bring_a_removed_tree_back(tmp_path: Path) -> None:
    transaction = open_tree(tmp_path / "out", Bag())
    orphan = transaction.stager()
    transaction.close()
    bag = Bag()
    assert orphan.put("switches", A, b"late\n", bag) is None
    assert orphan.put("switches", "top", b"late\n", bag) is None
    assert codes(bag) == {"FG-OUT-013"}
    assert os.listdir(tmp_path) == []


def test_file_at_the_top_of_the_tree(tmp_path: Path) -> None:
    for files in ({"README": (b"1\n", 0o644)}, {"README": (b"2\n", 0o644)}, {}):
        assert render(tmp_path / "out", files, Bag()) is not None
        assert [path.read_bytes() for path in (tmp_path / "out").glob("README")] == [data for data, _ in files.values()]
