"""Relative paths that may lie in an output tree."""

from __future__ import annotations

import re
from collections.abc import Iterator

MANIFEST_FOLDER = "manifest"
HEADER_PATH = f"{MANIFEST_FOLDER}/header.json"
_SHARD_PATH = re.compile(rf"{MANIFEST_FOLDER}/([A-Za-z0-9_][A-Za-z0-9._-]{{0,199}})\.txt")
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\\\u200b-\u200f\u2028-\u202e\u2060-\u2064\ud800-\udfff\ufeff]")
_SEGMENT_MAX_BYTES = 255


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
