"""One writer per tree: an flock that names its holder and dies with it."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Sequence

from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.file_codes import BUSY
from fabricgen.render.tree.filesystem import READ_FLAGS, Filesystem, remove_if_empty, status_or_none

_ATTEMPTS = 20
_HOLDER = re.compile(rb"([0-9]{1,20})\n")


class Lock:
    """A held lock; its file is removed on release, so that nothing of it stays in a tree."""

    __slots__ = ("_fd", "_fs", "_made", "_path")

    def __init__(self, fs: Filesystem, path: str, fd: int, made: Sequence[str] = ()) -> None:
        """Take over an open and locked descriptor, and the folders that were made for its file."""
        self._fs = fs
        self._path = path
        self._fd = fd
        self._made = made

    def release(self) -> None:
        """Remove the file first: a process that has it open sees the lost name. Then folders made for it."""
        try:
            # Where the tree was moved meanwhile, another process's lock may have this name.
            if _is_named(self._fs, self._fd, self._path):
                self._fs.remove(self._path)
        except FileNotFoundError:
            return
        finally:
            self._fs.close(self._fd)
        for folder in reversed(self._made):
            remove_if_empty(self._fs, folder)


def take_lock(fs: Filesystem, path: str, tree: str, bag: Bag, made: Sequence[str] = ()) -> Lock | None:
    """Take the lock of a tree without waiting; None if another process holds it, which the bag gets.

    The kernel drops an flock when its holder dies, so a file left by a dead process blocks none. Folders that were
    ``made`` for the lock, outermost first, go with it if nothing else is in them.
    """
    for _ in range(_ATTEMPTS):
        fd = fs.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            if not stat.S_ISREG(fs.status_of(fd).st_mode):
                raise OSError(errno.EINVAL, "it is not a regular file", path)
            fs.lock(fd)
            # Its file has lost its name if the holder before us ended meanwhile.
            named = _is_named(fs, fd, path)
        except BlockingIOError:
            _report_holder(fs, fd, tree, bag)
            fs.close(fd)
            return None
        except BaseException:
            fs.close(fd)
            raise
        if named:
            return _sign(fs, Lock(fs, path, fd, made), fd, path)
        fs.close(fd)
    bag.add(BUSY, f"{tree}: other processes keep taking the lock {path}")
    return None


def _sign(fs: Filesystem, lock: Lock, fd: int, path: str) -> Lock:
    """Write the holder into a lock; release it where the system refuses that."""
    try:
        fs.truncate(fd)
        fs.write(fd, f"{fs.process()}\n".encode())
    except OSError as error:
        error.filename = path
        lock.release()
        raise
    return lock


def report_writer(fs: Filesystem, path: str, tree: str, bag: Bag) -> bool:
    """Report a process that is writing a tree right now, without leaving any trace; whether there is one."""
    try:
        fd = fs.open(path, READ_FLAGS)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        fs.lock(fd, shared=True)
    except BlockingIOError:
        _report_holder(fs, fd, tree, bag)
        return True
    finally:
        fs.close(fd)
    return False


def _is_named(fs: Filesystem, fd: int, path: str) -> bool:
    mine, named = fs.status_of(fd), status_or_none(fs, path)
    return named is not None and (mine.st_dev, mine.st_ino) == (named.st_dev, named.st_ino)


def _report_holder(fs: Filesystem, fd: int, tree: str, bag: Bag) -> None:
    written = _HOLDER.fullmatch(fs.read(fd, 32))
    holder = f"process {int(written[1])}" if written else "another process"
    bag.add(BUSY, f"{tree} is being written by {holder}")
