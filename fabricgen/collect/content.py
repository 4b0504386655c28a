"""Bytes of a collected file, or why they are not read."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from fabricgen.collect.codes import TOO_LARGE, UNREADABLE
from fabricgen.diagnostics import Code

SIZE_MAX_BYTES = 16 * 1024 * 1024
"""Most that is read of one file; the largest configurations have 2 MiB."""


class Refused(NamedTuple):
    """Content that is not compared, and why."""

    code: Code
    message: str
    line: int = 1


def read_content(source: Path | bytes) -> bytes | Refused:
    """The bytes of a file, as long as it can be a configuration."""
    if isinstance(source, bytes):
        return source if len(source) <= SIZE_MAX_BYTES else _too_large(len(source))
    try:
        with source.open("rb", buffering=0) as stream:
            data = stream.read(SIZE_MAX_BYTES + 1) or b""
            if len(data) > SIZE_MAX_BYTES:
                return _too_large(source.stat().st_size)
            return data
    except (OSError, ValueError) as error:
        return Refused(UNREADABLE, f"it cannot be read: {getattr(error, 'strerror', None) or error}")


def _too_large(size: int) -> Refused:
    limit = SIZE_MAX_BYTES // 1024 // 1024
    return Refused(TOO_LARGE, f"it has {size:,} bytes; at most {limit} MiB are read of a device's file")
