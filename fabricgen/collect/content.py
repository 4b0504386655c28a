"""Bytes of a collected file, or why they are not read."""

from __future__ import annotations

import os
from typing import NamedTuple

from fabricgen import files
from fabricgen.collect.collect_codes import NOT_REGULAR
from fabricgen.diagnostics import Code
from fabricgen.diagnostics.file_codes import NOT_READ
from fabricgen.files import Why, read_file

SIZE_MAX_BYTES = 16 * 1024 * 1024
"""Most that is read of one file; the largest configurations have 2 MiB."""

_CODES = {Why.NOT_REGULAR: NOT_REGULAR, Why.FOLDER: NOT_REGULAR}


class SkippedContent(NamedTuple):
    """Content that is not compared, and why."""

    code: Code
    message: str
    line: int = 1


def read_content(source: str | bytes, inside: str | None = None) -> bytes | SkippedContent:
    """The bytes of a file, as long as it can be a configuration; with ``inside``, of one that lies in that folder."""
    if isinstance(source, bytes):
        return source if len(source) <= SIZE_MAX_BYTES else _too_large(len(source))
    found = read_file(source, SIZE_MAX_BYTES, inside=inside)
    if isinstance(found, files.Refused):
        if found.why is Why.MISSING and os.path.islink(source):
            return SkippedContent(NOT_READ, "it cannot be read: it is a link that leads to no file")
        return SkippedContent(_CODES.get(found.why, NOT_READ), f"it {found.reason}")
    return found


def _too_large(size: int) -> SkippedContent:
    limit = SIZE_MAX_BYTES // 1024 // 1024
    return SkippedContent(NOT_READ, f"it has {size:,} bytes; at most {limit} MiB are read of a device's file")
