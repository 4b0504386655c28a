"""Digests of files: of their bytes, and of what they mean.

What a device writes back differs in layout, order and spelled-out defaults from what it was given. The digest of a
meaning is the same for both, and leaves out what the device itself owns and the values of secrets.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection
from functools import partial
from typing import Any

from fabricgen.diff.kinds import FileKind
from fabricgen.diff.sides import Unreadable
from fabricgen.diff.texts import decode
from fabricgen.platforms.reading.by_identity import ByIdentity
from fabricgen.platforms.reading.reader import ReadFault, Tree
from fabricgen.platforms.reading.semantics import Meaning, Semantics
from fabricgen.rollout.meaning import Simplifier
from fabricgen.rollout.withheld import Steps, from_pointer


def digest_bytes(data: bytes) -> str:
    """Return SHA-256 in hex, as ``sha256sum`` prints it."""
    return hashlib.sha256(data).hexdigest()


def read_tree(data: bytes, kind: FileKind) -> Tree | None:
    """Return what a file says, also with the ends of lines of a terminal; None if its reader refuses it."""
    text = decode(data)
    try:
        return None if isinstance(text, Unreadable) else kind.read(text)
    except ReadFault:
        return None


class Meanings:
    """Digests of meanings; what trees share, such as the tables of a class, is worked out once."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._simplifiers: dict[Meaning, Simplifier] = {}
        self._parts: ByIdentity[str] = ByIdentity()

    def digest(self, tree: Tree, semantics: Semantics, *, managed: bool = False, withheld: Collection[str] = ()) -> str:
        """Return the digest of what a tree means.

        Args:
            tree: Of a file.
            semantics: Of the file.
            managed: Leave out what no template of the platform writes.
            withheld: Paths to leave out, as JSON pointers.
        """
        total = hashlib.sha256()
        left_out = list(map(from_pointer, withheld))
        for name in sorted(tree):
            if managed and not semantics.manages(name):
                continue
            inner = [steps[1:] for steps in left_out if steps[:1] == (name,)]
            if () in inner:
                continue
            total.update(f"{name}\0{self._table(name, tree[name], semantics, inner)}\n".encode())
        return total.hexdigest()

    def _table(self, name: str, value: Any, semantics: Semantics, withheld: list[Steps]) -> str:
        """Return the digest of what stands under one name at the top."""
        if withheld:
            return self._digest_value(name, value, semantics, withheld)
        return self._parts.get(value, (semantics.name, name), partial(self._digest_value, name, value, semantics, []))

    def digest_file(self, data: bytes, kind: FileKind, *, managed: bool = False, withheld: Collection[str] = ()) -> str:
        """Return the digest of what a file means; empty if its reader refuses it."""
        tree = read_tree(data, kind)
        if tree is None:
            return ""
        return self.digest(tree, kind.semantics, managed=managed, withheld=withheld)

    def _digest_value(self, name: str, value: Any, semantics: Semantics, withheld: list[Steps]) -> str:
        root = semantics.root
        simplifier = self._simplifiers.get(root)
        if simplifier is None:
            simplifier = self._simplifiers[root] = Simplifier(semantics)
        found = simplifier.simplify(value, root.child(name), withheld)
        return digest_bytes(json.dumps(found, sort_keys=True, default=str).encode())
