"""Digests of files: of their bytes, and of what they mean.

What a device writes back differs in layout, order and spelled-out defaults from what it was given. The digest of a
meaning is the same for both, and leaves out what the device itself owns and the values of secrets.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterator
from functools import partial
from typing import Any

from fabricgen.diff.kinds import FileKind
from fabricgen.diff.tree_changes import canonical_value
from fabricgen.platforms.reading.by_identity import ByIdentity
from fabricgen.platforms.reading.reader import ReadFault, Tree
from fabricgen.platforms.reading.redaction import REFERENCE
from fabricgen.platforms.reading.semantics import Meaning, Semantics

Steps = tuple[str, ...]


def digest_bytes(data: bytes) -> str:
    """Return SHA-256 in hex, as ``sha256sum`` prints it."""
    return hashlib.sha256(data).hexdigest()


class Meanings:
    """Digests of meanings; what trees share, such as the tables of a class, is worked out once."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._tables: dict[tuple[str, str, bytes], str] = {}
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
        left_out = list(map(_from_pointer, withheld))
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
            return _digest_value(name, value, semantics, withheld)
        return self._parts.get(value, (semantics.name, name), partial(self._whole_table, name, value, semantics))

    def _whole_table(self, name: str, value: Any, semantics: Semantics) -> str:
        """Return the digest of a table that may be equal to one of another device."""
        raw = json.dumps(value, sort_keys=True, default=str).encode()
        key = semantics.name, name, hashlib.blake2b(raw, digest_size=16).digest()
        known = self._tables.get(key)
        if known is None:
            known = self._tables[key] = _digest_value(name, value, semantics, [])
        return known

    def digest_file(self, data: bytes, kind: FileKind, *, managed: bool = False, withheld: Collection[str] = ()) -> str:
        """Return the digest of what a file means; empty if its reader refuses it."""
        try:
            tree = kind.read(data.decode())
        except (ReadFault, UnicodeDecodeError):
            return ""
        return self.digest(tree, kind.semantics, managed=managed, withheld=withheld)


def _digest_value(name: str, value: Any, semantics: Semantics, withheld: list[Steps]) -> str:
    found = _canonical(value, semantics.root.child(name), semantics, withheld)
    return digest_bytes(json.dumps(found, sort_keys=True, default=str).encode())


def _canonical(value: Any, meaning: Meaning, semantics: Semantics, withheld: list[Steps]) -> Any:
    """Return a value without what means nothing; None for nothing."""
    if meaning.owner == "device" or meaning.is_secret:
        return None
    if not isinstance(value, dict):
        shown = canonical_value(value, meaning, semantics)
        default = meaning.default
        is_default = default is not None and shown == canonical_value(default, meaning, semantics)
        return None if is_default else [shown]
    if meaning.hides_keys:
        return len(value)
    found = {}
    for key, below in value.items():
        inner = [steps[1:] for steps in withheld if steps[:1] == (key,)]
        if () in inner:
            continue
        kept = _canonical(below, meaning.child(key), semantics, inner)
        if kept is not None:
            found[key] = kept
    return found


def list_withheld(tree: Tree) -> tuple[str, ...]:
    """Return the paths of an intended tree whose values refer to secrets, as JSON pointers.

    Of a name that does, it is the path above it.
    """
    return tuple(dict.fromkeys(map(_to_pointer, _withheld(tree, ()))))


def _to_pointer(steps: Steps) -> str:
    return "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps)


def _from_pointer(pointer: str) -> Steps:
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def _withheld(value: Any, steps: Steps) -> Iterator[Steps]:
    if isinstance(value, dict):
        for key, below in value.items():
            if REFERENCE in key:
                yield steps
            else:
                yield from _withheld(below, (*steps, key))
    elif isinstance(value, list):
        if any(isinstance(each, str) and REFERENCE in each for each in value):
            yield steps
    elif isinstance(value, str) and REFERENCE in value:
        yield steps
