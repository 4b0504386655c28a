"""Paths that never leave a folder, whatever links lie in them and however they change meanwhile.

Each component is opened by itself, relative to the descriptor of the one before it, and never through a link: links
are read and walked here. ``..`` goes back to a descriptor that is held, so a folder that is moved away leads nowhere.
The rules are those of ``openat2`` with RESOLVE_BENEATH, on every POSIX system.
"""

from __future__ import annotations

import errno
import os

_LINKS_MAX = 40
"""Links followed in one path; as many as Linux follows (path_resolution(7))."""
_FOLDER = os.O_DIRECTORY | os.O_CLOEXEC | getattr(os, "O_PATH", os.O_RDONLY)


class LeadsOut(Exception):  # noqa: N818 - not an error by itself: the caller says what it means
    """A path leaves its folder.

    Attributes:
        link: Text of the link that leads out; empty if the path itself does.
    """

    def __init__(self, link: str) -> None:
        """Keep the link."""
        super().__init__(link)
        self.link = link


def open_beneath(root: str, path: str, flags: int) -> int:
    """Open what lies below a folder.

    Args:
        root: The folder; it may be reached through links.
        path: The path of the file, which starts with the folder's.
        flags: Of ``open(2)``, for the last component; no link is followed by the system.

    Returns:
        The descriptor.

    Raises:
        LeadsOut: The path, or a link in it, is absolute or goes above the folder.
        OSError: As ``open(2)``; ELOOP for links without end.
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
