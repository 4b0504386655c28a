"""Ways into an output tree: open it for writing, compare it, read its manifest.

A command that opens a tree first undoes the commit of one that died.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.file_codes import BUSY
from fabricgen.render import render_codes
from fabricgen.render.tree.commit import CommitFolders, Survey, remove_journal, report_stopped, undo_steps
from fabricgen.render.tree.durability import Durability
from fabricgen.render.tree.filesystem import (
    Filesystem,
    describe_error,
    make_folders,
    read_file,
    remove_all,
    report_os_error,
    status_or_none,
)
from fabricgen.render.tree.journal import (
    JOURNAL_PATH,
    SCRATCH_PREFIX,
    decode_journal,
    describe_damage,
    has_journal,
)
from fabricgen.render.tree.lock import Lock, report_writer, take_lock
from fabricgen.render.tree.manifest import Manifest, read_manifest
from fabricgen.render.tree.stager import MANIFEST_FOLDER
from fabricgen.render.tree.writer import Comparer, Site, Transaction, release_tree

_LOCK_NAME = ".lock"
_ATTEMPTS = 20


def open_tree(out: Path, bag: Bag, *, force: bool = False, filesystem: Filesystem | None = None) -> Transaction | None:
    """Lock an output tree, undo and discard what a dead process left, and read its manifest.

    The tree and the folders above it need not exist; a symlink to it is followed. ``force`` replaces foreign, edited
    and linked files, and goes on without a damaged manifest or journal. None, with diagnostics in the bag that serves
    the whole transaction, if the tree is busy, no folder, damaged, or refused by the system.
    """
    fs = filesystem or Filesystem()
    try:
        if (root := fs.real_path(str(out))) != os.sep:
            return _open(fs, root, bag, force)
        bag.add(render_codes.NOT_A_TREE, f"{out} is the root of this machine's files")
        return None
    except OSError as error:
        report_os_error(bag, error, f"cannot open {out}")
        return None


def compare_tree(out: Path, bag: Bag, *, filesystem: Filesystem | None = None) -> Comparer | None:
    """Open a tree for ``render --check``: nothing at all is written, not even a lock. An absent tree has no files.

    Returns:
        The comparer; None with diagnostics if the tree is being written, holds an unfinished
        commit, is damaged, or cannot be read.
    """
    fs = filesystem or Filesystem()
    try:
        root = fs.real_path(str(out))
        old = _read_resting(fs, root, bag)
    except OSError as error:
        report_os_error(bag, error, f"cannot read {out}")
        return None
    return None if old is None else Comparer(fs, root, old, bag)


def load_manifest(out: Path, bag: Bag, *, filesystem: Filesystem | None = None) -> Manifest | None:
    """Read a manifest without a lock; empty for no tree, None with diagnostics where ``compare_tree`` gives None."""
    fs = filesystem or Filesystem()
    try:
        return _read_resting(fs, fs.real_path(str(out)), bag)
    except OSError as error:
        report_os_error(bag, error, f"cannot read {out}")
        return None


def check_finished(out: Path, bag: Bag) -> bool:
    """Return whether a folder holds no unfinished commit, which is reported: its files do not fit together."""
    try:
        if not has_journal(Filesystem(), str(out)):
            return True
    except OSError as error:
        report_os_error(bag, error, f"cannot read {out}")
        return False
    bag.add(render_codes.COMMIT_PENDING, f"{out} holds an unfinished commit, {out}/{JOURNAL_PATH}")
    return False


def _read_resting(fs: Filesystem, root: str, bag: Bag) -> Manifest | None:
    """Read the manifest of a tree that is not being written; raises OSError."""
    exists = _tree_exists(fs, root, bag)
    if exists is None:
        return None
    if report_writer(fs, _lock_path(root, exists), root, bag):
        return None
    if not exists:
        return Manifest()
    if has_journal(fs, root):
        bag.add(render_codes.COMMIT_PENDING, f"{root} holds an unfinished commit, {root}/{JOURNAL_PATH}")
        return None
    return read_manifest(fs, root, bag, force=False)


def _open(fs: Filesystem, root: str, bag: Bag, force: bool) -> Transaction | None:
    for _ in range(_ATTEMPTS):
        exists = _tree_exists(fs, root, bag)
        if exists is None:
            return None
        transaction, again = None, False
        disk = Durability(fs, root)
        try:
            transaction, again = _attempt(fs, disk, root, exists, bag, force)
        finally:
            if transaction is None:
                disk.close()
        if not again:
            return transaction
    bag.add(BUSY, f"{root}: other processes keep making and removing it")
    return None


def _attempt(
    fs: Filesystem, disk: Durability, root: str, exists: bool, bag: Bag, force: bool
) -> tuple[Transaction | None, bool]:
    """Lock and open a tree; the transaction, and whether to try again because others made or removed the tree."""
    made = make_folders(fs, _lock_folder(root, exists))
    disk.keep({os.path.dirname(folder) for folder in made})
    try:
        lock = take_lock(fs, _lock_path(root, exists), root, bag, made)
    except FileNotFoundError:
        # The holder before us removed the folder it had made for its lock.
        return None, True
    if lock is None:
        return None, False
    transaction = None
    try:
        # Between the look and the lock another process may have renamed its new tree into place.
        if _tree_exists(fs, root, bag) is not exists:
            return None, True
        transaction = (_open_existing if exists else _open_absent)(fs, disk, root, lock, bag, force)
        return transaction, False
    finally:
        if transaction is None:
            release_tree(fs, root, lock)


def _open_existing(
    fs: Filesystem, disk: Durability, root: str, lock: Lock, bag: Bag, force: bool
) -> Transaction | None:
    """Undo and discard what a dead process left in a locked tree, then prepare a staging folder in it."""
    if not settle_commit(fs, disk, root, bag, force=force):
        return None
    folder = f"{root}/{MANIFEST_FOLDER}"
    for name in fs.names(folder):
        if name.startswith(SCRATCH_PREFIX):
            remove_all(fs, f"{folder}/{name}")
    _sweep_siblings(fs, root)
    old = read_manifest(fs, root, bag, force=force)
    if old is None:
        return None
    site = Site(root, None, f"{SCRATCH_PREFIX}{fs.process()}")
    fs.make_folder(site.staging)
    return Transaction(fs, disk, site, old, lock, bag, force=force)


def _open_absent(fs: Filesystem, disk: Durability, root: str, lock: Lock, bag: Bag, force: bool) -> Transaction:
    """Prepare a sibling in which a tree is built that does not exist yet."""
    _remove_builds(fs, root)
    build = f"{_build_prefix(root)}{fs.process()}"
    fs.make_folder(build)
    return Transaction(fs, disk, Site(root, build, ""), Manifest(), lock, bag, force=force)


def _sweep_siblings(fs: Filesystem, root: str) -> None:
    """Remove what a process left that died while it built the tree, or just after it renamed it into place."""
    path = _lock_path(root, exists=False)
    if status_or_none(fs, path) is None:
        return
    # A holder that lives is building elsewhere what now exists here; it will find out by itself.
    lock = take_lock(fs, path, root, Bag())
    if lock is not None:
        _remove_builds(fs, root)
        lock.release()


def _remove_builds(fs: Filesystem, root: str) -> None:
    parent, prefix = os.path.split(_build_prefix(root))
    for name in fs.names(parent):
        if name.startswith(prefix):
            remove_all(fs, f"{parent}/{name}")


def _build_prefix(root: str) -> str:
    parent, name = os.path.split(root)
    return f"{parent}/.{name}.fabricgen-build."


def _lock_folder(root: str, exists: bool) -> str:
    return f"{root}/{MANIFEST_FOLDER}" if exists else os.path.dirname(root)


def _lock_path(root: str, exists: bool) -> str:
    """The lock of a tree lies in it, so that its parent need not be writable; that of an absent tree beside it."""
    return f"{_lock_folder(root, exists)}/{'' if exists else '.' + os.path.basename(root) + '.fabricgen'}{_LOCK_NAME}"


def _tree_exists(fs: Filesystem, root: str, bag: Bag) -> bool | None:
    """Return whether the tree is there; None with a diagnostic if it or its manifest's folder is something else."""
    for path in (root, f"{root}/{MANIFEST_FOLDER}"):
        status = status_or_none(fs, path)
        if status is None:
            return path != root
        if not stat.S_ISDIR(status.st_mode):
            bag.add(render_codes.NOT_A_TREE, f"{path} is not a folder")
            return None
    return True


def settle_commit(fs: Filesystem, disk: Durability, root: str, bag: Bag, *, force: bool) -> bool:
    """Undo the commit of a process that died before its end; raises OSError.

    With ``force`` it is undone over files edited since, and as far as the kept files are there.

    Returns:
        Whether the tree, which is locked, holds no unfinished commit any more.
    """
    try:
        raw = read_file(fs, f"{root}/{JOURNAL_PATH}")
    except FileNotFoundError:
        return True
    decoded = decode_journal(raw)
    code = render_codes.JOURNAL_IGNORED if force else render_codes.JOURNAL_DAMAGED
    if decoded is None:
        place = CommitFolders(fs, disk, root, "")
        bag.add(code, f"{place.journal} {describe_damage(raw)}")
        if force:
            remove_journal(place)
        return force
    scratch, steps = decoded
    place = CommitFolders(fs, disk, root, scratch)
    try:
        survey = Survey(place, steps, force=force)
    except OSError as error:
        report_stopped(place, steps, None, describe_error(error), bag)
        return False
    for path, reason in survey.blocked.items():
        text = f"{root}/{path} blocks the undoing of the commit of a command that died: {reason}"
        bag.add(render_codes.COMMIT_BLOCKED, text)
    for text in survey.lost:
        bag.add(code, text)
    if survey.blocked or (survey.lost and not force):
        return False
    retreat = undo_steps(place, survey)
    if retreat.fault:
        report_stopped(place, steps, retreat.left, retreat.fault, bag)
        return False
    if not survey.lost:
        text = f"{root}: undid the commit of a command that died ({retreat.undone} of {len(steps)} steps were done)"
        bag.add(render_codes.COMMIT_UNDONE, text)
    return True
