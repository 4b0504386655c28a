"""Trees of files of which many devices have the same parts: such a part is read once, and is one object everywhere.

What is known of a part, such as whether it holds secrets, is then known of it in every file.
"""

from __future__ import annotations

from fabricgen.diff.kinds import FileKind
from fabricgen.diff.members import as_object, split_members
from fabricgen.platforms.reading.reader import ReadFault, Tree

_KEPT_MAX = 4096


class SharedTrees:
    """Trees of the members of JSON files."""

    def __init__(self) -> None:
        """Know no member yet."""
        self._known: dict[tuple[str, bytes], Tree] = {}

    def read(self, kind: FileKind, data: bytes) -> Tree | None:
        """Read a file member by member.

        Args:
            kind: Of the file.
            data: The file.

        Returns:
            What reading it whole returns; None if it has to be read whole, also to tell what is wrong with it.
        """
        is_plain = kind.is_json and b"\r" not in data and b"\0" not in data
        members = split_members(data, indented=True) if is_plain else None
        # A name with an escape may be that of another member, also of one that is read as nothing.
        if members is None or any(b"\\" in name for name in members):
            return None
        tree: Tree = {}
        for member in members.values():
            part = self._read_member(kind, member)
            if part is None or not tree.keys().isdisjoint(part):
                return None
            tree.update(part)
        # A whole file names its device: one that does not may be of another kind.
        return tree if kind.hostname(tree) else None

    def _read_member(self, kind: FileKind, member: bytes) -> Tree | None:
        key = kind.semantics.name, member
        known = self._known.get(key)
        if known:
            return known
        try:
            part = kind.read_part(as_object(member).decode())
        except (ReadFault, UnicodeDecodeError):
            return None
        # What comes a second time is likely to come again; the rest is not worth its memory.
        if len(self._known) < _KEPT_MAX:
            self._known[key] = part if known is not None else {}
        return part
