"""Steps of a commit, the obstacles to it, and the room for it; decided before anything is changed."""

from __future__ import annotations

import stat
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from fabricgen.diagnostics import Bag, Code
from fabricgen.render import render_codes
from fabricgen.render.tree.filesystem import Filesystem, status_or_none
from fabricgen.render.tree.journal import CHMOD, DELETE, MAKE, PRUNE, REPLACE, JournalStep, folders_of, order_steps
from fabricgen.render.tree.manifest import Manifest
from fabricgen.render.tree.stager import (
    ABSENT,
    FILE,
    FOLDER,
    FileRecord,
    PathStatus,
    Stager,
    find,
    folders_above,
    stamp_of,
)
from fabricgen.render.tree.stager import SYMLINK as SYMLINK_KIND

# Room for the blocks that renames into large folders and the journal of the file system itself take.
_SPARE_BLOCKS = 64


class Obstacle(NamedTuple):
    """Something in the way of a commit: its kind, its path in the tree, and what is wrong with it."""

    code: Code
    path: str
    text: str


@dataclass(slots=True)
class Plan:
    """The steps of a commit in the order of ``order_steps``, and obstacles, any of which stops it."""

    steps: list[JournalStep] = field(default_factory=list)
    obstacles: list[Obstacle] = field(default_factory=list)


class Preflight:
    """Compares what was put with what the old manifest owns and with what lies on the disk."""

    def __init__(self, fs: Filesystem, root: str, owned: Mapping[str, str], *, force: bool) -> None:
        """Prepare for a locked tree.

        ``owned`` has the digest of every path of the old manifest, its own files included; with ``force`` foreign,
        edited and linked files may be replaced and deleted.
        """
        self._fs = fs
        self._root = root
        self._owned = owned
        self._force = force
        status = status_or_none(fs, root)
        self._device = status.st_dev if status else 0
        self._plain: dict[str, bool | None] = {}
        self._new_folders: set[str] = set()
        self._plan = Plan()

    def plan(self, records: Mapping[str, FileRecord], stale: Iterable[str]) -> Plan:
        """Plan the commit of what was put, the new manifest included, and of what is stale; raises OSError."""
        deleted = sorted(stale)
        gone = frozenset(deleted)
        for path in deleted:
            self._judge_stale(path, gone)
        for path in sorted(records):
            self._judge_record(records[path], records, gone)
        for step in self._plan.steps:
            if step.action != CHMOD:
                self._note_folders(step.path)
        self._plan.steps += [JournalStep(MAKE, folder, ABSENT, FOLDER, 0) for folder in self._new_folders]
        self._plan_pruning()
        self._plan.steps = order_steps(self._plan.steps)
        return self._plan

    def _plan_pruning(self) -> None:
        """Plan to remove every folder that holds nothing any more, if it turns out to be empty."""
        steps = self._plan.steps
        deleted = folders_of(step for step in steps if step.action == DELETE)
        for folder in deleted - folders_of(step for step in steps if step.action != DELETE):
            status = status_or_none(self._fs, f"{self._root}/{folder}")
            if status is not None:
                self._plan.steps.append(JournalStep(PRUNE, folder, FOLDER, ABSENT, 0, stat.S_IMODE(status.st_mode)))

    def _judge_stale(self, path: str, gone: frozenset[str]) -> None:
        if not self._folders_are_plain(path, gone):
            return
        found = find(self._fs, f"{self._root}/{path}")
        if found.kind != ABSENT and self._may_replace(path, found):
            self._plan.steps.append(JournalStep(DELETE, path, found.digest, ABSENT, 0, found.mode))

    def _judge_record(self, record: FileRecord, records: Mapping[str, FileRecord], gone: frozenset[str]) -> None:
        path, found = record.path, record.found
        for folder in folders_above(path):
            if folder in records:
                self._stop(render_codes.DUPLICATE_PATH, path, f"{folder!r} is rendered as a file too")
        if not self._folders_are_plain(path, gone):
            return
        if found.digest == record.digest:
            if found.mode != record.mode:
                step = JournalStep(CHMOD, path, record.digest, record.digest, record.mode, found.mode)
                self._plan.steps.append(step)
            return
        if not self._may_replace(path, found):
            return
        if stamp_of(status_or_none(self._fs, f"{self._root}/{path}")) != found.stamp:
            self._stop(render_codes.CHANGED_MEANWHILE, path, "another process changed it while the tree was rendered")
            return
        self._plan.steps.append(JournalStep(REPLACE, path, found.digest, record.digest, record.mode, found.mode))

    def _may_replace(self, path: str, found: PathStatus) -> bool:
        """Return whether what lies there is ours and untouched, or a file that force gives up."""
        if found.kind == ABSENT:
            return True
        if found.kind == SYMLINK_KIND:
            if not self._force:
                self._stop(render_codes.SYMLINK, path, "it is a symlink")
            return self._force
        if found.kind != FILE:
            self._stop(render_codes.NOT_A_FILE, path, "it is not a regular file")
            return False
        owned = self._owned.get(path)
        if owned == found.digest or self._force:
            return True
        if owned is None:
            self._stop(render_codes.FOREIGN_FILE, path, "it is not in the manifest and has other content")
        else:
            self._stop(render_codes.EDITED_FILE, path, "it was edited since it was rendered")
        return False

    def _folders_are_plain(self, path: str, gone: frozenset[str]) -> bool:
        """Return whether every folder above a path is absent or a real folder of the tree's own file system."""
        plain = True
        for folder in folders_above(path):
            if folder not in self._plain:
                self._plain[folder] = self._judge_folder(folder, gone)
            plain = plain and self._plain[folder] is not False
        return plain

    def _judge_folder(self, folder: str, gone: frozenset[str]) -> bool | None:
        """True for a folder, None where there is none yet, False for what stops the commit."""
        status = status_or_none(self._fs, f"{self._root}/{folder}")
        if status is None or folder in gone:
            return None
        if stat.S_ISLNK(status.st_mode):
            self._stop(render_codes.SYMLINK, folder, "it is a symlink in the place of a folder")
            return False
        if not stat.S_ISDIR(status.st_mode):
            self._stop(render_codes.NOT_A_FILE, folder, "it is in the place of a folder")
            return False
        if status.st_dev != self._device:
            self._stop(render_codes.NOT_A_FILE, folder, "something is mounted there")
            return False
        return True

    def _note_folders(self, path: str) -> None:
        for folder in folders_above(path):
            if self._plain.get(folder):
                return
            self._new_folders.add(folder)

    def _stop(self, code: Code, path: str, text: str) -> None:
        self._plan.obstacles.append(Obstacle(code, path, text))


def plan_commit(
    fs: Filesystem,
    root: str,
    old: Manifest,
    stager: Stager,
    records: Mapping[str, FileRecord],
    files: Mapping[str, bytes],
    *,
    listed: Collection[str],
    force: bool,
) -> Plan:
    """Stage the next manifest like any other file, and plan the whole commit; raises OSError.

    Owned paths that the next manifest does not list are deleted.
    """
    own = {path: stager.stage("", path, data, 0o644) for path, data in files.items()}
    owned = old.owned()
    stale = owned.keys() - set(listed) - own.keys()
    return Preflight(fs, root, owned, force=force).plan({**records, **own}, stale)


def has_room(fs: Filesystem, root: str, steps: Iterable[JournalStep], journal_bytes: int, bag: Bag) -> bool:
    """Return whether the rest of a commit fits on the disk; the staged files lie on it already."""
    folders = sum(step.action == MAKE for step in steps)
    space = fs.space(root)
    block = max(space.f_frsize, 1)
    blocks = -(-journal_bytes // block) + folders + _SPARE_BLOCKS
    needs = [(blocks * block, space.f_bavail * block, "bytes")]
    needs += [(folders + 1, space.f_favail, "inodes")] if space.f_files else []
    lacking = [(needed, free, unit) for needed, free, unit in needs if free < needed]
    for needed, free, unit in lacking:
        bag.add(render_codes.NO_SPACE, f"{root}: the commit needs {needed} {unit}, {free} are free")
    return not lacking
