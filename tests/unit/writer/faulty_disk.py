"""A disk that can fail, kill the process or lose power at any single system call."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fabricgen.render.tree.filesystem import Filesystem


class CrashError(BaseException):
    """The process is dead: nothing that catches it can touch the disk any more."""


class FaultyDisk(Filesystem):
    """Counts system calls and lets one of them go wrong.

    Args:
        at: Index of the call that goes wrong; None to only count.
        error: Error number that the call reports; None to die before it.
        grave: Folder outside the tree that keeps what a power loss brings back. With it, death
            loses everything that was not synced: a file's bytes until its own fsync, and a
            directory entry until an fsync of the folder it lies in.
        reports: ``syncfs`` makes everything durable and reports failed writes, as Linux does since 5.8.
            Otherwise it counts for nothing.
        bad_write: Index among all writes of one that seems to succeed and never reaches the disk. ``syncfs``
            reports it on a descriptor that was opened before, ``fsync`` on one of that file.
    """

    def __init__(
        self,
        at: int | None = None,
        *,
        error: int | None = None,
        grave: Path | None = None,
        reports: bool = True,
        bad_write: int | None = None,
    ) -> None:
        self.calls: list[str] = []
        self._at = at
        self._error = error
        self._grave = grave
        self._dead = False
        self._open: dict[int, str] = {}
        self._dirty: dict[int, int] = {}
        self._undo: list[tuple[int, Callable[[], None]]] = []
        self._kept: list[int] = []
        self._graves = 0
        self._halved: set[int] = set()
        self._reports = reports
        self._bad_write = bad_write
        self._writes = 0
        self._bad_file: int | None = None
        self._told: set[int] = set()

    def _tick(self, name: str) -> None:
        if self._dead:
            raise CrashError
        self.calls.append(name)
        if self._at == len(self.calls) - 1:
            if self._error is not None:
                raise OSError(self._error, os.strerror(self._error))
            self._dead = True
            raise CrashError

    def die(self) -> None:
        """Act as the kernel does for a dead process, and as a power loss does to its disk."""
        self._dead = True
        for fd in self._open:
            os.close(fd)
        self._open.clear()
        if self._grave is not None:
            for _, undo in reversed(self._undo):
                undo()
            for fd in self._dirty.values():
                os.ftruncate(fd, 0)
        for fd in [*self._dirty.values(), *self._kept]:
            os.close(fd)
        self._dirty, self._kept, self._undo = {}, [], []

    def _folder(self, path: str) -> tuple[int, int]:
        """Descriptor and inode of the folder of a path: both survive a rename of the folder."""
        fd = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY)
        self._kept.append(fd)
        return fd, os.fstat(fd).st_ino

    def _new_grave(self) -> str:
        assert self._grave is not None
        self._graves += 1
        return str(self._grave / str(self._graves))

    def _bury(self, folder: int, name: str) -> None:
        os.rename(name, self._new_grave(), src_dir_fd=folder)

    def open(self, path: str, flags: int, mode: int = 0o666) -> int:
        self._tick(f"open {path}")
        created = flags & os.O_CREAT and not os.path.lexists(path)
        fd = os.open(path, flags, mode)
        self._open[fd] = path
        if self._bad_file is not None:
            self._told.add(fd)
        if self._grave is not None and created:
            folder, inode = self._folder(path)
            name = os.path.basename(path)
            self._undo.append((inode, lambda: self._bury(folder, name)))
        return fd

    def read(self, fd: int, size: int) -> bytes:
        self._tick("read")
        return os.read(fd, size)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        self._tick("write")
        if self._grave is not None:
            self._dirty.setdefault(os.fstat(fd).st_ino, os.dup(fd))
        if self._writes == self._bad_write:
            self._bad_file = os.fstat(fd).st_ino
        self._writes += 1
        # Half of it at first: a caller that ignores short writes loses bytes here.
        half = data[: -(-len(data) // 2)] if fd not in self._halved else data
        self._halved.add(fd)
        return os.write(fd, half)

    def truncate(self, fd: int) -> None:
        self._tick("truncate")
        os.ftruncate(fd, 0)

    def chmod(self, fd: int, mode: int) -> None:
        self._tick("chmod")
        os.fchmod(fd, mode)

    def sync(self, fd: int) -> None:
        self._tick("sync")
        inode = os.fstat(fd).st_ino
        if inode == self._bad_file:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        if inode in self._dirty:
            os.close(self._dirty.pop(inode))
        self._undo = [(folder, undo) for folder, undo in self._undo if folder != inode]

    def sync_filesystem(self, fd: int) -> None:
        self._tick("sync_filesystem")
        if not self._reports:
            return
        if self._bad_file is not None and fd not in self._told:
            self._told.add(fd)
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        for kept in self._dirty.values():
            os.close(kept)
        self._dirty, self._undo = {}, []

    def reports_failed_writes(self, fd: int) -> bool:
        self._tick("reports_failed_writes")
        return self._reports

    @property
    def flushes(self) -> int:
        """Return how often the device was flushed."""
        return sum(call.startswith("sync") for call in self.calls)

    def close(self, fd: int) -> None:
        self._tick("close")
        del self._open[fd]
        self._halved.discard(fd)
        self._told.discard(fd)
        os.close(fd)

    def lock(self, fd: int, *, shared: bool = False) -> None:
        self._tick("lock")
        super().lock(fd, shared=shared)

    def status_of(self, fd: int) -> os.stat_result:
        self._tick("status_of")
        return os.fstat(fd)

    def status(self, path: str) -> os.stat_result:
        self._tick(f"status {path}")
        return os.lstat(path)

    def space(self, path: str) -> os.statvfs_result:
        self._tick("space")
        return os.statvfs(path)

    def names(self, folder: str) -> list[str]:
        self._tick("names")
        return super().names(folder)

    def make_folder(self, path: str, mode: int = 0o777) -> None:
        self._tick(f"make_folder {path}")
        os.mkdir(path, mode)
        if self._grave is not None:
            folder, inode = self._folder(path)
            self._undo.append((inode, lambda: self._bury(folder, os.path.basename(path))))

    def remove_folder(self, path: str) -> None:
        self._tick(f"remove_folder {path}")
        if self._grave is None or os.listdir(path):
            os.rmdir(path)
        else:
            self._remove(path)

    def remove(self, path: str) -> None:
        self._tick(f"remove {path}")
        if self._grave is None:
            os.unlink(path)
        else:
            self._remove(path)

    def _remove(self, path: str) -> None:
        folder, inode = self._folder(path)
        kept = self._new_grave()
        os.rename(path, kept)
        self._undo.append((inode, lambda: os.rename(kept, os.path.basename(path), dst_dir_fd=folder)))

    def rename(self, source: str, target: str) -> None:
        self._tick(f"rename {target}")
        if self._grave is None:
            os.replace(source, target)
            return
        old, (home, _), (folder, inode) = None, self._folder(source), self._folder(target)
        if os.path.isfile(target):
            old = self._new_grave()
            os.link(target, old, follow_symlinks=False)
        os.replace(source, target)
        names = os.path.basename(source), os.path.basename(target)

        def undo() -> None:
            os.rename(names[1], names[0], src_dir_fd=folder, dst_dir_fd=home)
            if old is not None:
                os.rename(old, names[1], dst_dir_fd=folder)

        self._undo.append((inode, undo))

    def link(self, source: str, target: str) -> None:
        self._tick(f"link {target}")
        super().link(source, target)
        if self._grave is not None:
            folder, inode = self._folder(target)
            self._undo.append((inode, lambda: self._bury(folder, os.path.basename(target))))

    def real_path(self, path: str) -> str:
        self._tick("real_path")
        return os.path.realpath(path)


def run_until_death(disk: FaultyDisk, action: Callable[[FaultyDisk], Any]) -> Any:
    """Run an action; None if it died on the way. The disk is dead afterwards in any case."""
    try:
        with contextlib.suppress(CrashError):
            return action(disk)
    finally:
        disk.die()
    return None


def snapshot(root: Path) -> dict[str, tuple[str, int, bytes]]:
    """Everything below a folder: kind, mode and bytes of each entry; no link is followed."""
    found: dict[str, tuple[str, int, bytes]] = {}
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = Path(folder, name)
            mode = path.lstat().st_mode & 0o7777
            key = path.relative_to(root).as_posix()
            if path.is_symlink():
                found[key] = ("link", 0, os.readlink(path).encode())
            elif path.is_dir():
                found[key] = ("folder", mode, b"")
            elif path.is_file():
                found[key] = ("file", mode, path.read_bytes())
            else:
                found[key] = ("other", mode, b"")
    return found
