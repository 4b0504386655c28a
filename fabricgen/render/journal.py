"""The journal of a commit: what is replaced and deleted, with old and new digests, and its application.

A journal under its final name is the commit point. From then on the tree moves forward only:
every step can be repeated, and what a death interrupts the next command finishes.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fabricgen.diagnostics import Bag
from fabricgen.render.codes import (
    COMMIT_BLOCKED,
    JOURNAL_DAMAGED,
    JOURNAL_IGNORED,
    ROLLED_FORWARD,
)
from fabricgen.render.durability import Durability
from fabricgen.render.filesystem import (
    Filesystem,
    create_file,
    digest_bytes,
    make_folders,
    read_file,
    remove_all,
    remove_if_empty,
    status_or_none,
)
from fabricgen.render.paths import MANIFEST_FOLDER, folders_above, is_manifest_path, refuse_path
from fabricgen.render.stager import ABSENT, FILE, FOLDER, SYMLINK, find, staged_path

JOURNAL_PATH = f"{MANIFEST_FOLDER}/.journal"
SCRATCH_PREFIX = ".staging."
REPLACE = "replace"
DELETE = "delete"
CHMOD = "chmod"
_TITLE = "fabricgen-journal 1 "
_SCRATCH = re.compile(re.escape(SCRATCH_PREFIX) + r"[0-9]{1,20}")
_LINE = re.compile(r"(replace|delete|chmod) ([0-9a-f]{64}|absent|symlink) ([0-9a-f]{64}|absent) ([0-7]{3}) ([^\n]+)")


class Step(NamedTuple):
    """One change of one path.

    Attributes:
        action: ``REPLACE``, ``DELETE`` or ``CHMOD``.
        path: Path in the tree.
        old: Digest before, or the kind of what was there.
        new: Digest after; ``ABSENT`` for a deletion.
        mode: Permission bits after.
    """

    action: str
    path: str
    old: str
    new: str
    mode: int


def encode_journal(scratch: str, steps: Iterable[Step]) -> bytes:
    """Write a journal; its last line is the digest of all lines before it."""
    lines = [f"{_TITLE}{scratch}\n"]
    lines += [f"{step.action} {step.old} {step.new} {step.mode:03o} {step.path}\n" for step in steps]
    body = "".join(lines).encode()
    return body + f"end {digest_bytes(body)}\n".encode()


def decode_journal(raw: bytes) -> tuple[str, list[Step]] | None:
    """Read a journal as if a stranger had written it; None if anything in it is not as it must be."""
    body, _, end = raw.removesuffix(b"\n").rpartition(b"\n")
    body += b"\n"
    if end != f"end {digest_bytes(body)}".encode():
        return None
    try:
        title, *lines = body.decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        return None
    scratch = title.removeprefix(_TITLE)
    if not title.startswith(_TITLE) or _SCRATCH.fullmatch(scratch) is None:
        return None
    steps = []
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None or not (is_manifest_path(match[5]) or refuse_path(match[5]) is None):
            return None
        steps.append(Step(match[1], match[5], match[2], match[3], int(match[4], 8)))
    return scratch, steps


def commit_steps(fs: Filesystem, disk: Durability, root: str, scratch: str, steps: Sequence[Step]) -> None:
    """Make staged files and the journal durable, pass the commit point, apply; raises OSError.

    Args:
        fs: System calls.
        disk: The tree's file system, opened before anything was staged.
        root: The tree.
        scratch: Name of the staging folder below the manifest's folder.
        steps: What to do; every replaced file is staged.
    """
    folder = f"{root}/{MANIFEST_FOLDER}"
    staging = f"{folder}/{scratch}"
    journal = f"{staging}/journal"
    create_file(fs, journal, encode_journal(scratch, steps), 0o644)
    staged = {staged_path(staging, step.path) for step in steps if step.action == REPLACE}
    disk.keep(staged | {journal, staging, folder, root})
    fs.rename(journal, f"{root}/{JOURNAL_PATH}")
    disk.keep([folder])
    _apply(fs, disk, root, staging, steps, steps)
    _close(fs, disk, root, scratch)


def has_journal(fs: Filesystem, root: str) -> bool:
    """Whether a commit passed its commit point and is not finished."""
    return status_or_none(fs, f"{root}/{JOURNAL_PATH}") is not None


def roll_forward(fs: Filesystem, disk: Durability, root: str, bag: Bag, *, force: bool) -> bool:
    """Finish the commit of a process that died after its commit point; raises OSError.

    Args:
        fs: System calls.
        disk: The tree's file system.
        root: The tree, locked.
        bag: Takes diagnostics.
        force: Finish over files edited since, and drop what cannot be finished.

    Returns:
        Whether the tree holds no unfinished commit any more. If not, nothing was changed.
    """
    try:
        raw = read_file(fs, f"{root}/{JOURNAL_PATH}")
    except FileNotFoundError:
        return True
    decoded = decode_journal(raw)
    if decoded is None:
        code = JOURNAL_IGNORED if force else JOURNAL_DAMAGED
        bag.add(code, f"{root}/{JOURNAL_PATH} is damaged", hint=code.fix)
        if force:
            _remove_journal(fs, disk, root)
        return force
    scratch, steps = decoded
    staging = f"{root}/{MANIFEST_FOLDER}/{scratch}"
    survey = _Survey(fs, root, staging, steps, bag, force)
    pending = [step for step in steps if survey.is_pending(step)]
    if survey.stopped:
        return False
    _apply(fs, disk, root, staging, steps, pending)
    _close(fs, disk, root, scratch)
    text = f"{root}: finished the commit of a command that died ({len(pending)} of {len(steps)} steps were open)"
    bag.add(ROLLED_FORWARD, text)
    return True


class _Survey:
    """Decides which steps of a journal are still to be done, and whether they may be."""

    def __init__(self, fs: Filesystem, root: str, staging: str, steps: Sequence[Step], bag: Bag, force: bool) -> None:
        self._fs = fs
        self._root = root
        self._staging = staging
        self._deleted = {step.path for step in steps if step.action == DELETE}
        self._needed = _needed_folders(steps)
        self._bag = bag
        self._force = force
        self.stopped = False

    def is_pending(self, step: Step) -> bool:
        """Whether a step is open; sets ``stopped`` if it is and must not be done."""
        if not self._folders_are_plain(step):
            return False
        found = find(self._fs, f"{self._root}/{step.path}")
        if step.action == CHMOD:
            return found.kind == FILE and found.mode != step.mode
        if found.digest == step.new or (found.kind == FOLDER and step.action == DELETE and step.path in self._needed):
            return False
        replaceable = found.kind in (ABSENT, FILE, SYMLINK) and self._force
        if found.digest not in (step.old, ABSENT) and not replaceable:
            self._block(step.path, "it is neither the file before nor the one after the commit")
            return False
        return step.action == DELETE or self._is_staged(step)

    def _folders_are_plain(self, step: Step) -> bool:
        for folder in folders_above(step.path):
            status = status_or_none(self._fs, f"{self._root}/{folder}")
            if status is None or stat.S_ISDIR(status.st_mode) or folder in self._deleted:
                continue
            self._block(folder, "it is no longer a folder")
            return False
        return True

    def _is_staged(self, step: Step) -> bool:
        if find(self._fs, staged_path(self._staging, step.path)).digest == step.new:
            return True
        code = JOURNAL_IGNORED if self._force else JOURNAL_DAMAGED
        self._bag.add(code, f"the staged file for {self._root}/{step.path} is gone or damaged", hint=code.fix)
        self.stopped = self.stopped or not self._force
        return False

    def _block(self, path: str, reason: str) -> None:
        text = f"{self._root}/{path} blocks the unfinished commit of a command that died: {reason}"
        self._bag.add(COMMIT_BLOCKED, text, hint=COMMIT_BLOCKED.fix)
        self.stopped = True


def _apply(
    fs: Filesystem, disk: Durability, root: str, staging: str, steps: Sequence[Step], pending: Sequence[Step]
) -> None:
    """Do the pending steps, deletions first so that a folder may take the place of a file."""
    for step in pending:
        if step.action == DELETE:
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                fs.remove(f"{root}/{step.path}")
    _prune(fs, root, steps)
    made: set[str] = set()
    for step in pending:
        if step.action == REPLACE:
            folder = os.path.dirname(f"{root}/{step.path}")
            if folder not in made:
                make_folders(fs, folder, root)
                made.add(folder)
            fs.rename(staged_path(staging, step.path), f"{root}/{step.path}")
        elif step.action == CHMOD:
            _change_mode(fs, f"{root}/{step.path}", step.mode)
    folders = {folder for step in steps for folder in folders_above(step.path)}
    changed = {step.path for step in steps if step.action == CHMOD}
    disk.keep({root, *(f"{root}/{path}" for path in folders | changed)})


def _prune(fs: Filesystem, root: str, steps: Sequence[Step]) -> None:
    """Remove the folders that deletions left empty, but none that is needed again."""
    needed = _needed_folders(steps)
    for step in steps:
        if step.action != DELETE:
            continue
        for folder in folders_above(step.path):
            if folder in needed or not remove_if_empty(fs, f"{root}/{folder}"):
                break


def _needed_folders(steps: Sequence[Step]) -> set[str]:
    return {folder for step in steps if step.action != DELETE for folder in folders_above(step.path)}


def _change_mode(fs: Filesystem, path: str, mode: int) -> None:
    """Change a mode through a descriptor that cannot be a symlink's target."""
    fd = fs.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fs.chmod(fd, mode)
    finally:
        fs.close(fd)


def _close(fs: Filesystem, disk: Durability, root: str, scratch: str) -> None:
    """Remove the journal durably, then its staging folder: an old journal must not come back over later edits."""
    _remove_journal(fs, disk, root)
    remove_all(fs, f"{root}/{MANIFEST_FOLDER}/{scratch}")


def _remove_journal(fs: Filesystem, disk: Durability, root: str) -> None:
    fs.remove(f"{root}/{JOURNAL_PATH}")
    disk.keep([f"{root}/{MANIFEST_FOLDER}"])
