"""One transaction on an output tree: stage, commit, or leave no trace; and its comparison for ``render --check``."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from stat import S_IXUSR
from types import TracebackType

from fabricgen.diagnostics import Bag
from fabricgen.render import render_codes
from fabricgen.render.tree.commit import CommitFolders, commit_steps, end_commit
from fabricgen.render.tree.durability import Durability
from fabricgen.render.tree.filesystem import (
    Filesystem,
    describe_error,
    remove_all,
    remove_if_empty,
    report_os_error,
    status_or_none,
)
from fabricgen.render.tree.journal import CHMOD, DELETE, REPLACE, JournalStep, encode_journal, has_journal
from fabricgen.render.tree.lock import Lock
from fabricgen.render.tree.manifest import Keep, Manifest, encode_manifest
from fabricgen.render.tree.preflight import Plan, has_room, plan_commit
from fabricgen.render.tree.stager import (
    ABSENT,
    HEADER_PATH,
    MANIFEST_FOLDER,
    FileRecord,
    Stager,
    folders_above,
    is_manifest_path,
)


class TreeSink:
    """Takes files one by one, from this process or from workers, and keeps their records."""

    def __init__(self, stager: Stager, old: Manifest, bag: Bag) -> None:
        """Take files that ``stager`` holds against a tree whose manifest was read."""
        self._stager = stager
        self._old = old
        self._bag = bag
        self._records: dict[str, FileRecord] = {}

    @property
    def manifest(self) -> Manifest:
        """Return what the tree says about itself."""
        return self._old

    def stager(self) -> Stager:
        """Return what a worker process needs; its records come back through ``add``."""
        return self._stager

    def put(self, shard: str, path: str, data: bytes, *, mode: int = 0o644) -> None:
        """Take one file from this process; see ``Stager.put``."""
        record = self._stager.put(shard, path, data, self._bag, mode=mode)
        if record is not None:
            self.add([record])

    def add(self, records: Iterable[FileRecord]) -> None:
        """Take over records of files that workers put; one path twice is a diagnostic."""
        for record in records:
            if record.path in self._records:
                self._bag.add(render_codes.DUPLICATE_PATH, f"output path {record.path!r} is rendered twice")
            self._records[record.path] = record


@dataclass(frozen=True, slots=True)
class CommitResult:
    """Result of a commit, counted in files; the manifest's own files are not counted.

    Attributes:
        unchanged: Put with the bytes and mode that were there.
        deleted: Owned by the old manifest and not put.
        repaired: Put with the bytes that were there, but another mode.
    """

    written: int
    unchanged: int
    deleted: int
    repaired: int


@dataclass(frozen=True, slots=True)
class Site:
    """Site of one transaction.

    Attributes:
        build: Sibling in which an absent tree is built; None if the tree exists.
        scratch: Name of the staging folder below the manifest's folder of an existing tree.
    """

    root: str
    build: str | None
    scratch: str

    @property
    def staging(self) -> str:
        """Absolute path of what holds staged files."""
        return self.build or f"{self.root}/{MANIFEST_FOLDER}/{self.scratch}"


class Transaction(TreeSink):
    """A locked output tree; use it in a ``with`` statement, and nothing is written without ``commit``."""

    def __init__(
        self, fs: Filesystem, disk: Durability, site: Site, old: Manifest, lock: Lock, bag: Bag, *, force: bool
    ) -> None:
        """Take over a prepared tree; ``open_tree`` is the way to get one."""
        super().__init__(Stager(fs, site.build or site.root, site.staging), old, bag)
        self._fs = fs
        self._disk = disk
        self._site = site
        self._lock = lock
        self._force = force
        self._over = False
        self._closed = False
        self._keeps_staging = False

    def commit(self, header: Mapping[str, object], *, keep: Keep | None = None) -> CommitResult | None:
        """Make the tree hold exactly what was put, and what ``keep`` chooses of the owned paths that were not.

        The header of the manifest holds JSON values only. None, with diagnostics, if the commit failed or was refused,
        as by any error in the bag: a tree is written whole or not at all.
        """
        if self._over:
            raise RuntimeError("a transaction is committed once")
        self._over = True
        if self._bag.has_errors:
            return None
        listed = self._old.listed_with(self._records, keep)
        files = encode_manifest(header, listed)
        try:
            if self._site.build is not None:
                return self._commit_build(self._site.build, files)
            return self._commit_steps(files, listed)
        except OSError as error:
            report_os_error(self._bag, error, f"cannot commit {self._site.root}")
            return None

    def __enter__(self) -> Transaction:
        """Return the transaction itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Remove what was staged and not committed, and release the lock."""
        self.close()

    def close(self) -> None:
        """End the transaction; what was not committed leaves no trace. A second call does nothing."""
        if self._closed:
            return
        self._closed = self._over = True
        try:
            self._clean()
        except OSError as error:
            # The tree itself is complete.
            text = f"{self._site.root}: {error.strerror or error}: {os.fsdecode(error.filename or '')}"
            self._bag.add(render_codes.LEFTOVERS, text)

    def _clean(self) -> None:
        try:
            if self._site.build is not None:
                remove_all(self._fs, self._site.build)
            elif not self._keeps_staging and not has_journal(self._fs, self._site.root):
                remove_all(self._fs, self._site.staging)
        finally:
            try:
                self._disk.close()
            finally:
                release_tree(self._fs, self._site.root, self._lock)

    def _commit_build(self, build: str, files: Mapping[str, bytes]) -> CommitResult | None:
        """Complete the sibling, make it durable and rename it once: the rename is the commit point."""
        for path, data in files.items():
            self._stager.stage("", path, data, 0o644)
        paths = [*self._records, *files]
        folders = {folder for path in paths for folder in folders_above(path)}
        self._disk.keep({build, *(f"{build}/{path}" for path in [*paths, *folders])})
        self._fs.rename(build, self._site.root)
        try:
            self._disk.keep([os.path.dirname(self._site.root)])
        except OSError as error:
            self._take_back(build, error)
            return None
        return CommitResult(len(self._records), 0, 0, 0)

    def _take_back(self, build: str, error: OSError) -> None:
        """Rename a new tree away again that the system does not keep, or report that it is there."""
        root = self._site.root
        try:
            self._fs.rename(root, build)
        except OSError as second:
            text = f"{root} is complete, but may not survive a power loss: {describe_error(error)}"
            text += f", and then {describe_error(second)}"
            self._bag.add(render_codes.COMMIT_STOPPED, text)
            return
        report_os_error(self._bag, error, f"cannot commit {root}")

    def _commit_steps(self, files: Mapping[str, bytes], listed: Collection[str]) -> CommitResult | None:
        """Plan the steps on an existing tree, refuse or commit them."""
        root, records = self._site.root, self._records
        plan = plan_commit(self._fs, root, self._old, self._stager, records, files, listed=listed, force=self._force)
        for obstacle in plan.obstacles:
            self._bag.add(obstacle.code, f"{root}/{obstacle.path}: {obstacle.text}")
        if plan.obstacles:
            return None
        if plan.steps:
            journal_bytes = len(encode_journal(self._site.scratch, plan.steps))
            if not has_room(self._fs, root, plan.steps, journal_bytes, self._bag):
                return None
            place = CommitFolders(self._fs, self._disk, root, self._site.scratch)
            if not commit_steps(place, plan.steps, self._bag):
                return None
            # What undoes the steps stays until it is certain that no journal asks for it after a power loss.
            self._keeps_staging = True
            if not end_commit(place, plan.steps, self._bag):
                return None
            self._keeps_staging = False
        return self._count(plan.steps)

    def _count(self, steps: Iterable[JournalStep]) -> CommitResult:
        actions = [step.action for step in steps if not is_manifest_path(step.path)]
        written, repaired = actions.count(REPLACE), actions.count(CHMOD)
        unchanged = len(self._records) - written - repaired
        return CommitResult(written, unchanged, actions.count(DELETE), repaired)


def release_tree(fs: Filesystem, root: str, lock: Lock) -> None:
    """Release the lock, and remove a manifest's folder that was only made for it; raises OSError."""
    lock.release()
    if status_or_none(fs, f"{root}/{HEADER_PATH}") is None:
        remove_if_empty(fs, f"{root}/{MANIFEST_FOLDER}")


@dataclass(frozen=True, slots=True)
class TreeDifference:
    """Differences between a tree and the files put; paths are sorted.

    Attributes:
        added: Put, but absent from the tree.
        changed: Put with other bytes than rendered before.
        removed: Rendered before and not put.
        edited: Edited by hand since they were rendered.
        blocked: Foreign files, symlinks, folders or devices in the way.
        modes: Same bytes, but executable where it should not be, or the reverse. Other bits are
            not compared, because a git checkout does not keep them.
        manifest: The manifest would be rewritten, for example because the header differs.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    edited: tuple[str, ...]
    blocked: tuple[str, ...]
    modes: tuple[str, ...]
    manifest: bool

    @property
    def is_clean(self) -> bool:
        """Return whether a render would leave the tree as it is."""
        paths = (self.added, self.changed, self.removed, self.edited, self.blocked, self.modes)
        return not self.manifest and not any(paths)


class Comparer(TreeSink):
    """Takes the same files as a transaction and reports instead of writing."""

    def __init__(self, fs: Filesystem, root: str, old: Manifest, bag: Bag) -> None:
        """Take over a tree whose manifest was read; ``compare_tree`` is the way to get one."""
        super().__init__(Stager(fs, root, None), old, bag)
        self._fs = fs
        self._root = root

    def finish(self, header: Mapping[str, object], *, keep: Keep | None = None) -> TreeDifference | None:
        """Report the differences; arguments as for ``Transaction.commit``.

        Returns:
            The comparison; None if the bag holds an error or the system refused to read.
        """
        if self._bag.has_errors:
            return None
        listed = self._old.listed_with(self._records, keep)
        files = encode_manifest(header, listed)
        try:
            plan = plan_commit(
                self._fs, self._root, self._old, self._stager, self._records, files, listed=listed, force=False
            )
        except OSError as error:
            report_os_error(self._bag, error, f"cannot compare {self._root}")
            return None
        return _sort_out(plan)


def _sort_out(plan: Plan) -> TreeDifference:
    """Sort the steps and obstacles of a plan by what they mean to the reader."""
    steps = [step for step in plan.steps if step.action != CHMOD or (step.mode ^ step.old_mode) & S_IXUSR]
    outputs = [step for step in steps if not is_manifest_path(step.path)]

    def touched(action: str, is_new: bool | None = None) -> tuple[str, ...]:
        found = [step for step in outputs if step.action == action]
        return tuple(step.path for step in found if is_new is None or (step.old == ABSENT) == is_new)

    return TreeDifference(
        added=touched(REPLACE, is_new=True),
        changed=touched(REPLACE, is_new=False),
        removed=_paths(touched(DELETE)),
        edited=_paths(item.path for item in plan.obstacles if item.code is render_codes.EDITED_FILE),
        blocked=_paths(item.path for item in plan.obstacles if item.code is not render_codes.EDITED_FILE),
        modes=touched(CHMOD),
        manifest=len(outputs) != len(steps),
    )


def _paths(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(paths)))
