"""Steps of a commit, and the obstacles to it, refusals of the system included; decided before anything is changed."""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

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


@dataclass(frozen=True, slots=True)
class Obstacle:
    """Something in the way of a commit.

    Attributes:
        code: What kind of thing it is.
        path: Path in the tree.
        text: What is wrong with it.
    """

    code: Code
    path: str
    text: str


@dataclass(slots=True)
class Plan:
    """The steps of a commit in the order in which they are applied.

    Attributes:
        steps: Every change; see ``order_steps``.
        obstacles: What stands in the way; any of them stops the commit.
        entered: Existing folders in which entries are replaced, deleted or created.
    """

    steps: list[JournalStep] = field(default_factory=list)
    obstacles: list[Obstacle] = field(default_factory=list)
    entered: set[str] = field(default_factory=set)


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
        self._mounts = find_mounts(fs, root)
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
                self._judge_mode(record)
            return
        if not self._may_replace(path, found):
            return
        if stamp_of(status_or_none(self._fs, f"{self._root}/{path}")) != found.stamp:
            self._stop(render_codes.CHANGED_MEANWHILE, path, "another process changed it while the tree was rendered")
            return
        self._plan.steps.append(JournalStep(REPLACE, path, found.digest, record.digest, record.mode, found.mode))

    def _judge_mode(self, record: FileRecord) -> None:
        """Plan a change of mode, which only the owner may do."""
        if record.path in self._mounts:
            self._stop(render_codes.NOT_A_FILE, record.path, "something is mounted over it")
            return
        owner, user = self._fs.status(f"{self._root}/{record.path}").st_uid, self._fs.user()
        if user not in (0, owner):
            text = f"its mode is {record.found.mode:03o} instead of {record.mode:03o}, and user {owner} owns it"
            self._stop(render_codes.OS_REFUSED, record.path, text)
            return
        step = JournalStep(CHMOD, record.path, record.digest, record.digest, record.mode, record.found.mode)
        self._plan.steps.append(step)

    def _may_replace(self, path: str, found: PathStatus) -> bool:
        """Return whether what lies there is ours and untouched, or a file that force gives up."""
        if found.kind == ABSENT:
            return True
        if path in self._mounts:
            self._stop(render_codes.NOT_A_FILE, path, "something is mounted over it")
            return False
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
        if status.st_dev != self._device or folder in self._mounts:
            self._stop(render_codes.NOT_A_FILE, folder, "something is mounted there")
            return False
        return True

    def _note_folders(self, path: str) -> None:
        for folder in folders_above(path):
            if self._plain.get(folder):
                self._plan.entered.add(f"{self._root}/{folder}")
                return
            self._new_folders.add(folder)
        self._plan.entered.add(self._root)

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


def report_obstacles(plan: Plan, root: str, bag: Bag) -> None:
    """Say what stands in the way of a commit, each with its path."""
    for obstacle in plan.obstacles:
        bag.add(obstacle.code, f"{root}/{obstacle.path}: {obstacle.text}")


def find_mounts(fs: Filesystem, root: str) -> frozenset[str]:
    """Paths in a tree at which something is mounted: no rename reaches over it, even on the same file system."""
    return frozenset(path.removeprefix(f"{root}/") for path in fs.mounts() if path.startswith(f"{root}/"))


def may_commit(
    fs: Filesystem, root: str, steps: list[JournalStep], entered: set[str], journal_bytes: int, bag: Bag
) -> bool:
    """Return whether the system will let every step be done, as far as it can be asked; new files are staged already.

    Args:
        fs: System calls.
        root: The tree.
        steps: What shall be done.
        entered: Existing folders in which entries are replaced, deleted or created.
        journal_bytes: Size of the journal.
        bag: Takes diagnostics.
    """
    probe = _Probe(fs)
    faults = [fault for folder in sorted(entered) for fault in probe.find_folder_faults(folder)]
    faults += [fault for step in steps for fault in probe.find_entry_faults(f"{root}/{step.path}", step)]
    for fault in faults:
        bag.add(render_codes.OS_REFUSED, fault)
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
        bag.add(render_codes.NO_SPACE, text)
        ready = False
    inodes = folders + 1
    if space.f_files and space.f_favail < inodes:
        text = f"{root}: the commit needs {inodes} inodes, {space.f_favail} are free"
        bag.add(render_codes.NO_SPACE, text)
        ready = False
    return ready
