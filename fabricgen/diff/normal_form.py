"""The one normal form of what a file says: equal for two files exactly where a comparison finds no difference.

Layout, order, spelled-out defaults, lines of absence, what the device owns and what is not ours mean nothing; secrets
are left out. What only an operator would write counts where the intent has it, so the intended side names such paths.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import Any, NamedTuple

from fabricgen.diff.tree_changes import Steps, canonical_value
from fabricgen.platforms.reading.reader import ByIdentity, Tree
from fabricgen.platforms.reading.redaction import REFERENCE
from fabricgen.platforms.reading.semantics import Meaning, Semantics

_SECRET_PATHS: ByIdentity[list[Steps]] = ByIdentity()
"""Paths of references below the names at the top of trees, most of which a class of devices shares."""
_FOREIGN: ByIdentity[list[Steps]] = ByIdentity()
"""The same of paths that only an operator would write."""


class _Field(NamedTuple):
    """Facts about a field that decide what of it is in the form.

    Attributes:
        counts: The device does not own it, and it is no secret.
        is_foreign: It counts only if the intent has it.
        default: Value where nothing is set.
        image: Value that the system's image sets, ``*`` for any; None for none.
        is_plain: Its texts are compared as written.
    """

    counts: bool
    is_foreign: bool
    default: Any
    image: Any
    is_plain: bool


def list_foreign(tree: Tree, semantics: Semantics) -> Iterator[Steps]:
    """Yield the paths of an intended tree that would be no difference if only the device had them."""
    for name, value in tree.items():
        yield from _FOREIGN.get(value, (semantics.name, name), partial(_list_of_name, name, value, semantics))


def _list_of_name(name: str, value: Any, semantics: Semantics) -> list[Steps]:
    is_managed = semantics.manages(name)
    return list(_list_below(value, semantics.root.child(name), (name,), semantics)) if is_managed else [(name,)]


def _list_below(value: Any, meaning: Meaning, steps: Steps, semantics: Semantics) -> Iterator[Steps]:
    is_tree = isinstance(value, dict)
    if is_tree and (meaning.owner != "operator" or len(steps) < semantics.split):
        for key, below in value.items():
            yield from _list_below(below, meaning.child(key), (*steps, key), semantics)
    elif meaning.owner == "operator" or "image" in meaning.values or _is_absence(value, meaning, semantics):
        yield steps


def list_secret_paths(tree: Tree) -> tuple[Steps, ...]:
    """Return the paths of an intended tree that only refer to secrets, or the path above a name that does."""
    parts = (_SECRET_PATHS.get(value, name, partial(_list_references, name, value)) for name, value in tree.items())
    return tuple(dict.fromkeys(steps for part in parts for steps in part))


def _list_references(name: str, value: Any) -> list[Steps]:
    return list(_walk_references({name: value}, ()))


def _walk_references(value: Any, steps: Steps) -> Iterator[Steps]:
    if isinstance(value, dict):
        for key, below in value.items():
            if REFERENCE in key:
                yield steps
            elif not isinstance(below, str) or REFERENCE in below:
                yield from _walk_references(below, (*steps, key))
    elif isinstance(value, list):
        if any(isinstance(each, str) and REFERENCE in each for each in value):
            yield steps
    elif isinstance(value, str) and REFERENCE in value:
        yield steps


def _is_absence(value: Any, meaning: Meaning, semantics: Semantics) -> bool:
    """Return whether a value says that something is not set of which the default is not known."""
    return bool(semantics.absence) and value == semantics.absence and meaning.default is None


class NormalForm:
    """The normal form of files of one kind."""

    def __init__(self, semantics: Semantics) -> None:
        """Prepare for files of one kind."""
        self._semantics = semantics
        self._fields: dict[Meaning, _Field] = {}

    def of_name(self, name: str, value: Any, secrets: Collection[Steps], kept: Collection[Steps]) -> Any:
        """Return the form of what stands under a name at the top; None for nothing.

        Below it, ``secrets`` are left out, and ``kept`` count though they are not ours; see ``list_foreign``.
        """
        if not self._semantics.manages(name) and () not in kept:
            return None
        return self._simplify(value, self._semantics.root.child(name), 1, secrets, kept)

    def _simplify(
        self, value: Any, meaning: Meaning, depth: int, secrets: Collection[Steps], kept: Collection[Steps]
    ) -> Any:
        field = self._fields.get(meaning) or self._look_up(meaning)
        is_tree = isinstance(value, dict)
        is_row = not is_tree or depth >= self._semantics.split
        if not field.counts or (field.is_foreign and is_row and () not in kept):
            return None
        if not is_tree:
            return self._simplify_value(value, meaning, field, () in kept)
        if meaning.hides_keys:
            return len(value)
        found = self._simplify_below(value, meaning, depth, secrets, kept)
        is_empty_row = is_row and not (value and self._is_of_image(value, meaning))
        return found if found or is_empty_row else None

    def _is_of_image(self, value: Any, meaning: Meaning) -> bool:
        """Return whether every value here is one that the system's image sets."""
        if isinstance(value, dict):
            return all(self._is_of_image(below, meaning.child(key)) for key, below in value.items())
        image = (self._fields.get(meaning) or self._look_up(meaning)).image
        return image is not None and (image == "*" or canonical_value(value, meaning, self._semantics) == image)

    def _simplify_value(self, value: Any, meaning: Meaning, field: _Field, is_kept: bool) -> list[Any] | None:
        """Return the form of a value that is no section; None where it says no more than its absence would."""
        is_as_written = field.is_plain and isinstance(value, str)
        shown = value if is_as_written else canonical_value(value, meaning, self._semantics)
        if meaning.default is not None:
            return None if shown == field.default else [shown]
        is_left_alone = _is_absence(value, meaning, self._semantics) or self._is_of_image(value, meaning)
        return None if is_left_alone and not is_kept else [shown]

    def _simplify_below(
        self, value: Tree, meaning: Meaning, depth: int, secrets: Collection[Steps], kept: Collection[Steps]
    ) -> Tree:
        """Return the forms of what a section has, by key, without those that say nothing."""
        found = {}
        for key, below in value.items():
            left_out, counted = (_inside(paths, key) for paths in (secrets, kept))
            if () in left_out:
                continue
            # What is below a path that counts counts with it.
            form = self._simplify(below, meaning.child(key), depth + 1, left_out, kept if () in kept else counted)
            if form is not None:
                found[key] = form
        return found

    def _look_up(self, meaning: Meaning) -> _Field:
        default = None if meaning.default is None else canonical_value(meaning.default, meaning, self._semantics)
        image = meaning.values.get("image")
        image = image if image in (None, "*") else canonical_value(image, meaning, self._semantics)
        counts = meaning.owner != "device" and not meaning.is_secret
        is_plain = meaning.get("order") not in ("words", "ranges")
        found = self._fields[meaning] = _Field(counts, meaning.owner == "operator", default, image, is_plain)
        return found


def _inside(paths: Collection[Steps], key: str) -> Collection[Steps]:
    """Return the rest of the paths that begin with a key."""
    return [steps[1:] for steps in paths if steps[:1] == (key,)] if paths else paths
