"""Making files and folders survive a power loss, with a number of flushes that does not grow with the tree.

`syncfs` writes a whole file system in one go, where each `fsync` waits for a flush of the device of its own. It counts
only if it reports a write that failed: since Linux 5.8 it does so on a descriptor that was opened before the write. So
one descriptor is opened before the first byte, and every flush of a commit goes through it.

Where it does not report that - older kernels, other systems, and file systems that hand their writes to another one
(`Filesystem.reports_failed_writes`) - every path is synced by itself after it, which reports per file.

Source:
    syncfs(2), section "Versions"; Linux fs/sync.c, ``errseq_check_and_advance(&sb->s_wb_err, &f.file->f_sb_err)``.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from contextlib import suppress

from fabricgen.render.tree.filesystem import READ_FLAGS, Filesystem, create_file, status_or_none

FEW_PATHS = 8
"""Up to so many paths are synced one by one: others' writes on the file system then need not be waited for."""


class Durability:
    """One descriptor on a file system, opened before anything is written to it."""

    __slots__ = ("_fd", "_fs", "_reports")

    def __init__(self, fs: Filesystem, path: str) -> None:
        """Open the nearest folder of an absolute path that exists, of the tree that will be written; raises OSError."""
        while status_or_none(fs, path) is None and path != os.path.dirname(path):
            path = os.path.dirname(path)
        self._fs = fs
        self._fd = fs.open(path, READ_FLAGS)
        self._reports = False
        try:
            self._reports = fs.reports_failed_writes(self._fd)
        except OSError:
            self.close()
            raise

    def keep(self, paths: Collection[str]) -> None:
        """Make files and folders survive a power loss; the ones that are gone are passed over. Raises OSError."""
        few = len(paths) <= FEW_PATHS
        if not few:
            self._fs.sync_filesystem(self._fd)
        if few or not self._reports:
            for path in sorted(paths):
                _sync(self._fs, path)

    def close(self) -> None:
        """Let go of the file system; a second call does nothing."""
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            self._fs.close(fd)


def replace_file(fs: Filesystem, path: str, data: bytes) -> None:
    """Write one file anew: it has the old bytes or the new ones, whatever happens meanwhile, and keeps its mode."""
    status, draft = status_or_none(fs, path), f"{path}.fabricgen-new.{fs.process()}"
    try:
        create_file(fs, draft, data, stat.S_IMODE(status.st_mode) if status else 0o644)
        _sync(fs, draft)
        fs.rename(draft, path)
        _sync(fs, os.path.dirname(path))
    except OSError:
        with suppress(OSError):
            fs.remove(draft)
        raise


def _sync(fs: Filesystem, path: str) -> None:
    """Sync one file or folder."""
    try:
        fd = fs.open(path, READ_FLAGS)
        try:
            fs.sync(fd)
        finally:
            fs.close(fd)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        error.filename = path
        raise
