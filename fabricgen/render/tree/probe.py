"""Probes for refusals of the system that would otherwise come after the commit point."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from fabricgen.diagnostics import Bag
from fabricgen.render.tree.filesystem import Filesystem, status_or_none
from fabricgen.render.tree.journal import CHMOD, DELETE, MAKE, REPLACE, JournalStep
from fabricgen.render.tree.stager import ABSENT
from fabricgen.render.tree.tree_codes import NO_SPACE, OS_REFUSED

# Room for the blocks that renames into large folders and the journal of the file system itself take.
_SPARE_BLOCKS = 64


def find_mounts(fs: Filesystem, root: str) -> frozenset[str]:
    """Paths in a tree at which something is mounted: no rename reaches over it, even on the same file system."""
    return frozenset(path.removeprefix(f"{root}/") for path in fs.mounts() if path.startswith(f"{root}/"))


def may_commit(
    fs: Filesystem, root: str, steps: list[JournalStep], entered: set[str], journal_bytes: int, bag: Bag
) -> bool:
    """Return whether the system will let every step be done, as far as it can be asked.

    Args:
        fs: System calls.
        root: The tree.
        steps: What shall be done; the new files are staged already.
        entered: Existing folders in which entries are replaced, deleted or created.
        journal_bytes: Size of the journal.
        bag: Takes diagnostics.
    """
    probe = _Probe(fs)
    faults = [fault for folder in sorted(entered) for fault in probe.find_folder_faults(folder)]
    faults += [fault for step in steps for fault in probe.find_entry_faults(f"{root}/{step.path}", step)]
    for fault in faults:
        bag.add(OS_REFUSED, fault)
    folders = sum(step.action == MAKE for step in steps)
    return _has_room(fs, root, folders, journal_bytes, bag) and not faults


class _Probe:
    """Asks for folders and for entries in them."""

    def __init__(self, fs: Filesystem) -> None:
        self._fs = fs
        self._user = fs.user()
        self._guarded: dict[str, bool] = {}

    def find_folder_faults(self, folder: str) -> Iterator[str]:
        """Say why entries of a folder cannot be made or replaced."""
        lock = self._fs.lock_of(folder)
        if lock:
            yield f"{folder} is {lock} (chattr)"
        elif not self._fs.may_write(folder):
            read_only = self._fs.space(folder).f_flag & os.ST_RDONLY
            yield f"{folder} is {'on a file system that is mounted read-only' if read_only else 'not writable'}"

    def find_entry_faults(self, path: str, step: JournalStep) -> Iterator[str]:
        """Say why an entry that is there cannot be replaced, deleted or changed."""
        if step.old == ABSENT or step.action not in (REPLACE, DELETE, CHMOD):
            return
        lock = self._fs.lock_of(path)
        if lock:
            yield f"{path} is {lock} (chattr)"
        if step.action != CHMOD and self._is_guarded(os.path.dirname(path)):
            status = status_or_none(self._fs, path)
            if status is not None and status.st_uid != self._user:
                yield f"{path} belongs to user {status.st_uid} and its folder is sticky: only its owner may replace it"

    def _is_guarded(self, folder: str) -> bool:
        """Return whether only owners may replace entries of a folder: it is sticky, and another user's."""
        if self._user == 0:
            return False
        if folder not in self._guarded:
            status = status_or_none(self._fs, folder)
            self._guarded[folder] = (
                status is not None and bool(status.st_mode & stat.S_ISVTX) and status.st_uid != self._user
            )
        return self._guarded[folder]


def _has_room(fs: Filesystem, root: str, folders: int, journal_bytes: int, bag: Bag) -> bool:
    """Return whether the rest of the commit fits; the staged files lie on the disk already."""
    ready = True
    space = fs.space(root)
    block = max(space.f_frsize, 1)
    needed = -(-journal_bytes // block) + folders + _SPARE_BLOCKS
    if space.f_bavail < needed:
        text = f"{root}: the commit needs {needed * block} bytes, {space.f_bavail * block} are free"
        bag.add(NO_SPACE, text)
        ready = False
    inodes = folders + 1
    if space.f_files and space.f_favail < inodes:
        text = f"{root}: the commit needs {inodes} inodes, {space.f_favail} are free"
        bag.add(NO_SPACE, text)
        ready = False
    return ready
