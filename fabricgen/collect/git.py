"""Questions to git that change nothing: what a name stands for, the files of a tree, the content of objects."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Timer
from typing import NamedTuple

_SECONDS = 300
LISTING_MAX_BYTES = 128 * 1024 * 1024
"""Longest listing of a tree that is read; half a million files. A tree that holds another many times over has more."""
CHUNK_MAX_BYTES = 32 * 1024 * 1024
"""Content that is held at a time, beside the last object of it."""
CHUNK_MAX_OBJECTS = 1000
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
    """A file, link or submodule of a tree.

    Attributes:
        size: Bytes of its content; None if the repository does not have it.
    """

    path: str
    mode: str
    digest: str
    size: int | None


def find_object(base: Path, name: str) -> GitObject:
    """The object that a ``REV:PATH`` stands for; links inside the repository are followed.

    Raises:
        GitError: There is none.
    """
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
    try:
        _ask(base, "cat-file", "-e", name)
    except GitError:
        return False
    return True


def is_bare(base: Path) -> bool:
    """Return whether a folder belongs to a repository without work tree, in which paths are relative to its root."""
    try:
        return _ask(base, "rev-parse", "--is-inside-work-tree").strip() == b"false"
    except GitError:
        return False


def list_tree(base: Path, digest: str) -> list[GitEntry]:
    """Every file, link and submodule of a tree and the trees in it.

    Raises:
        GitError: Git cannot read it, or it has too many.
    """
    command = ["git", "-C", str(base), "ls-tree", "-r", "-l", "-z", "--full-tree", digest]
    parts, length = [], 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:  # noqa: S603 - no shell; the last word is a digest
        timer = Timer(_SECONDS, process.kill)
        timer.start()
        try:
            assert process.stdout is not None and process.stderr is not None  # noqa: PT018, S101 - both are pipes
            while length <= LISTING_MAX_BYTES and (part := process.stdout.read(1 << 20)):
                parts.append(part)
                length += len(part)
            if length > LISTING_MAX_BYTES:
                process.kill()
                raise GitError(f"its list of files is longer than {LISTING_MAX_BYTES // 1024 // 1024} MiB")
            output = process.stderr.read()
        finally:
            timer.cancel()
    if process.returncode:
        raise GitError(_first_line(output))
    return [_entry(line) for line in b"".join(parts).split(b"\0") if line]


def read_objects(base: Path, wanted: Sequence[tuple[str, int]]) -> Iterator[tuple[str, bytes | None]]:
    """Yield the content of objects, wanted by digest and size; None for those that git cannot read."""
    chunk: list[str] = []
    held = 0
    for digest, size in wanted:
        chunk.append(digest)
        held += size
        if held >= CHUNK_MAX_BYTES or len(chunk) == CHUNK_MAX_OBJECTS:
            yield from _read_chunk(base, chunk)
            chunk, held = [], 0
    yield from _read_chunk(base, chunk)


def _read_chunk(base: Path, digests: Sequence[str]) -> Iterator[tuple[str, bytes | None]]:
    """The objects of a chunk; after one that makes git give up, each is asked for by itself."""
    if not digests:
        return
    try:
        data = _ask(base, "cat-file", "--batch", given="".join(f"{digest}\n" for digest in digests).encode())
    except GitError:
        if len(digests) == 1:
            yield digests[0], None
        else:
            half = len(digests) // 2
            yield from _read_chunk(base, digests[:half])
            yield from _read_chunk(base, digests[half:])
        return
    at = 0
    for digest in digests:
        end = data.index(b"\n", at)
        words = data[at:end].split(b" ")
        at = end + 1
        if len(words) != 3:
            yield digest, None
            continue
        size = int(words[2])
        yield digest, data[at : at + size]
        at += size + 1


def _entry(line: bytes) -> GitEntry:
    head, _, path = line.partition(b"\t")
    mode, _, digest, size = head.split()
    return GitEntry(os.fsdecode(path), mode.decode(), digest.decode(), int(size) if size.isdigit() else None)


def _ask(base: Path, *words: str, given: bytes = b"") -> bytes:
    """Return what a git command prints; raises GitError with the first line of its complaint."""
    try:
        command = ["git", "-C", str(base), *words]
        # No shell; names are one line and cannot begin with a dash.
        done = subprocess.run(command, input=given, capture_output=True, check=False, timeout=_SECONDS)  # noqa: S603
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise GitError(str(error)) from None
    if done.returncode:
        raise GitError(_first_line(done.stderr))
    return done.stdout


def _first_line(output: bytes) -> str:
    return (output.decode(errors="replace").strip().splitlines() or ["git failed"])[0]
