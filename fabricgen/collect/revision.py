"""Git revisions of files and folders, ``REV:PATH``, to files on disk; nothing of the work tree is touched.

Whatever a tree holds stays inside the folder it is written to: links are written only where they lead to a file or
folder of the same tree, names that no file can have are reported, and content that several files share is written once.
Neither attributes nor filters of the repository have a say, so nothing is left out or rewritten, and nothing is run.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from fabricgen.collect import git
from fabricgen.collect.collect_codes import NO_REVISION
from fabricgen.collect.folder import SIZE_MAX_BYTES
from fabricgen.collect.git import GitEntry, GitError
from fabricgen.diagnostics import Bag, Place
from fabricgen.diagnostics.file_codes import NOT_READ

_NAME_MAX = 4096
_DEPTH_MAX = 64
_HOPS_MAX = 40
_LINK_MAX_BYTES = 4096
_NOWHERE = "/dev/null/leads-out-of-the-revision"
"""Target of links that leave their tree: no file can have this path."""
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
    """Write what a path was at a revision into a folder.

    Args:
        base: Folder inside the repository; the path is relative to it.
        revision: What git calls a tree-ish.
        path: A file or a folder at that revision.
        into: An empty folder.
        bag: Takes a diagnostic if git refuses, and one for each file that cannot be written.

    Returns:
        The file or folder; None with a diagnostic.
    """
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
    needed = sum({entry.digest: entry.size or 0 for entry in entries if (entry.size or 0) <= SIZE_MAX_BYTES}.values())
    free = shutil.disk_usage(folder).free
    if needed > free // 2:
        raise GitError(f"its files have {needed:,} bytes, and {folder.parent} has room for {free // 2:,}")


def _write_all(base: Path, entries: Sequence[GitEntry], folder: Path, side: str, bag: Bag) -> None:
    """Write files, then links, so that no file is written through a link; what cannot be written is reported."""
    same: dict[str, list[GitEntry]] = {}
    for entry in entries:
        fault = "" if entry.mode == git.MODULE else _fault(entry)
        if fault:
            _tell(entry, fault, side, bag)
        elif entry.mode != git.MODULE:
            same.setdefault(entry.digest, []).append(entry)
    links: dict[str, str] = {}
    for digest, content in _contents(base, [some[0] for some in same.values()]):
        for entry in same[digest]:
            if content is None:
                _tell(entry, "the repository does not have its content", side, bag)
            elif entry.mode == git.LINK and isinstance(content, bytes):
                links[entry.path] = os.fsdecode(content)
        files = [entry for entry in same[digest] if entry.mode != git.LINK]
        if content is not None:
            _write_files(files, content, folder, side, bag)
    _write_links(links, {entry.path for entry in entries}, folder, side, bag)


def _fault(entry: GitEntry) -> str:
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
    return ""


def _contents(base: Path, entries: Sequence[GitEntry]) -> Iterator[tuple[str, bytes | int | None]]:
    """Digest and content of entries; of those that are too large to be read, the size."""
    yield from ((entry.digest, entry.size) for entry in entries if (entry.size or 0) > SIZE_MAX_BYTES)
    yield from git.read_objects(
        base, [(entry.digest, entry.size or 0) for entry in entries if (entry.size or 0) <= SIZE_MAX_BYTES]
    )


def _write_files(entries: Sequence[GitEntry], content: bytes | int, folder: Path, side: str, bag: Bag) -> None:
    """Write one content under every path that has it."""
    written: Path | None = None
    for entry in entries:
        path = folder / entry.path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if written is not None:
                _share(written, path)
                continue
            with path.open("xb") as stream:
                if isinstance(content, bytes):
                    stream.write(content)
                else:
                    stream.truncate(content)
            written = path
        except (OSError, ValueError) as error:
            _tell(entry, getattr(error, "strerror", None) or str(error), side, bag)


def _share(written: Path, path: Path) -> None:
    """Give a file another path; a copy where the file system allows no more links to it."""
    try:
        path.hardlink_to(written)
    except FileExistsError:
        raise
    except OSError:
        shutil.copyfile(written, path)


def _write_links(links: Mapping[str, str], paths: set[str], folder: Path, side: str, bag: Bag) -> None:
    """Write links to what they lead to in the end, and to nowhere if that is not in the tree."""
    for path in paths.copy():
        while path := path.rpartition("/")[0]:
            if path in paths:
                break
            paths.add(path)
    for path, target in links.items():
        parent = path.rpartition("/")[0]
        end = _resolve(f"{parent}/{target}" if parent else target, links) if target[:1] not in ("", "/") else None
        link = folder / path
        try:
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(os.path.relpath(end, parent or ".") if end in paths else _NOWHERE)
        except (OSError, ValueError) as error:
            _tell(GitEntry(path, git.LINK, "", 0), getattr(error, "strerror", None) or str(error), side, bag)


def _resolve(path: str, links: Mapping[str, str]) -> str | None:
    """The path without links that a path stands for; None if it leaves the tree or goes in a circle."""
    done: list[str] = []
    ahead = path.split("/")[::-1]
    hops = 0
    while ahead:
        part = ahead.pop()
        if part == ".." and not done:
            return None
        if part == "..":
            done.pop()
        if part in ("", ".", ".."):
            continue
        done.append(part)
        target = links.get("/".join(done))
        if target is None:
            continue
        hops += 1
        if hops > _HOPS_MAX or target[:1] in ("", "/"):
            return None
        done.pop()
        ahead += target.split("/")[::-1]
    return "/".join(done)


def _tell(entry: GitEntry, message: str, side: str, bag: Bag) -> None:
    place = Place(f"{side}/{entry.path}", 1, 1)
    bag.add(NOT_READ, f"{entry.path}: cannot be read: {message}", place=place)
