"""Digests of files: of their bytes, and of what they mean.

The digest of a meaning is that of the normal form of a comparison: the same wherever ``diff`` finds no difference.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from functools import partial
from typing import Any

from fabricgen.diff.kinds import FileKind
from fabricgen.diff.normal_form import NormalForm, list_foreign, list_secret_paths
from fabricgen.diff.sides import Unreadable, decode
from fabricgen.diff.tree_changes import Steps
from fabricgen.platforms.reading.reader import ByIdentity, ReadFault, Tree
from fabricgen.platforms.reading.semantics import Meaning, Semantics


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
        self._forms: dict[Meaning, NormalForm] = {}
        self._parts: ByIdentity[str] = ByIdentity()

    def digest(
        self, tree: Tree, semantics: Semantics, *, kept: Collection[str] = (), secrets: Collection[str] = ()
    ) -> str:
        """Return the digest of what a tree means without ``secrets``.

        Paths are JSON pointers; ``kept`` count though they are not ours, because the intent has them.
        """
        total = hashlib.sha256()
        left_out, counted = (list(map(_from_pointer, paths)) for paths in (secrets, kept))
        for name in sorted(tree):
            inner, foreign = ([steps[1:] for steps in paths if steps[:1] == (name,)] for paths in (left_out, counted))
            digest = "" if () in inner else self._table(name, tree[name], semantics, inner, foreign)
            if digest:
                total.update(f"{name}\0{digest}\n".encode())
        return total.hexdigest()

    def _table(self, name: str, value: Any, meaning: Semantics, secrets: Sequence[Steps], kept: Sequence[Steps]) -> str:
        """Return the digest of what stands under one name at the top; empty for nothing."""
        if secrets or kept:
            return self._digest_value(name, value, meaning, secrets, kept)
        return self._parts.get(value, (meaning.name, name), partial(self._digest_value, name, value, meaning))

    def digest_file(self, data: bytes, kind: FileKind, *, kept: Collection[str] = ()) -> str:
        """Return the digest of what a file means; empty if its reader refuses it."""
        tree = read_tree(data, kind)
        return "" if tree is None else self.digest(tree, kind.semantics, kept=kept)

    def _digest_value(
        self, name: str, value: Any, semantics: Semantics, secrets: Sequence[Steps] = (), kept: Sequence[Steps] = ()
    ) -> str:
        form = self._forms.get(semantics.root)
        if form is None:
            form = self._forms[semantics.root] = NormalForm(semantics)
        found = form.of_name(name, value, secrets, kept)
        return "" if found is None else digest_bytes(json.dumps(found, sort_keys=True, default=str).encode())


def list_kept(tree: Tree, semantics: Semantics) -> tuple[str, ...]:
    """Return the paths of an intended tree that count though they are not ours, as JSON pointers."""
    return tuple(map(_to_pointer, list_foreign(tree, semantics)))


def list_left_out(tree: Tree) -> tuple[str, ...]:
    """Return the paths of an intended tree that are not compared, as JSON pointers."""
    return tuple(map(_to_pointer, list_secret_paths(tree)))


def _to_pointer(steps: Steps) -> str:
    return "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps)


def _from_pointer(pointer: str) -> Steps:
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])
