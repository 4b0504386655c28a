"""A document that was read: plain data, and for every path in it the place in a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from fabricgen.diagnostics import IntentPath, Place
from fabricgen.source.edits import EditedTree
from fabricgen.source.nodes import Node, Plain

_TAG = re.compile(r"constrained-|[A-Z]|.*[^a-zA-Z0-9_.-]")
_TYPE_TAGS = frozenset({"str", "int", "float", "bool", "none", "list", "tuple", "dict", "set"})


class Document:
    """Data with places. Documents are values: changing one gives another, and both share what is equal."""

    __slots__ = ("_end", "_lines", "_root", "_texts")

    def __init__(self, root: Node, texts: Mapping[str, str]) -> None:
        """Hold a tree and the texts of the files it came from, by the name they are shown under."""
        self._root = root
        self._texts = dict(texts)
        self._lines: dict[str, list[str]] = {}
        self._end: Place | None = None

    @property
    def root(self) -> Node:
        """The tree itself."""
        return self._root

    @property
    def data(self) -> Plain:
        """The data without places. It is shared: to change it, use ``replaced`` or ``without``."""
        return self._root.plain()

    @property
    def files(self) -> tuple[str, ...]:
        """The files that were read, as the user gave them: the document's own first, then its overlays."""
        return tuple(self._texts)

    def lines(self, file: str) -> list[str]:
        """The lines of one of the files; none for a file that is not part of the document."""
        if file not in self._lines:
            text = self._texts.get(file, "")
            self._lines[file] = text.removesuffix("\n").split("\n") if text else []
        return self._lines[file]

    @property
    def end(self) -> Place:
        """Behind the last line of the document's own file that says anything, where a new key would go."""
        if self._end is None:
            file = self._root.file
            lines = self.lines(file) or [""]
            number = max((at for at, line in enumerate(lines, 1) if line.strip()), default=1)
            self._end = Place(file, number, len(lines[number - 1].rstrip()) + 1)
        return self._end

    def has(self, path: IntentPath) -> bool:
        """Return whether the document says anything at that path."""
        return self._root.deepest(path)[1] == len(path)

    def value(self, path: IntentPath) -> Plain:
        """The plain data at a path; None where there is none."""
        node, depth = self._root.deepest(path)
        return node.plain() if depth == len(path) else None

    def is_scalar(self, path: IntentPath) -> bool:
        """Return whether the document has one plain value at that path."""
        node, depth = self._root.deepest(path)
        return depth == len(path) and not isinstance(node.value, dict | list)

    def place(self, path: IntentPath, on_key: bool = False) -> Place | None:
        """Return the place of a path in the files.

        Args:
            path: An intent path; of one that does not exist the deepest existing ancestor is taken.
            on_key: Give the place of the key even if the value has one of its own.

        Returns:
            The place of a scalar, or of the key of a mapping or list; of the item itself for list items.
        """
        node, _ = self._root.deepest(path)
        return node.place(on_key=on_key)

    def to_path(self, loc: Sequence[str | int]) -> IntentPath:
        """Turn the location a validator reports into an intent path.

        Args:
            loc: Keys and list indices, mixed with segments that name no key: tags of unions, names of functions.

        Returns:
            The keys and natural keys among them. A last segment that the document does not have is kept if it can be
            a key: then it is the one that is missing.
        """
        node = self._root
        path: list[str] = []
        for position, segment in enumerate(loc):
            name = str(segment)
            if isinstance(node.value, list) and isinstance(segment, int):
                if 0 <= segment < len(node.value):
                    path.append(node.segment_at(segment))
                    node = node.value[segment]
                continue
            child = node.value.get(name) if isinstance(node.value, dict) else None
            if child is not None:
                path.append(name)
                node = child
            elif position == len(loc) - 1 and isinstance(node.value, dict) and not _is_tag(name):
                path.append(name)
        return tuple(path)

    def without(self, path: IntentPath) -> Document:
        """Return a document that lacks one key or list item.

        Raises:
            KeyError: There is nothing at that path.
        """
        return self.changed(lambda draft: draft.remove(path))

    def replaced(self, path: IntentPath, value: object) -> Document:
        """Return a document that has another value at one path.

        Args:
            path: Where; a key or list item that does not exist yet is added, with the mappings that lead to it.
            value: Plain data; it takes the place of what it replaces, or of its deepest existing ancestor.

        Raises:
            KeyError: The path leads through a scalar.
        """
        return self.changed(lambda draft: draft.replace(path, value))

    def changed(self, change: Callable[[EditedTree], object]) -> Document:
        """Return a document with what ``change`` does to a draft of it; for many changes at once."""
        draft = EditedTree(self._root)
        change(draft)
        return Document(draft.close(), self._texts)


def _is_tag(name: str) -> bool:
    return name in _TYPE_TAGS or _TAG.match(name) is not None
