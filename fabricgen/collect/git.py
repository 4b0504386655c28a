"""Questions to git that change nothing: what a name stands for, the files of a tree, the content of objects."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import PIPE, Popen
from tempfile import TemporaryFile
from threading import Timer
from typing import BinaryIO, NamedTuple, cast

_SECONDS = 300
LISTING_MAX_BYTES = 128 * 1024 * 1024
"""Longest listing of a tree that is read; half a million files. A tree that holds another many times over has more."""
FILE, LINK, MODULE = "100", "120000", "160000"
"""Beginnings of the modes of files, links and submodules."""


class GitError(Exception):
    """Git refuses a question; the message is its own."""


class GitObject(NamedTuple):
    """An object that a name stands for."""

    digest: str
    kind: str
    size: int


class GitEntry(NamedTuple):
    """A file, link or submodule of a tree, with its bytes; None if the repository does not have the content."""

    path: str
    mode: str
    digest: str
    size: int | None


def find_object(base: Path, name: str) -> GitObject:
    """The object that a ``REV:PATH`` is, through links inside the repository; raises GitError if there is none."""
    output = _ask(base, "cat-file", "--batch-check", "--follow-symlinks", given=os.fsencode(name) + b"\n")
    words = output.split(b"\n", 1)[0].split(b" ")
    if len(words) == 3 and words[2].isdigit() and words[1] in (b"blob", b"tree", b"commit", b"tag"):
        return GitObject(words[0].decode(), words[1].decode(), int(words[2]))
    if words[0] in (b"symlink", b"dangling", b"loop", b"notdir"):
        raise GitError("a link on the way leads out of the revision, nowhere, or in a circle")
    _ask(base, "cat-file", "-t", name)
    raise GitError("git has nothing of that name")


def has_path(base: Path, name: str) -> bool:
    """Return whether a ``REV:PATH`` stands for anything, a link that leads nowhere included."""
    return _try(base, "cat-file", "-e", name) is not None


def is_bare(base: Path) -> bool:
    """Return whether a folder belongs to a repository without work tree, in which paths are relative to its root."""
    return _try(base, "rev-parse", "--is-inside-work-tree") == b"false\n"


def _try(base: Path, *words: str) -> bytes | None:
    """Return what a git command prints; None if git refuses it."""
    with suppress(GitError):
        return _ask(base, *words)
    return None


def list_tree(base: Path, digest: str) -> list[GitEntry]:
    """Every file, link and submodule of a tree and its trees; raises GitError if unreadable or too many."""
    with _open(base, "ls-tree", "-r", "-l", "-z", "--full-tree", digest) as output:
        data = output.read(LISTING_MAX_BYTES + 1)
        if len(data) > LISTING_MAX_BYTES:
            raise GitError(f"its list of files is longer than {LISTING_MAX_BYTES // 1024 // 1024} MiB")
    return [_entry(line) for line in data.split(b"\0") if line]


def read_objects(base: Path, digests: Iterable[str]) -> Iterator[bytes]:
    """Yield the content of objects; raises GitError if git cannot read one of them."""
    given = "".join(f"{digest}\n" for digest in digests)
    with _open(base, "cat-file", "--batch", given=given.encode()) as output:
        for line in output:
            size = line.split(b" ")[-1].strip()
            if not size.isdigit():
                raise GitError(f"an object is {size.decode(errors='replace')}")
            yield output.read(int(size))
            output.read(1)


def _entry(line: bytes) -> GitEntry:
    head, _, path = line.partition(b"\t")
    mode, _, digest, size = head.split()
    return GitEntry(os.fsdecode(path), mode.decode(), digest.decode(), int(size) if size.isdigit() else None)


def _ask(base: Path, *words: str, given: bytes = b"") -> bytes:
    """Return what a git command prints; raises GitError with the first line of its complaint."""
    with _open(base, *words, given=given) as output:
        return output.read()


@contextmanager
def _open(base: Path, *words: str, given: bytes = b"") -> Iterator[BinaryIO]:
    """Give what a git command prints while it runs; raises GitError with the first line of its complaint."""
    with TemporaryFile() as source, TemporaryFile() as complaint:
        source.write(given)
        source.seek(0)
        try:
            command = ["git", "-C", str(base), *words]
            # No shell; names are one line and cannot begin with a dash.
            process = Popen(command, stdin=source, stdout=PIPE, stderr=complaint)  # noqa: S603
        except (OSError, ValueError) as error:
            raise GitError(str(error)) from None
        timer = Timer(_SECONDS, process.kill)
        timer.start()
        try:
            with process:
                yield cast("BinaryIO", process.stdout)
        finally:
            timer.cancel()
        if process.returncode:
            complaint.seek(0)
            raise GitError((complaint.read().decode(errors="replace").strip().splitlines() or ["git failed"])[0])
