"""Redaction of a device's file: everything known to be no secret is shown, of the rest only the structure.

A path of a tree is shown where a pattern of the file's semantics, or of its reader, names it. Of any other line or key
only words of the platform's vocabulary are left, and its value never is. A caller that prints, quotes or stores a part
that a device has asks here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from fabricgen.diagnostics.quoting import HIDDEN, is_plain, mask
from fabricgen.platforms.reading.by_identity import ByIdentity
from fabricgen.platforms.reading.open_rows import OpenRows, is_public
from fabricgen.platforms.reading.reader import Tree, load_module, optional
from fabricgen.platforms.reading.semantics import Meaning, Semantics
from fabricgen.platforms.reading.shown import Shown, build_shown

REFERENCE = "@fabricgen-secret:"
"""Beginning of references to secrets."""
Steps = tuple[str, ...]
Setting = tuple[Steps, str | None, bool]
"""A path of a tree with what is set there, None for a key itself, and whether that may be a secret."""
HiddenSetting = tuple[Steps, str | None, bool]
"""One that may be a secret, and whether the last step of its path is none."""
Words = Callable[[], frozenset[str]]

_SETTINGS = ("{} {}", "{}: {}", "{}: '{}'", '{}: "{}"', "{}={}", "{} = {}")
"""Form in which texts write a key with its value."""


class Redaction:
    """Shows paths and values of one kind of file.

    Attributes:
        parts: Facts about parts of trees, for callers that ask for the same of many devices.
    """

    def __init__(self, root: Meaning, patterns: Iterable[str], words: Words = frozenset) -> None:
        """Prepare.

        Args:
            root: Meaning of the file's empty path, which names secrets.
            patterns: Known paths, see ``build_shown``.
            words: Gives the vocabulary; asked only where something is masked.
        """
        self._root = root
        self._shown = build_shown(patterns)
        self._open = OpenRows()
        self._words = words
        self._vocabulary: frozenset[str] | None = None
        self.parts: ByIdentity[Any] = ByIdentity()

    def mask(self, text: str) -> str:
        """A line or a key of which nothing is known."""
        return mask(text, self.vocabulary)

    @property
    def vocabulary(self) -> frozenset[str]:
        """Words that are shown wherever they stand."""
        if self._vocabulary is None:
            self._vocabulary = self._words()
        return self._vocabulary

    def steps(self, steps: Steps) -> Steps:
        """A path as it may be shown."""
        found, meaning, shown = [], self._root, self._shown
        for step in steps:
            hides, meaning, shown = meaning.hides_keys, meaning.child(step), shown.child(step)
            found.append(self._step(step, hides, shown))
        return tuple(found)

    def names(self, steps: Steps) -> Steps:
        """A path that a user wrote: a name in it that nothing knows is shown too where it looks like one."""
        shown, meaning = list(self.steps(steps)), self._root
        for at, step in enumerate(steps):
            if not meaning.hides_keys and HIDDEN in shown[at] and HIDDEN not in shown[:at] and is_plain(step):
                shown[at] = step
            meaning = meaning.child(step)
        return tuple(shown)

    def value(self, steps: Steps, value: Any) -> Any:
        """Return what stands at a path.

        With a placeholder for what may not be shown; trees and lists keep their structure.
        """
        meaning, shown = self._root, self._shown
        for step in steps:
            if meaning.hides_keys:
                return HIDDEN
            meaning, shown = meaning.child(step), shown.child(step)
        return self._value(value, meaning, shown)

    def line(self, steps: Steps, text: str) -> str:
        """A line of a text that is compared line by line, at the path of the list."""
        shown = self._shown
        for step in steps:
            shown = shown.child(step)
        known = shown.child(text.strip()).has_value or (shown.has_value and bool(steps))
        return text if known and REFERENCE not in text else self.mask(text)

    def list_hidden(self, tree: Tree) -> Iterator[tuple[str, str]]:
        """Every text of a tree that is not shown, with the last word of its name; of lines, their words."""
        return self._texts(tree, self._root, self._shown, "", hidden=True)

    def list_public(self, tree: Tree) -> Iterator[str]:
        """Every word of a tree that is shown."""
        return (text for text, _ in self._texts(tree, self._root, self._shown, "", hidden=False))

    def list_unknown(self, tree: Tree) -> Iterator[str]:
        """Every line of a tree that nothing knows, as the text of the file may have it."""
        return self._unknown(tree, self._root, self._shown)

    def list_settings(self, tree: Tree) -> Iterator[Setting]:
        """Every path of a tree with what is set there."""
        return self._settings(tree, self._root, self._shown, ())

    def list_hidden_settings(self, tree: Tree) -> Iterator[HiddenSetting]:
        """Every path of a tree where what is set may be a secret."""
        return self._hidden_settings(tree, self._root, self._shown, (), is_named=False)

    def _settings(
        self, value: Any, meaning: Meaning, shown: Shown, path: Steps
    ) -> Iterator[tuple[Steps, str | None, bool]]:
        if isinstance(value, Mapping):
            for key, item in value.items():
                below, inner = shown.child(key), (*path, key)
                yield inner, None, meaning.hides_keys or not below.is_known
                yield from self._settings(item, meaning.child(key), below, inner)
        elif isinstance(value, list):
            for item in value:
                yield from self._settings(item, meaning, _of_line(item, shown), path)
        else:
            yield path, str(getattr(value, "raw", value)), not is_public(meaning, shown)

    def _hidden_settings(
        self, value: Any, meaning: Meaning, shown: Shown, path: Steps, *, is_named: bool
    ) -> Iterator[HiddenSetting]:
        if self._open.holds(value, meaning, shown):
            return
        if isinstance(value, Mapping):
            for key, item in value.items():
                below, inner = shown.child(key), (*path, key)
                known = below.is_known and not meaning.hides_keys
                if not known:
                    yield inner, None, False
                yield from self._hidden_settings(item, meaning.child(key), below, inner, is_named=known)
        elif isinstance(value, list):
            for item in value:
                yield from self._hidden_settings(item, meaning, _of_line(item, shown), path, is_named=is_named)
        elif not is_public(meaning, shown):
            yield path, str(getattr(value, "raw", value)), is_named

    def _unknown(self, value: Any, meaning: Meaning, shown: Shown) -> Iterator[str]:
        if isinstance(value, Mapping):
            for key, item in value.items():
                below = shown.child(key)
                if not below.is_known or meaning.hides_keys:
                    yield from (key, f"{key}:")
                    if not isinstance(item, Mapping | list):
                        yield from (form.format(key, item) for form in _SETTINGS)
                yield from self._unknown(item, meaning.child(key), below)
        elif isinstance(value, list):
            for item in value:
                if isinstance(item, str) and not shown.has_value and not shown.child(item.strip()).has_value:
                    yield from (item.strip(), f"- {item.strip()}")

    def _texts(
        self, value: Any, meaning: Meaning, shown: Shown, name: str, *, hidden: bool
    ) -> Iterator[tuple[str, str]]:
        """The texts of a subtree that are hidden, or those that are not."""
        if hidden and self._open.holds(value, meaning, shown):
            return
        if isinstance(value, Mapping):
            for key, item in value.items():
                below = shown.child(key)
                known = below.is_known and not meaning.hides_keys
                if known != hidden:
                    yield from self._pieces(key, name)
                last = key.rpartition(" ")[2] if known else "value"
                yield from self._texts(item, meaning.child(key), below, last, hidden=hidden)
        elif isinstance(value, list):
            for item in value:
                yield from self._texts(item, meaning, _of_line(item, shown), name, hidden=hidden)
        elif is_public(meaning, shown) != hidden:
            if hidden and value is not None and not isinstance(value, bool):
                yield str(value), name
            yield from self._pieces(str(value), name)

    def _pieces(self, text: str, name: str) -> Iterator[tuple[str, str]]:
        """The words of a text that are none of the vocabulary."""
        words = self.vocabulary
        return ((word, name) for word in text.split() if word not in words)

    def _step(self, step: str, hides: bool, shown: Shown) -> str:
        if hides:
            return HIDDEN
        return step if shown.is_known and REFERENCE not in step else self.mask(step) or HIDDEN

    def _value(self, value: Any, meaning: Meaning, shown: Shown) -> Any:
        if isinstance(value, Mapping):
            return self._tree(value, meaning, shown)
        if isinstance(value, list):
            return [self._value(item, meaning, shown) for item in value]
        return value if is_public(meaning, shown) and not (isinstance(value, str) and REFERENCE in value) else HIDDEN

    def _tree(self, tree: Mapping[str, Any], meaning: Meaning, shown: Shown) -> Tree:
        found: Tree = {}
        for key, value in tree.items():
            below, known = meaning.child(key), shown.child(key)
            found[self._step(key, meaning.hides_keys, known)] = (
                HIDDEN if meaning.hides_keys and not isinstance(value, Mapping) else self._value(value, below, known)
            )
        return found


def _of_line(item: Any, shown: Shown) -> Shown:
    """Return what of the path of a list is known where one of its items stands."""
    return shown.child(item.strip()) if isinstance(item, str) and not shown.has_value else shown


@lru_cache(maxsize=256)
def _of_reader(name: str) -> tuple[tuple[str, ...], Words | None]:
    """Known paths and the vocabulary that a reader module has of itself."""
    module = load_module(name) if name else None
    paths, words = (optional(module, "list_shown"), optional(module, "list_words")) if module else (None, None)
    return tuple(paths()) if paths else (), words


def build_redaction(semantics: Semantics) -> Redaction:
    """Return what the semantics of a file and its reader know of it."""
    paths, words = _of_reader(semantics.reader)
    own = frozenset(
        word for step in (*semantics.root.patterns(), *semantics.shown) for word in step.split() if "*" not in word
    )
    return Redaction(semantics.root, (*semantics.shown, *paths), lambda: own | words() if words else own)
