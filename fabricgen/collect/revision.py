"""Git revisions of files and folders, ``REV:PATH``, to files on disk; nothing of the work tree is touched.

Whatever a tree holds is written inside one folder, and names that no file can have are reported. Links are written as
they are: what reads the folder follows none out of it. Neither attributes nor filters of the repository have a say, so
nothing is left out or rewritten, and nothing is run.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path

from fabricgen.collect import git
from fabricgen.collect.collect_codes import NO_REVISION
from fabricgen.collect.folder import SIZE_MAX_BYTES
from fabricgen.collect.git import GitEntry, GitError
from fabricgen.diagnostics import Bag, Place
from fabricgen.diagnostics.file_codes import NOT_READ

_NAME_MAX = 4096
_DEPTH_MAX = 64
_LINK_MAX_BYTES = 4096
_WHOLE = (".", "./")


def split_revision(side: str) -> tuple[str, str] | None:
    """(revision, path) of a side that is written like one; None if it is not."""
    revision, colon, path = side.partition(":")
    if not colon or not revision or revision.startswith("-"):
        return None
    return revision, path or "."


def is_absent(base: Path, revision: str, path: str) -> bool:
    """Return whether a git revision exists and has nothing at a path, such as before an inventory was added."""
    if any(sign < " " for sign in revision + path) or len(revision) + len(path) > _NAME_MAX:
        return False
    try:
        git.find_object(base, f"{revision}^{{tree}}")
    except (GitError, OSError):
        return False
    return not git.has_path(base, _spell(base, revision, path))


def extract_revision(base: Path, revision: str, path: str, into: Path, bag: Bag) -> Path | None:
    """Write the file or folder that a path was at a revision into an empty folder; None with diagnostics."""
    side = f"{revision}:{path}"
    if len(side) > _NAME_MAX or side.startswith("-") or any(sign < " " for sign in side):
        bag.add(NO_REVISION, f"{side[:60]!r} … is no revision: too long, or with characters that none has")
        return None
    name = path.rstrip("/").rpartition("/")[2]
    target = into / (name if name not in ("", ".", "..") and len(os.fsencode(name)) < 256 else "root")
    try:
        found = git.find_object(base, _spell(base, revision, path))
        if found.kind == "blob":
            _write_all(base, [GitEntry(target.name, git.FILE, found.digest, found.size)], into, side, bag)
            return target if target.exists() else None
        entries = git.list_tree(base, found.digest)
        target.mkdir()
        _check_room(entries, target)
        _write_all(base, entries, target, side, bag)
    except (GitError, OSError) as error:
        reason = getattr(error, "strerror", None) or error
        bag.add(NO_REVISION, f"{side} cannot be read: {str(reason).removesuffix('.')}")
        return None
    return target


def _spell(base: Path, revision: str, path: str) -> str:
    """A name as git reads it from a folder inside the repository."""
    if git.is_bare(base):
        return f"{revision}:{'' if path in _WHOLE else path.removeprefix('./')}"
    return f"{revision}:./" if path in _WHOLE else f"{revision}:{path}" if path[0] == "/" else f"{revision}:./{path}"


def _check_room(entries: Sequence[GitEntry], folder: Path) -> None:
    """Refuse a tree whose content the disk has no room for."""
    needed = sum(entry.size or 0 for entry in entries if (entry.size or 0) <= SIZE_MAX_BYTES)
    free = shutil.disk_usage(folder).free
    if needed > free // 2:
        raise GitError(f"its files have {needed:,} bytes, and {folder.parent} has room for {free // 2:,}")


def _write_all(base: Path, entries: Sequence[GitEntry], folder: Path, side: str, bag: Bag) -> None:
    """Write files, then links, so that no file is written through a link; what cannot be written is reported."""
    links = {entry.path for entry in entries if entry.mode == git.LINK}
    wanted: list[GitEntry] = []
    for entry in sorted(entries, key=lambda entry: entry.mode == git.LINK):
        fault = "" if entry.mode == git.MODULE else _fault(entry, links)
        if fault:
            _tell(entry, fault, side, bag)
        elif entry.mode != git.MODULE:
            wanted.append(entry)
    contents = git.read_objects(base, [entry.digest for entry in wanted if (entry.size or 0) <= SIZE_MAX_BYTES])
    for entry in wanted:
        content = next(contents) if (entry.size or 0) <= SIZE_MAX_BYTES else None
        try:
            _write(folder / entry.path, entry, content)
        except (OSError, ValueError) as error:
            _tell(entry, getattr(error, "strerror", None) or str(error), side, bag)


def _write(path: Path, entry: GitEntry, content: bytes | None) -> None:
    """Write a link, or a file; of one that is too large to be read only the size."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if content is not None and entry.mode == git.LINK:
        path.symlink_to(os.fsdecode(content))
        return
    with path.open("xb") as stream:
        if content is None:
            stream.truncate(entry.size)
        else:
            stream.write(content)


def _fault(entry: GitEntry, links: set[str]) -> str:
    """Return what keeps an entry from being written; empty if nothing does."""
    parts = entry.path.split("/")
    if not {"", ".", ".."}.isdisjoint(parts):
        return "its path leads out of the revision"
    if len(parts) > _DEPTH_MAX or len(entry.path) > _NAME_MAX // 2:
        return "its path is too long"
    if entry.size is None:
        return "the repository does not have its content"
    if entry.mode == git.LINK and entry.size > _LINK_MAX_BYTES:
        return "it is a link with a path that is too long"
    above = accumulate(parts[:-1], lambda path, part: f"{path}/{part}")
    return "its path leads through a link" if entry.mode == git.LINK and not links.isdisjoint(above) else ""


def _tell(entry: GitEntry, message: str, side: str, bag: Bag) -> None:
    place = Place(f"{side}/{entry.path}", 1, 1)
    bag.add(NOT_READ, f"{entry.path}: cannot be read: {message}", place=place)
