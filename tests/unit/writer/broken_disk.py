"""Disks that go wrong for good, and what a journal claims of a tree."""

from __future__ import annotations

import os
from pathlib import Path

from faulty_disk import FaultyDisk

Tree = dict[str, tuple[str, int, bytes]]
CHANGES = ("rename", "remove", "make_folder", "remove_folder", "chmod", "link", "write", "truncate")
TEMPORARY = ("manifest/.staging.", "manifest/.lock", "manifest/.journal")


class BrokenDisk(FaultyDisk):
    """From one call on it refuses every change, as a file system does that the kernel made read-only."""

    def __init__(self, at: int, error: int) -> None:
        super().__init__()
        self._from = at
        self._errno = error

    def _tick(self, name: str) -> None:
        super()._tick(name)
        if len(self.calls) > self._from and name.split(" ")[0] in CHANGES:
            raise OSError(self._errno, os.strerror(self._errno))


class StubbornEntry(FaultyDisk):
    """Refuses every change of one path, after it let some pass."""

    def __init__(self, path: Path, error: int, *, passes: int = 0) -> None:
        super().__init__()
        self._path = str(path)
        self._errno = error
        self._passes = passes

    def _tick(self, name: str) -> None:
        super()._tick(name)
        word, _, path = name.partition(" ")
        if path == self._path and word in CHANGES:
            self._passes -= 1
            if self._passes < 0:
                raise OSError(self._errno, os.strerror(self._errno))


def without_temporary(found: Tree) -> Tree:
    """A snapshot without journal, lock and staging folder."""
    return {path: what for path, what in found.items() if not path.startswith(TEMPORARY)}


def read_steps(out: Path) -> list[list[str]]:
    """The steps of a journal: action, old, new, old mode, mode, path. Read here by eye, not with the product."""
    lines = (out / "manifest/.journal").read_text().splitlines()
    return [line.split(" ", 5) for line in lines[1:-1]]


def apply_steps(before: Tree, after: Tree, steps: list[list[str]]) -> Tree:
    """Return what a tree looks like of which so many steps are done."""
    tree = dict(before)
    for action, _, _, _, mode, path in steps:
        if action in ("replace", "make"):
            tree[path] = after[path]
        elif action == "delete":
            del tree[path]
        elif action == "chmod":
            tree[path] = (tree[path][0], int(mode, 8), tree[path][2])
        elif not any(other.startswith(f"{path}/") for other in tree):
            del tree[path]
    return tree
