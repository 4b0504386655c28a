"""Staging of single files, in the process of the transaction or in a worker, and the paths that may lie in a tree."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.diagnostics import Bag
from fabricgen.render.render_codes import BAD_PATH, DUPLICATE_PATH
from fabricgen.render.tree.filesystem import (
    MAX_FILE_BYTES,
    OUT_OF_SPACE,
    Filesystem,
    create_file,
    digest_bytes,
    digest_file,
    make_folders,
    read_file,
    report_os_error,
    status_or_none,
)

MANIFEST_FOLDER = "manifest"
HEADER_PATH = f"{MANIFEST_FOLDER}/header.json"
_SHARD_PATH = re.compile(rf"{MANIFEST_FOLDER}/([A-Za-z0-9_][A-Za-z0-9._-]{{0,199}})\.txt")
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\\\u200b-\u200f\u2028-\u202e\u2060-\u2064\ud800-\udfff\ufeff]")
_SEGMENT_MAX_BYTES = 255
ABSENT = "absent"
FILE = "file"
SYMLINK = "symlink"
FOLDER = "folder"
LARGE = "large"
OTHER = "other"
Stamp = tuple[int, ...]
"""Marks that any change of a directory entry alters: inode, size, mtime, mode; empty if there is none."""


def refuse_path(path: str) -> str | None:
    """Return why a device's output may not lie at this path; None if it may.

    Refused are absolute paths, ``.`` and ``..``, control and invisible characters, backslashes,
    lone surrogates, names longer than a file system takes, the manifest's own folder, and any
    ``.git``: a value that became a hook or a git configuration would run as a program.
    """
    if not path:
        return "it is empty"
    if path.startswith("/"):
        return "it is absolute"
    if _FORBIDDEN.search(path):
        return "it contains a control or invisible character or a backslash"
    segments = path.split("/")
    if segments[0].casefold() == MANIFEST_FOLDER:
        return f"`{MANIFEST_FOLDER}` holds the manifest of the tree"
    for segment in segments:
        if segment in ("", ".", ".."):
            return f"the segment {segment!r} is not a name"
        if segment.casefold() == ".git":
            return "`.git` belongs to git"
        if len(segment) > _SEGMENT_MAX_BYTES or len(segment.encode()) > _SEGMENT_MAX_BYTES:
            return f"the segment {segment[:20]!r}… is longer than {_SEGMENT_MAX_BYTES} bytes"
    return None


def shard_path(shard: str) -> str | None:
    """Return the path of a shard of the manifest; None if the shard's name is not a plain file name."""
    path = f"{MANIFEST_FOLDER}/{shard}.txt"
    return path if _SHARD_PATH.fullmatch(path) else None


def is_manifest_path(path: str) -> bool:
    """Return whether the path is one of the manifest's own files."""
    return path == HEADER_PATH or _SHARD_PATH.fullmatch(path) is not None


def folders_above(path: str) -> Iterator[str]:
    """Every folder of the tree above a path, innermost first."""
    end = path.rfind("/")
    while end > 0:
        yield path[:end]
        end = path.rfind("/", 0, end)


class PathStatus(NamedTuple):
    """File or folder at a path of the tree.

    Attributes:
        kind: One of ``ABSENT``, ``FILE``, ``SYMLINK``, ``FOLDER``, ``OTHER``.
        digest: Digest of a regular file, ``LARGE`` beyond what fabricgen writes; otherwise the kind. No digest
            equals either.
        stamp: Tells whether the entry was touched since.
    """

    kind: str
    digest: str
    mode: int
    stamp: Stamp


class FileRecord(NamedTuple):
    """One output file that was put: what it shall be, and what was found in its place."""

    shard: str
    path: str
    digest: str
    size: int
    mode: int
    found: PathStatus


NOTHING = PathStatus(ABSENT, ABSENT, 0, ())


def stamp_of(status: os.stat_result | None) -> Stamp:
    """Reduce a status to what tells one state of a directory entry from another."""
    return (status.st_ino, status.st_size, status.st_mtime_ns, status.st_mode) if status else ()


def find(fs: Filesystem, path: str, expected: bytes = b"", expected_digest: str = "") -> PathStatus:
    """Look at a path without following a link; comparing with likely bytes costs less than a second digest."""
    status = status_or_none(fs, path)
    if status is None:
        return NOTHING
    if stat.S_ISLNK(status.st_mode):
        return PathStatus(SYMLINK, SYMLINK, 0, stamp_of(status))
    if stat.S_ISDIR(status.st_mode):
        return PathStatus(FOLDER, FOLDER, 0, stamp_of(status))
    if not stat.S_ISREG(status.st_mode):
        return PathStatus(OTHER, OTHER, 0, stamp_of(status))
    if status.st_size > MAX_FILE_BYTES:
        digest = LARGE
    elif not expected_digest or status.st_size != len(expected):
        digest = digest_file(fs, path)
    else:
        content = read_file(fs, path)
        digest = expected_digest if content == expected else digest_bytes(content)
    return PathStatus(FILE, digest, stat.S_IMODE(status.st_mode), stamp_of(status))


class Stager:
    """Compares one file with the tree and stages it if it differs; small, picklable, holds no lock."""

    __slots__ = ("_folders", "_fs", "_root", "_scratch")

    def __init__(self, fs: Filesystem, root: str, scratch: str | None) -> None:
        """Compare files in a tree, or in the sibling that becomes one, and stage them in ``scratch``.

        That is the root itself if files go straight to their place, because nothing is there; None writes nothing.
        """
        self._fs = fs
        self._root = root
        self._scratch = scratch
        self._folders: set[str] = set()

    def __reduce__(self) -> tuple[type[Stager], tuple[Filesystem, str, str | None]]:
        """Travel without the cache of created folders."""
        return Stager, (self._fs, self._root, self._scratch)

    def put(self, shard: str, path: str, data: bytes, bag: Bag, *, mode: int = 0o644) -> FileRecord | None:
        """Stage one output of a device, and return its record for ``Transaction.add``; None if path or system refused.

        The path is relative to the tree; ``shard``, a plain file name, is that of the manifest it is listed in.
        """
        reason = refuse_path(path)
        if reason is not None:
            bag.add(BAD_PATH, f"output path {path!r} is refused: {reason}")
            return None
        if shard_path(shard) is None:
            bag.add(BAD_PATH, f"manifest shard {shard!r} is refused: it is not a plain file name")
            return None
        try:
            return self.stage(shard, path, data, mode)
        except FileExistsError:
            bag.add(DUPLICATE_PATH, f"output path {path!r} is rendered twice")
        except OSError as error:
            if error.errno in OUT_OF_SPACE:
                # The same for every file that is left: said once, with their number.
                report_os_error(bag, OSError(error.errno, error.strerror), "cannot stage the tree's files")
            else:
                report_os_error(bag, error, f"cannot stage {path!r}")
        return None

    def stage(self, shard: str, path: str, data: bytes, mode: int) -> FileRecord:
        """Stage a file whose path is known to be good; raises OSError."""
        digest = digest_bytes(data)
        if self._scratch == self._root:
            found = NOTHING
            self._make_folder(path)
            create_file(self._fs, f"{self._root}/{path}", data, mode)
        else:
            found = find(self._fs, f"{self._root}/{path}", data, digest)
            if self._scratch is not None and found.digest != digest:
                create_file(self._fs, staged_path(self._scratch, path), data, mode)
        return FileRecord(shard, path, digest, len(data), mode, found)

    def _make_folder(self, path: str) -> None:
        folder = path.rpartition("/")[0]
        if folder and folder not in self._folders:
            make_folders(self._fs, f"{self._root}/{folder}", self._root)
            self._folders.add(folder)


def staged_path(scratch: str, path: str) -> str:
    """Return the place of a file in the staging folder: flat, for any depth of path, and computed from its path."""
    return f"{scratch}/{digest_bytes(path.encode())[:40]}"


def kept_path(scratch: str, path: str) -> str:
    """Return the place where the old file of a path is kept until the commit is over."""
    return f"{staged_path(scratch, path)}.old"
