"""A new folder, written whole or not at all: built beside its place and renamed once."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from fabricgen.diagnostics import Bag, Code
from fabricgen.render.tree.durability import Durability
from fabricgen.render.tree.filesystem import (
    READ_FLAGS,
    Filesystem,
    create_file,
    make_folders,
    remove_all,
    report_os_error,
    status_or_none,
)
from fabricgen.render.tree.stager import folders_above

_TAKEN = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR})


def write_new_folder(
    out: Path,
    files: Mapping[str, bytes],
    bag: Bag,
    taken: Code,
    *,
    mode: int = 0o700,
    filesystem: Filesystem | None = None,
) -> bool:
    """Write files by path into a new or empty folder; a link to it is followed. ``taken`` reports a full one.

    Folders have the permission bits ``mode``, files all of them but those to execute. Return whether the folder is
    there, complete; if not, what was there before is unchanged, be it nothing.
    """
    fs = filesystem or Filesystem()
    try:
        root = fs.real_path(str(out))
        if reason := _find_taken(fs, root) or _write(fs, root, files, mode):
            bag.add(taken, f"{out} {reason}")
    except OSError as error:
        report_os_error(bag, error, f"cannot write {out}")
        return False
    return not reason


def is_free(out: Path, bag: Bag, taken: Code) -> bool:
    """Return whether a folder can be written anew; a diagnostic if it cannot, before work is spent on it."""
    fs = Filesystem()
    try:
        reason = _find_taken(fs, fs.real_path(str(out)))
    except OSError as error:
        report_os_error(bag, error, f"cannot write {out}")
        return False
    if reason:
        bag.add(taken, f"{out} {reason}")
    return not reason


def _find_taken(fs: Filesystem, root: str) -> str:
    status = status_or_none(fs, root)
    if status is None:
        return ""
    if not stat.S_ISDIR(status.st_mode):
        return "is not a folder"
    return "is not empty" if fs.names(root) else ""


def _write(fs: Filesystem, root: str, files: Mapping[str, bytes], mode: int) -> str:
    """Write the folder; return why it cannot have its place, empty if it has."""
    parent, name = os.path.split(root)
    prefix = f".{name}.fabricgen-new."
    disk = Durability(fs, root)
    build, lock = f"{parent}/{prefix}{fs.process()}", -1
    try:
        made = make_folders(fs, parent)
        _sweep(fs, parent, prefix)
        fs.make_folder(build, mode)
        lock = fs.open(build, READ_FLAGS)
        fs.lock(lock)
        disk.keep(_fill(fs, build, files, mode))
        try:
            fs.rename(build, root)
        except OSError as error:
            if error.errno not in _TAKEN:
                raise
            return "is not empty"
        disk.keep([parent, *(os.path.dirname(folder) for folder in made)])
        return ""
    finally:
        with suppress(OSError):
            remove_all(fs, build)
        if lock >= 0:
            fs.close(lock)
        disk.close()


def _fill(fs: Filesystem, build: str, files: Mapping[str, bytes], mode: int) -> set[str]:
    """Write the files, and return every path to be made durable."""
    folders = dict.fromkeys(folder for path in sorted(files) for folder in reversed(list(folders_above(path))))
    for folder in sorted(folders):
        fs.make_folder(f"{build}/{folder}", mode)
    for path, data in files.items():
        create_file(fs, f"{build}/{path}", data, mode & 0o666)
    return {build, *(f"{build}/{path}" for path in (*folders, *files))}


def _sweep(fs: Filesystem, parent: str, prefix: str) -> None:
    """Remove what dead processes left; one that lives holds a lock on what it builds."""
    for name in fs.names(parent):
        if not name.startswith(prefix):
            continue
        path = f"{parent}/{name}"
        status = status_or_none(fs, path)
        if status is None or not stat.S_ISDIR(status.st_mode):
            continue
        fd = fs.open(path, READ_FLAGS)
        try:
            fs.lock(fd)
            remove_all(fs, path)
        except BlockingIOError:
            continue
        finally:
            fs.close(fd)
