"""Git revisions of files and folders, ``REV:PATH``, to files on disk; nothing of the work tree is touched."""

from __future__ import annotations

import io
import subprocess
import tarfile
from pathlib import Path

from fabricgen.collect.codes import NO_REVISION
from fabricgen.diagnostics import Bag

_SECONDS = 300


def split_revision(side: str) -> tuple[str, str] | None:
    """(revision, path) of a side that is written like one; None if it is not."""
    revision, colon, path = side.partition(":")
    if not colon or not revision or revision.startswith("-") or ("/" in revision and Path(side).exists()):
        return None
    return revision, path or "."


def extract_revision(base: Path, revision: str, path: str, into: Path, bag: Bag) -> Path | None:
    """Write what a path was at a revision into a folder.

    Args:
        base: Folder inside the repository; the path is relative to it.
        revision: What git calls a tree-ish.
        path: A file or a folder at that revision.
        into: An empty folder.
        bag: Takes a diagnostic if git refuses.

    Returns:
        The file or folder; None with a diagnostic.
    """
    shown = f"{revision}:./{path}" if not path.startswith("/") else f"{revision}:{path}"
    shown = f"{revision}:./" if path in (".", "./") else shown
    kind = _git(base, "cat-file", "-t", shown)
    if isinstance(kind, str):
        bag.add(NO_REVISION, f"{revision}:{path} cannot be read: {kind}", hint=NO_REVISION.fix)
        return None
    target = into / Path(path).name if path not in (".", "./") else into / "root"
    if kind.strip() == b"blob":
        data = _git(base, "cat-file", "blob", shown)
        if isinstance(data, bytes):
            target.write_bytes(data)
            return target
    archive = _git(base, "archive", "--format=tar", f"{_tree(base, shown)}")
    if isinstance(archive, str):
        bag.add(NO_REVISION, f"{revision}:{path} cannot be read: {archive}", hint=NO_REVISION.fix)
        return None
    target.mkdir()
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        tar.extractall(target, filter="data")
    return target


def _tree(base: Path, shown: str) -> str:
    """The object a path stands for; git archive wants it without a path."""
    found = _git(base, "rev-parse", shown)
    return found.decode().strip() if isinstance(found, bytes) else shown


def _git(base: Path, *words: str) -> bytes | str:
    """What a git command prints, or why it failed."""
    try:
        done = subprocess.run(["git", "-C", str(base), *words], capture_output=True, check=False, timeout=_SECONDS)  # noqa: S603, S607 - no shell; revisions cannot begin with a dash
    except (OSError, subprocess.SubprocessError) as error:
        return str(error)
    if done.returncode:
        return (done.stderr.decode(errors="replace").strip().splitlines() or ["git failed"])[0]
    return done.stdout
