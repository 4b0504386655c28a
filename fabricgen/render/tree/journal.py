"""The journal of a commit as text: every step in the order in which it is done, with old and new digests.

From the time it has its final name to its removal, which is the commit point, a death is undone. What its steps do, and
how they are undone, is in `commit.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fabricgen.render.tree.filesystem import Filesystem, digest_bytes, status_or_none
from fabricgen.render.tree.stager import (
    ABSENT,
    FOLDER,
    HEADER_PATH,
    LARGE,
    MANIFEST_FOLDER,
    SYMLINK,
    folders_above,
    is_manifest_path,
    refuse_path,
)

JOURNAL_PATH = f"{MANIFEST_FOLDER}/.journal"
SCRATCH_PREFIX = ".staging."
REPLACE = "replace"
DELETE = "delete"
CHMOD = "chmod"
MAKE = "make"
PRUNE = "prune"
FORMAT = 2
_TITLE = "fabricgen-journal"
_SCRATCH = re.compile(re.escape(SCRATCH_PREFIX) + r"[0-9]{1,20}")
_FORMAT = re.compile(rf"{_TITLE} ([0-9]{{1,9}}) [^\n]*")
_STATE = rf"[0-9a-f]{{64}}|{ABSENT}|{SYMLINK}|{LARGE}|{FOLDER}"
_LINE = re.compile(
    rf"({REPLACE}|{DELETE}|{CHMOD}|{MAKE}|{PRUNE}) ({_STATE}) ({_STATE}) ([0-7]{{3,4}}) ([0-7]{{3,4}}) ([^\n]+)"
)


class JournalStep(NamedTuple):
    """One change of one path.

    Attributes:
        action: ``REPLACE``, ``DELETE``, ``CHMOD``; ``MAKE`` and ``PRUNE`` for a folder, which is pruned if it is empty.
        old: Digest before, or the kind of what was there.
        new: Digest after, or the kind of what will be there.
        mode: Permission bits after; 0 leaves a new folder to the umask.
        old_mode: Permission bits before.
    """

    action: str
    path: str
    old: str
    new: str
    mode: int
    old_mode: int = 0


def order_steps(steps: Iterable[JournalStep]) -> list[JournalStep]:
    """Put the steps of a commit into the order in which they are done.

    Nothing is deleted before everything else is replaced, but a file whose place a folder takes. The manifest comes
    last, and its header at its very end.
    """
    everything = list(steps)
    folders = {step.path for step in everything if step.action == MAKE}

    def rank(step: JournalStep) -> tuple[int, int, str]:
        if is_manifest_path(step.path):
            return (7 if step.path == HEADER_PATH else 6), 0, step.path
        if step.action == PRUNE:
            return 5, -step.path.count("/"), step.path
        if step.action == DELETE:
            return (0 if step.path in folders else 4), 0, step.path
        return {MAKE: 1, REPLACE: 2, CHMOD: 3}[step.action], 0, step.path

    return sorted(everything, key=rank)


def invert_steps(steps: Sequence[JournalStep]) -> list[JournalStep]:
    """Return the steps that undo others, in the order in which they are done."""
    return [_invert(step) for step in reversed(steps)]


def _invert(step: JournalStep) -> JournalStep:
    action = {MAKE: PRUNE, PRUNE: MAKE, DELETE: REPLACE}.get(step.action, step.action)
    if step.action == REPLACE and step.old == ABSENT:
        action = DELETE
    return JournalStep(action, step.path, step.new, step.old, step.old_mode, step.mode)


def encode_journal(scratch: str, steps: Iterable[JournalStep]) -> bytes:
    """Write a journal; its last line is the digest of all lines before it."""
    lines = [f"{_TITLE} {FORMAT} {scratch}\n"]
    lines += [f"{it.action} {it.old} {it.new} {it.old_mode:03o} {it.mode:03o} {it.path}\n" for it in steps]
    body = "".join(lines).encode()
    return body + f"end {digest_bytes(body)}\n".encode()


def decode_journal(raw: bytes) -> tuple[str, list[JournalStep]] | None:
    """Read a journal as if a stranger had written it; None if anything in it is not as it must be."""
    body, _, end = raw.removesuffix(b"\n").rpartition(b"\n")
    body += b"\n"
    if end != f"end {digest_bytes(body)}".encode():
        return None
    try:
        title, *lines = body.decode().removesuffix("\n").split("\n")
    except UnicodeDecodeError:
        return None
    scratch = title.removeprefix(f"{_TITLE} {FORMAT} ")
    if scratch == title or _SCRATCH.fullmatch(scratch) is None:
        return None
    steps = []
    for line in lines:
        match = _LINE.fullmatch(line)
        if match is None or not (is_manifest_path(match[6]) or refuse_path(match[6]) is None):
            return None
        steps.append(JournalStep(match[1], match[6], match[2], match[3], int(match[5], 8), int(match[4], 8)))
    return scratch, steps


def describe_damage(raw: bytes) -> str:
    """Say why a journal cannot be read."""
    match = _FORMAT.fullmatch(raw.partition(b"\n")[0].decode(errors="replace"))
    if match is not None and int(match[1]) != FORMAT:
        return f"has format {match[1]}; this version reads format {FORMAT}"
    return "is damaged"


def has_journal(fs: Filesystem, root: str) -> bool:
    """Return whether a commit began its steps and did not reach its commit point."""
    return status_or_none(fs, f"{root}/{JOURNAL_PATH}") is not None


def folders_of(steps: Iterable[JournalStep]) -> set[str]:
    """Every folder of the tree above a path of some steps."""
    return {folder for step in steps for folder in folders_above(step.path)}
