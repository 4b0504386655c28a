"""Trees of JSON files: a member that many devices have is read once, and is one object in all of their files.

What is known of a member, such as whether it holds secrets, is then known of it in every file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from fabricgen.diff.kinds import FileKind
from fabricgen.platforms.reading.reader import ReadFault, Tree

_FIRST = re.compile(rb'\s*\{(\n[ \t]*")')
_KEPT_MAX = 512
"""Members of a file are a few dozen, and devices of a class follow each other."""


class SharedTrees:
    """Trees of the members of JSON files."""

    def __init__(self) -> None:
        """Know no member yet."""
        self._read_member = lru_cache(_KEPT_MAX)(_read_member)

    def read(self, kind: FileKind, data: bytes) -> Tree | None:
        """Read a file member by member; None if it has to be read whole, also to tell what is wrong with it."""
        if not kind.is_json or b"\r" in data or b"\0" in data:
            return None
        tree: Tree = {}
        for member in _split(data):
            part = self._read_member(kind, member)
            if part is None or not tree.keys().isdisjoint(part):
                return None
            tree.update(part)
        # A whole file names its device: one that does not may be of another kind.
        return tree if kind.hostname(tree) else None


def _split(data: bytes) -> Iterator[bytes]:
    """Yield the outermost members of a JSON object from the name on, if they alone are as far from the left edge."""
    first = _FIRST.match(data)
    head, *pieces = data.split(first[1]) if first else [b""]
    names = {piece[: piece.find(b'"')] for piece in pieces}
    # A name with an escape may be that of another member, also of one that is read as nothing.
    if head.strip() != b"{" or len(names) < len(pieces) or any(b"\\" in name for name in names):
        return
    ends = [b","] * (len(pieces) - 1) + [b"}"]
    for piece, end in zip(pieces, ends, strict=True):
        member = piece.rstrip()
        # What does not end as a member does is no JSON without its end either.
        yield member.removesuffix(end).rstrip() if member.endswith(end) else b""


def _read_member(kind: FileKind, member: bytes) -> Tree | None:
    try:
        return kind.read_part(f'{{"{member.decode()}}}')
    except (ReadFault, UnicodeDecodeError):
        return None
