"""The only door to the disk: one method per system call, and the few sequences of them the writer needs."""

from __future__ import annotations

import ctypes
import errno
import fcntl
import functools
import hashlib
import os
import re
import stat
from collections.abc import Iterator

from fabricgen.diagnostics import Bag
from fabricgen.render.render_codes import NO_SPACE, OS_REFUSED

_CHUNK_BYTES = 1 << 16
MAX_FILE_BYTES = 1 << 28
"""No file of a tree is larger: a manifest of 131,072 GPUs has some megabytes."""
# Non-blocking, because a foreign FIFO in the place of a file must not stop the command.
READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
OUT_OF_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})
_STILL_NEEDED = frozenset({errno.ENOTEMPTY, errno.EEXIST, errno.EBUSY, errno.ENOTDIR})


_SYNCFS_REPORTS_SINCE = (5, 8)
_HANDS_ON = frozenset({0x794C7630, 0x65735546, 0x01021997, 0x0000F15F})
"""File systems that hand writes to another one: overlayfs, FUSE and virtiofs, 9P, eCryptfs."""
_STATFS_LONGS = 64
"""Longer than any ``struct statfs``, whose first word is the type."""


def _is_linux_with_errors(system: os.uname_result) -> bool:
    """Return whether a kernel's ``syncfs`` reports failed writes at all."""
    release = re.match(r"(\d+)\.(\d+)", system.release)
    return (
        system.sysname == "Linux"
        and release is not None
        and ((int(release[1]), int(release[2])) >= _SYNCFS_REPORTS_SINCE)
    )


@functools.cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


class Filesystem:
    """System calls, one method each, so that a test can fail or kill any single one of them.

    It holds no state, so it travels to worker processes inside a ``Stager``.
    """

    __slots__ = ()

    def open(self, path: str, flags: int, mode: int = 0o666) -> int:
        """``open(2)``, never inherited by a child process."""
        return os.open(path, flags, mode)

    def read(self, fd: int, size: int) -> bytes:
        """``read(2)``."""
        return os.read(fd, size)

    def write(self, fd: int, data: bytes | memoryview) -> int:
        """``write(2)``; may write less than asked."""
        return os.write(fd, data)

    def truncate(self, fd: int) -> None:
        """``ftruncate(2)`` to nothing."""
        os.ftruncate(fd, 0)

    def chmod(self, fd: int, mode: int) -> None:
        """``fchmod(2)``: on a descriptor, so that no symlink can be followed."""
        os.fchmod(fd, mode)

    def sync(self, fd: int) -> None:
        """``fsync(2)``."""
        os.fsync(fd)

    def sync_filesystem(self, fd: int) -> None:
        """``syncfs(2)``; does nothing where the system has no such call."""
        call = getattr(_libc(), "syncfs", None)
        if call is not None and call(fd) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))

    def reports_failed_writes(self, fd: int) -> bool:
        """Return whether ``syncfs(2)`` reports a write that failed since a descriptor was opened.

        Linux does since 5.8, but for file systems that hand their writes to another one: overlayfs looks at its own
        errors only, and a FUSE or 9P server is not asked to write anything down.

        Source:
            syncfs(2), section "Versions"; magic numbers: linux/magic.h. Linux fs/overlayfs/super.c (ovl_sync_fs), and
            on linux-unionfs "overlayfs: Report writeback errors on upper", 2020-12; fs/fuse/inode.c (fuse_sync_fs).
        """
        call = getattr(_libc(), "fstatfs", None)
        if call is None or not hasattr(os, "uname") or not _is_linux_with_errors(os.uname()):
            return False
        status = (ctypes.c_long * _STATFS_LONGS)()
        if call(fd, status) != 0:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number))
        return status[0] & 0xFFFFFFFF not in _HANDS_ON

    def close(self, fd: int) -> None:
        """``close(2)``."""
        os.close(fd)

    def lock(self, fd: int, *, shared: bool = False) -> None:
        """``flock(2)``, never waiting: raises BlockingIOError if another process holds it."""
        fcntl.flock(fd, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)

    def status_of(self, fd: int) -> os.stat_result:
        """``fstat(2)``."""
        return os.fstat(fd)

    def status(self, path: str) -> os.stat_result:
        """``lstat(2)``."""
        return os.lstat(path)

    def space(self, path: str) -> os.statvfs_result:
        """``statvfs(3)``."""
        return os.statvfs(path)

    def names(self, folder: str) -> list[str]:
        """Sorted names in a folder."""
        return sorted(os.listdir(folder))

    def make_folder(self, path: str, mode: int = 0o777) -> None:
        """``mkdir(2)``."""
        os.mkdir(path, mode)

    def remove_folder(self, path: str) -> None:
        """``rmdir(2)``."""
        os.rmdir(path)

    def remove(self, path: str) -> None:
        """``unlink(2)``."""
        os.unlink(path)

    def rename(self, source: str, target: str) -> None:
        """``rename(2)``: atomic, replaces the target."""
        os.replace(source, target)

    def link(self, source: str, target: str) -> None:
        """``linkat(2)``: a second name for the entry itself, be it a symlink."""
        os.link(source, target, follow_symlinks=False)

    def real_path(self, path: str) -> str:
        """The path with every symlink resolved; its last parts may be absent."""
        return os.path.realpath(path)

    def user(self) -> int:
        """The effective user id, which owns what this process creates."""
        return os.geteuid()

    def process(self) -> int:
        """The id of this process."""
        return os.getpid()


def digest_bytes(data: bytes) -> str:
    """SHA-256 in hex: what ``sha256sum`` prints, so that anybody can verify a manifest."""
    return hashlib.sha256(data).hexdigest()


def status_or_none(fs: Filesystem, path: str) -> os.stat_result | None:
    """Status of the entry itself, never of what a link points to; None if there is none."""
    try:
        return fs.status(path)
    except (FileNotFoundError, NotADirectoryError):
        return None


def create_file(fs: Filesystem, path: str, data: bytes, mode: int) -> None:
    """Create a file of exactly this mode, whatever the umask; FileExistsError if the path is taken."""
    try:
        fd = fs.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[fs.write(fd, rest) :]
            fs.chmod(fd, mode)
        finally:
            fs.close(fd)
    except OSError as error:
        error.filename = path
        raise


def read_file(fs: Filesystem, path: str) -> bytes:
    """All bytes of a regular file of bounded size; a symlink is refused by the system (ELOOP)."""
    return b"".join(_read_pieces(fs, path))


def change_mode(fs: Filesystem, path: str, mode: int) -> None:
    """Change a mode through a descriptor that cannot be a symlink's target."""
    fd = fs.open(path, READ_FLAGS)
    try:
        fs.chmod(fd, mode)
    finally:
        fs.close(fd)


def digest_file(fs: Filesystem, path: str) -> str:
    """Digest of a regular file, in constant memory, however large a foreign file may be."""
    total = hashlib.sha256()
    for piece in _read_pieces(fs, path):
        total.update(piece)
    return total.hexdigest()


def _read_pieces(fs: Filesystem, path: str) -> Iterator[bytes]:
    """A regular file piece by piece; errors name it."""
    try:
        fd = fs.open(path, READ_FLAGS)
        try:
            status = fs.status_of(fd)
            if not stat.S_ISREG(status.st_mode):
                raise OSError(errno.EINVAL, "it is not a regular file")
            if status.st_size > MAX_FILE_BYTES:
                raise OSError(errno.EFBIG, f"it has more than {MAX_FILE_BYTES} bytes")
            while piece := fs.read(fd, _CHUNK_BYTES):
                yield piece
        finally:
            fs.close(fd)
    except OSError as error:
        error.filename = path
        raise


def make_folders(fs: Filesystem, path: str, top: str = "") -> list[str]:
    """Create a folder and what is missing above it; returns the created ones, outermost first.

    ``top`` is never created itself: if it is gone, so is the reason to create what lies below.
    """
    missing = []
    while path not in ("", top) and status_or_none(fs, path) is None:
        missing.append(path)
        path = os.path.dirname(path)
    missing.reverse()
    for folder in missing:
        try:
            fs.make_folder(folder)
        except FileExistsError:
            continue
    return missing


def remove_if_empty(fs: Filesystem, folder: str) -> bool:
    """Remove a folder unless something still lies in it; whether it is gone."""
    try:
        fs.remove_folder(folder)
    except FileNotFoundError:
        return True
    except OSError as error:
        if error.errno not in _STILL_NEEDED:
            raise
        return False
    return True


_PASSES = 100
"""Times that a folder is emptied into which something is written meanwhile."""


def remove_all(fs: Filesystem, path: str) -> None:
    """Remove a folder and everything below it, following no link; an absent one is fine.

    A worker whose parent was killed lives on for a moment and may still write into the folder.
    """
    status = status_or_none(fs, path)
    if status is None:
        return
    if not stat.S_ISDIR(status.st_mode):
        fs.remove(path)
        return
    for left in reversed(range(_PASSES)):
        for name in fs.names(path):
            remove_all(fs, f"{path}/{name}")
        try:
            fs.remove_folder(path)
            break
        except OSError as error:
            if error.errno != errno.ENOTEMPTY or not left:
                raise


def report_os_error(bag: Bag, error: OSError, doing: str, then: str = "") -> None:
    """Turn a refused system call into the one diagnostic that says what could not be done, and what became of it."""
    code = NO_SPACE if error.errno in OUT_OF_SPACE else OS_REFUSED
    bag.add(code, f"{doing}: {describe_error(error)}{then}")


def describe_error(error: OSError) -> str:
    """Put an error of the system into words, with its name and path."""
    name = errno.errorcode.get(error.errno or 0, "unknown error")
    where = f" at {os.fsdecode(error.filename)!r}" if error.filename else ""
    return f"{error.strerror or error} ({name}){where}"
