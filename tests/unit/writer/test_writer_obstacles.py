"""Obstacles stop a transaction, and are never destroyed."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from faulty_disk import snapshot
from scenario import CHANGED, SOME, A, B, QuickFilesystem, codes, die_in_commit, messages, render, small_tree

from fabricgen.diagnostics import Bag
from fabricgen.render.tree.access import load_manifest, open_tree
from fabricgen.render.tree.writer import CommitResult


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A tree with two files, whose times are old."""
    return small_tree(tmp_path / "out")


def make_foreign(out: Path) -> None:
    (out / "hosts/new").parent.mkdir()
    (out / "hosts/new").write_bytes(b"foreign\n")


def make_edited(out: Path) -> None:
    (out / B).write_bytes(b"edited\n")


def make_file_link(out: Path) -> None:
    (out / B).rename(out.parent / "target")
    (out / B).symlink_to(out.parent / "target")


def make_dangling_link(out: Path) -> None:
    (out / B).unlink()
    (out / B).symlink_to(out.parent / "nowhere")


def make_folder_link(out: Path) -> None:
    shutil.move(out / "switches/b", out.parent / "moved")
    (out / "switches/b").symlink_to(out.parent / "moved")


def make_folder(out: Path) -> None:
    (out / B).unlink()
    (out / B).mkdir()


def make_fifo(out: Path) -> None:
    (out / B).unlink()
    os.mkfifo(out / B)


def make_socket(out: Path) -> None:
    (out / B).unlink()
    (out / "switches/b").rename(out.parent / "s")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(out.parent / "s/etc/sonic/config_db.json"))
    (out.parent / "s").rename(out / "switches/b")


def make_file_for_folder(out: Path) -> None:
    shutil.rmtree(out / "switches/b")
    (out / "switches/b").write_bytes(b"mine\n")


OBSTACLES = [
    (make_foreign, "FG-OUT-007", "hosts/new", True),
    (make_edited, "FG-OUT-008", B, True),
    (make_file_link, "FG-OUT-009", B, True),
    (make_dangling_link, "FG-OUT-009", B, True),
    (make_folder_link, "FG-OUT-009", "switches/b", False),
    (make_folder, "FG-OUT-010", B, False),
    (make_fifo, "FG-OUT-010", B, False),
    (make_socket, "FG-OUT-010", B, False),
    (make_file_for_folder, "FG-OUT-010", "switches/b", False),
]


CASES = [(*obstacle, False) for obstacle in OBSTACLES] + [
    # A foreign file is never deleted, and below a file there is nothing left to delete.
    (*obstacle, True)
    for obstacle in OBSTACLES
    if obstacle[0] not in (make_foreign, make_file_for_folder)
]


@pytest.mark.parametrize(
    ("make", "code", "path", "forcible", "removed"),
    CASES,
    ids=[f"{case[0].__name__}-{'deleted' if case[4] else 'replaced'}" for case in CASES],
)
def test_obstacle_stops_everything_and_force_never_leaves_the_tree(
    out: Path, make: Callable[[Path], None], code: str, path: str, forcible: bool, removed: bool
) -> None:
    make(out)
    files = {A: CHANGED[A]} if removed else CHANGED
    before = snapshot(out.parent)
    bag = Bag()
    assert render(out, files, bag) is None
    assert codes(bag) == {code}
    assert any(f"{out}/{path}: " in message for message in messages(bag))
    assert snapshot(out.parent) == before

    bag = Bag()
    result = render(out, files, bag, force=True)
    after = snapshot(out.parent)
    if not forcible:
        assert result is None
        assert after == before
        return
    assert result is not None, messages(bag)
    for changed, (data, _) in files.items():
        assert not (out / changed).is_symlink()
        assert (out / changed).read_bytes() == data
    assert os.path.lexists(out / B) is not removed
    assert after.get("target") == before.get("target")


def test_several_obstacles_are_all_reported(out: Path) -> None:
    make_foreign(out)
    make_edited(out)
    bag = Bag()
    assert render(out, CHANGED, bag) is None
    assert codes(bag) == {"FG-OUT-007", "FG-OUT-008"}


def test_foreign_or_edited_file_with_the_wanted_bytes_is_adopted(out: Path) -> None:
    make_foreign(out)
    make_edited(out)
    files = {A: SOME[A], B: (b"edited\n", 0o644), "hosts/new": (b"foreign\n", 0o644)}
    assert render(out, files, Bag()) == CommitResult(0, 3, 0, 0)
    assert render(out, {A: SOME[A]}, Bag()) == CommitResult(0, 1, 2, 0)
    assert not (out / "hosts").exists()


def test_edit_between_staging_and_commit_is_not_lost(out: Path) -> None:
    bag = Bag()
    transaction = open_tree(out, bag, filesystem=QuickFilesystem())
    with transaction:
        for path, (data, _) in CHANGED.items():
            transaction.put("switches", path, data)
        (out / B).write_bytes(b"edited\n")
        assert transaction.commit({}) is None
    assert codes(bag) == {"FG-OUT-011"}
    assert (out / B).read_bytes() == b"edited\n"
    assert (out / A).read_bytes() == b"old a\n"


@pytest.mark.parametrize("path", [A, "manifest/switches.txt"])
def test_edit_between_death_and_undoing_is_not_destroyed(out: Path, path: str) -> None:
    die_in_commit(out, CHANGED)
    assert (out / "manifest/.journal").exists()
    (out / path).write_bytes(b"edited since\n")
    before, bag = snapshot(out), Bag()
    assert render(out, CHANGED, bag) is None
    assert codes(bag) == {"FG-OUT-014"}
    assert f"{out}/{path} blocks" in messages(bag)[0]
    assert snapshot(out) == before
    assert render(out, CHANGED, Bag(), force=True) is not None
    for changed, (data, _) in CHANGED.items():
        assert (out / changed).read_bytes() == data
    assert load_manifest(out, Bag()) is not None


@pytest.mark.parametrize("make", [make_folder_link, make_folder, make_fifo])
def test_what_is_no_file_blocks_the_undoing_even_with_force(out: Path, make: Callable[[Path], None]) -> None:
    die_in_commit(out, CHANGED)
    make(out)
    before = snapshot(out.parent)
    for force in (False, True):
        bag = Bag()
        assert render(out, CHANGED, bag, force=force) is None
        assert codes(bag) == {"FG-OUT-014"}
        assert snapshot(out.parent) == before


class OtherDevice(QuickFilesystem):
    """A disk on which another file system is mounted in the tree."""

    def status(self, path: str) -> os.stat_result:
        status = super().status(path)
        if path.endswith("switches/b"):
            return SimpleNamespace(st_mode=status.st_mode, st_dev=status.st_dev + 1)
        return status


def test_mounted_file_system_stops_because_no_rename_reaches_it(out: Path) -> None:
    before, bag = snapshot(out), Bag()
    assert render(out, CHANGED, bag, filesystem=OtherDevice()) is None
    assert codes(bag) == {"FG-OUT-010"}
    assert "mounted there" in messages(bag)[0]
    assert snapshot(out) == before
