"""Opening and reading: what is no regular file is refused, however its path came to lead there."""

from __future__ import annotations

import errno
import os
import stat
from enum import Enum
from pathlib import Path
from typing import NamedTuple

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_MIB = 1024 * 1024
_CHUNK_BYTES = _MIB
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a character device",
    stat.S_IFBLK: "a block device",
    stat.S_IFLNK: "a symlink",
}


class Why(Enum):
    """Reasons not to read a file."""

    MISSING = "missing"
    FOLDER = "folder"
    NOT_REGULAR = "not regular"
    NO_FOLDER = "no folder"
    TOO_LARGE = "too large"
    OUTSIDE = "outside"
    UNREADABLE = "unreadable"


class Refused(NamedTuple):
    """A file that is not read: the kind of reason, and words like "is a FIFO, not a regular file"."""

    why: Why
    reason: str


def read_file(path: Path | str, size_max_bytes: int, *, inside: Path | str | None = None) -> bytes | Refused:
    """Read a regular file whole, without ever waiting; or return why it is not read.

    The bound also holds for a file that grows meanwhile. ``path`` begins with the folder ``inside``, which neither
    ``..`` nor a link may leave; without one it may be a link to anywhere.
    """
    opened = open_file(path, inside=inside)
    if isinstance(opened, Refused):
        return opened
    try:
        size = os.fstat(opened).st_size
        if size > size_max_bytes:
            return _too_large(size, size_max_bytes)
        return _read(opened, size, size_max_bytes)
    except OSError as error:
        return Refused(Why.UNREADABLE, f"cannot be read: {error.strerror or error}")
    finally:
        os.close(opened)


def read_handed(descriptor: int, most_bytes: int) -> bytes:
    """Read at most so many bytes of a stream that was handed over open; none if it is not open for reading."""
    try:
        with os.fdopen(os.dup(descriptor), "rb") as stream:
            return stream.read(most_bytes)
    except OSError:
        return b""


def open_file(path: Path | str, *, inside: Path | str | None = None) -> int | Refused:
    """Open a regular file as ``read_file`` does, judged by its descriptor, not its path; the caller closes it."""
    shown = str(path)
    try:
        opened = os.open(shown, _FLAGS) if inside is None else open_beneath(str(inside), shown, _FLAGS)
    except LeadsOut as out:
        return _outside(shown, str(inside), out.link)
    except (FileNotFoundError, NotADirectoryError):
        # The link of an open pipe below /dev/fd has a text that is no path.
        if stream := kind_of(shown):
            return Refused(Why.NOT_REGULAR, f"is {stream}, not a regular file")
        return _missing(shown)
    except (OSError, ValueError) as error:
        return _refused(shown, error)
    kind = stat.S_IFMT(os.fstat(opened).st_mode)
    if kind == stat.S_IFREG:
        return opened
    os.close(opened)
    return _not_regular(kind)


def check_folder(path: Path | str, *, inside: Path | str | None = None) -> Refused | None:
    """Return why something is not a folder whose files can be looked up, see ``read_file``; None if it is one."""
    shown, flags = str(path), _FLAGS | os.O_DIRECTORY
    try:
        opened = os.open(shown, flags) if inside is None else open_beneath(str(inside), shown, flags)
    except LeadsOut as out:
        return _outside(shown, str(inside), out.link)
    except (OSError, ValueError) as error:
        if kind := kind_of(shown) or ("a file" if os.path.isfile(shown) else ""):
            return Refused(Why.NO_FOLDER, f"is {kind}, not a directory")
        return _missing(shown) if isinstance(error, FileNotFoundError) else _refused(shown, error)
    try:
        os.stat(".", dir_fd=opened)
    except OSError as error:
        return _refused(shown, error)
    finally:
        os.close(opened)
    return None


def kind_of(path: Path | str) -> str:
    """The kind of something that exists and is neither a regular file nor a folder; empty otherwise."""
    try:
        kind = stat.S_IFMT(os.stat(path).st_mode)
    except (OSError, ValueError):
        return ""
    return "" if kind in (stat.S_IFREG, stat.S_IFDIR) else _KINDS.get(kind, "no file")


def _read(opened: int, size: int, size_max_bytes: int) -> bytes | Refused:
    """Everything up to the limit; a file of the kernel's has size 0 and content, another one may grow."""
    parts, total = [], 0
    while part := os.read(opened, min(max(size + 1 - total, 4096), _CHUNK_BYTES)):
        parts.append(part)
        total += len(part)
        if total > size_max_bytes:
            return _too_large(0, size_max_bytes)
    return b"".join(parts)


def _refused(path: str, error: OSError | ValueError) -> Refused:
    """Return why the system refused; opening a socket, or a device without driver, fails with a vague error."""
    kind = kind_of(path)
    if kind and not isinstance(error, PermissionError):
        return Refused(Why.NOT_REGULAR, f"is {kind}, not a regular file")
    if isinstance(error, IsADirectoryError):
        return _not_regular(stat.S_IFDIR)
    return Refused(Why.UNREADABLE, f"cannot be read: {getattr(error, 'strerror', None) or error}")


def _missing(path: str) -> Refused:
    target = _link_target(path)
    return Refused(Why.MISSING, f"is a symlink to {target}, which does not exist" if target else "does not exist")


def _not_regular(kind: int) -> Refused:
    if kind == stat.S_IFDIR:
        return Refused(Why.FOLDER, "is a directory, not a file")
    return Refused(Why.NOT_REGULAR, f"is {_KINDS.get(kind, 'no file')}, not a regular file")


def _outside(path: str, folder: str, link: str) -> Refused:
    if kind := kind_of(path):
        return Refused(Why.NOT_REGULAR, f"is {kind}, not a regular file")
    by = f" by the symlink to {link}" if link else ""
    return Refused(Why.OUTSIDE, f"leads out of {folder}{by}")


def _link_target(path: str) -> str:
    try:
        return os.readlink(path)
    except (OSError, ValueError):
        return ""


def _too_large(size: int, size_max_bytes: int) -> Refused:
    most = f"{size_max_bytes // _MIB} MiB" if size_max_bytes >= _MIB else f"{size_max_bytes} bytes"
    has = f": it has {size:,} bytes" if size else ""
    return Refused(Why.TOO_LARGE, f"is larger than {most}, the most that is read{has}")


_LINKS_MAX = 40
"""Links followed in one path; as many as Linux follows (path_resolution(7))."""
_FOLDER = os.O_DIRECTORY | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)


class LeadsOut(Exception):  # noqa: N818 - not an error by itself: the caller says what it means
    """A path leaves its folder, by the text of a ``link``, empty if the path itself does."""

    def __init__(self, link: str) -> None:
        super().__init__(link)
        self.link = link


def open_beneath(root: str, path: str, flags: int) -> int:
    """Open what is below a folder, whatever links are in it and however they change meanwhile.

    Each component is opened by itself, relative to the descriptor of the one before it, and never through a link: links
    are read and walked here. ``..`` goes back to a descriptor that is held, so a folder that is moved away leads
    nowhere. The rules are those of ``openat2`` with RESOLVE_BENEATH, on every POSIX system. The path starts with the
    folder's, which may be reached through links.

    Raises LeadsOut if the path, or a link in it, is absolute or goes above the folder; and OSError as ``open(2)``,
    ELOOP for links without end.
    """
    todo = _below(root, path)
    held = [os.open(root or ".", _FOLDER)]
    links = 0
    try:
        while todo:
            name = todo.pop()
            if name == "..":
                if len(held) == 1:
                    raise LeadsOut("")
                os.close(held.pop())
                continue
            try:
                opened = os.open(name, (_FOLDER if todo else flags) | os.O_NOFOLLOW, dir_fd=held[-1])
            except OSError as error:
                target = _target(name, held[-1])
                links += 1
                if not target or links > _LINKS_MAX:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) if target else error from None
                if target.startswith("/"):
                    raise LeadsOut(target) from None
                todo += _split(target)
                continue
            if not todo:
                return opened
            held.append(opened)
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    finally:
        for descriptor in held:
            os.close(descriptor)


def is_beneath(root: str | os.PathLike[str], path: str | os.PathLike[str]) -> bool:
    """Return whether a path leads into a folder as things are now; for listings, whose names are no content."""
    top = os.path.realpath(root)
    return os.path.commonpath([top, os.path.realpath(path)]) == top


def _below(root: str, path: str) -> list[str]:
    """The components below the folder, the last one first."""
    prefix = "" if root in ("", ".") else root if root.endswith("/") else f"{root}/"
    if not path.startswith(prefix) or (not prefix and path.startswith("/")):
        raise LeadsOut("")
    return _split(path[len(prefix) :])


def _split(path: str) -> list[str]:
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]


def _target(name: str, folder: int) -> str:
    """The text of a link; empty if it is none."""
    try:
        return os.readlink(name, dir_fd=folder)
    except OSError:
        return ""
