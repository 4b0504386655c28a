"""Bytes of a collected file, or why they are not read."""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from fabricgen.collect.codes import TOO_LARGE, UNREADABLE
from fabricgen.diagnostics import Code

SIZE_MAX_BYTES = 16 * 1024 * 1024
"""Most that is read of one file; the largest configurations have 2 MiB."""

# Opening a pipe that nobody writes into must not wait for somebody to.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)

_SMALL_BYTES = 16384
"""Most files have less, and need no question for their size."""


class Refused(NamedTuple):
    """Content that is not compared, and why."""

    code: Code
    message: str
    line: int = 1


def read_content(source: str | bytes) -> bytes | Refused:
    """The bytes of a file, as long as it can be a configuration."""
    if isinstance(source, bytes):
        return source if len(source) <= SIZE_MAX_BYTES else _too_large(len(source))
    try:
        descriptor = os.open(source, _FLAGS)
    except (OSError, ValueError) as error:
        if os.path.islink(source):
            return Refused(UNREADABLE, "it cannot be read: it is a link that leads to no file")
        return Refused(UNREADABLE, f"it cannot be read: {getattr(error, 'strerror', None) or error}")
    try:
        data = os.read(descriptor, _SMALL_BYTES)
        return data if len(data) < _SMALL_BYTES else _read_on(descriptor, data)
    except OSError as error:
        return Refused(UNREADABLE, f"it cannot be read: {error.strerror or error}")
    finally:
        os.close(descriptor)


def _read_on(descriptor: int, data: bytes) -> bytes | Refused:
    """The rest of a file that is not small."""
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return Refused(UNREADABLE, "it is not a file")
    if status.st_size > SIZE_MAX_BYTES:
        return _too_large(status.st_size)
    parts = [data]
    while more := os.read(descriptor, max(status.st_size - len(data), _SMALL_BYTES)):
        parts.append(more)
    return b"".join(parts)


def _too_large(size: int) -> Refused:
    limit = SIZE_MAX_BYTES // 1024 // 1024
    return Refused(TOO_LARGE, f"it has {size:,} bytes; at most {limit} MiB are read of a device's file")
