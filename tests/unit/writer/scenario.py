"""The trees on which every fault is tried."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from faulty_disk import FaultyDisk, run_until_death, snapshot

from fabricgen.diagnostics import Bag, Severity
from fabricgen.render.tree.access import open_tree
from fabricgen.render.tree.filesystem import Filesystem
from fabricgen.render.tree.writer import CommitResult

OLD_TIME = 1_000_000_000_000_000_000
OLD_FILES = {
    "switches/a/etc/sonic/config_db.json": (b'{"same": 1}\n', 0o644),
    "switches/b/etc/sonic/config_db.json": (b'{"old": 1}\n', 0o644),
    "switches/gone/etc/sonic/config_db.json": (b'{"gone": 1}\n', 0o644),
    "hosts/a/etc/netplan/60-fabricgen.yaml": (b"network: {}\n", 0o600),
    "hosts/a/etc/qos.sh": (b"#!/bin/sh\n", 0o644),
    "hosts/file-then-folder": (b"old form\n", 0o644),
}
NEW_FILES = {
    "switches/a/etc/sonic/config_db.json": (b'{"same": 1}\n', 0o644),
    "switches/b/etc/sonic/config_db.json": (b'{"new": 22}\n', 0o644),
    "switches/c/etc/sonic/config_db.json": (b'{"added": 1}\n', 0o644),
    "hosts/a/etc/netplan/60-fabricgen.yaml": (b"network: {version: 2}\n", 0o600),
    "hosts/a/etc/qos.sh": (b"#!/bin/sh\n", 0o755),
    "hosts/file-then-folder/etc/motd": (b"new form\n", 0o644),
}
UNTOUCHED = ("switches/a/etc/sonic/config_db.json", ".git/config", "switches/a/notes.txt")

A = "switches/a/etc/sonic/config_db.json"
B = "switches/b/etc/sonic/config_db.json"
SOME = {A: (b"old a\n", 0o644), B: (b"old b\n", 0o644)}
CHANGED = {A: (b"new a\n", 0o644), B: (b"new b\n", 0o644), "hosts/new": (b"new\n", 0o644)}
"""Content of a small tree, and of the next one."""

Files = dict[str, tuple[bytes, int]]


class QuickFilesystem(Filesystem):
    """The real disk without waiting for it; durability is tested with ``FaultyDisk``."""

    def sync(self, fd: int) -> None:
        pass

    def sync_filesystem(self, fd: int) -> None:
        pass

    def reports_failed_writes(self, fd: int) -> bool:
        return True


def render(
    out: Path, files: Files, bag: Bag, *, filesystem: Filesystem | None = None, force: bool = False
) -> CommitResult | None:
    """Return what the verb ``render`` does, as far as the writer sees it."""
    transaction = open_tree(out, bag, force=force, filesystem=filesystem or QuickFilesystem())
    if transaction is None:
        return None
    with transaction:
        for path, (data, mode) in files.items():
            transaction.put(path.split("/")[0], path, data, mode=mode)
        return transaction.commit({"files": len(files)})


def small_tree(out: Path) -> Path:
    """A tree with two files, whose times are old."""
    assert render(out, SOME, Bag()) == CommitResult(written=2, unchanged=0, deleted=0, repaired=0)
    for path in SOME:
        os.utime(out / path, ns=(OLD_TIME, OLD_TIME))
    return out


def touch(out: Path) -> None:
    """Open a tree and let it go: the smallest command that opens it for writing."""
    bag = Bag()
    transaction = open_tree(out, bag, filesystem=QuickFilesystem())
    assert transaction is not None, list(bag)
    transaction.close()
    assert not bag.has_errors, list(bag)


def codes(bag: Bag) -> set[str]:
    return {diagnostic.code for diagnostic in bag if diagnostic.severity is Severity.ERROR}


def messages(bag: Bag) -> list[str]:
    return [f"{diagnostic.code} {diagnostic.message}" for diagnostic in bag]


@dataclass
class Workshop:
    """A folder with an old tree, what it shall look like before and after, and copies of it to break.

    Attributes:
        folder: Holds everything.
        before: Snapshot of the old tree.
        after: Snapshot of the new tree.
    """

    folder: Path
    before: dict[str, tuple[str, int, bytes]]
    after: dict[str, tuple[str, int, bytes]]

    @classmethod
    def build(cls, folder: Path) -> Workshop:
        """Make the old tree, full of foreign things, and learn the new one from an undisturbed run."""
        out = folder / "seed" / "out"
        add_foreign(out, folder)
        assert render(out, OLD_FILES, Bag()) is not None
        for path in UNTOUCHED:
            os.utime(out / path, ns=(OLD_TIME, OLD_TIME))
        before = snapshot(out)
        after_out = folder / "after" / "out"
        shutil.copytree(out, after_out, symlinks=True)
        assert render(after_out, NEW_FILES, Bag()) is not None
        return cls(folder, before, snapshot(after_out))

    def copy(self, name: str) -> Path:
        """A fresh copy of the old tree."""
        out = self.folder / name / "out"
        shutil.copytree(self.folder / "seed" / "out", out, symlinks=True)
        return out

    def grave(self, name: str) -> Path:
        """A folder beside a copy, for a disk that loses power."""
        grave = self.folder / f"{name}-grave"
        grave.mkdir()
        return grave

    def check_foreign(self, out: Path) -> None:
        """Require foreign files unchanged, and unchanged files with their old time."""
        for path in UNTOUCHED:
            assert (out / path).stat().st_mtime_ns == OLD_TIME, path
        assert snapshot(self.folder / "elsewhere") == {"precious": ("file", 0o644, b"precious\n")}
        assert (out / ".git/config").read_bytes() == b"[core]\n"
        assert (out / "switches/link").is_symlink()


def add_foreign(out: Path, folder: Path) -> None:
    """Put things into a tree that fabricgen does not own."""
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "precious").write_bytes(b"precious\n")
    (out / ".git").mkdir(parents=True)
    (out / ".git/config").write_bytes(b"[core]\n")
    (out / "switches/a").mkdir(parents=True)
    (out / "switches/a/notes.txt").write_bytes(b"mine\n")
    (out / "switches/link").symlink_to(elsewhere)
    (out / "empty").mkdir()


def count_calls(out: Path, files: Files, *, reports: bool = True) -> int:
    """Return how many system calls an undisturbed render makes."""
    disk = FaultyDisk(reports=reports)
    assert render(out, files, Bag(), filesystem=disk) is not None
    disk.die()
    return len(disk.calls)


class DiesInCommit(FaultyDisk):
    """Dies before the commit point, once one file is replaced."""

    def rename(self, source: str, target: str) -> None:
        if sum(call.startswith("rename ") for call in self.calls) == 2:
            self._at = len(self.calls)
        super().rename(source, target)


def die_in_commit(out: Path, files: Files) -> None:
    """Render and die half-way through the commit; only the lock's file is taken away."""
    run_until_death(DiesInCommit(), lambda disk: render(out, files, Bag(), filesystem=disk))
    (out / "manifest/.lock").unlink()
    assert (out / "manifest/.journal").exists()
