"""A document that was read: plain data, and for every path in it the place in a file."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from fabricgen.diagnostics import IntentPath, Place
from fabricgen.source.nodes import Node, Plain, graft

_TAG = re.compile(r"constrained-|[A-Z]|.*[^a-zA-Z0-9_.-]")
_TYPE_TAGS = frozenset({"str", "int", "float", "bool", "none", "list", "tuple", "dict", "set"})


class Document:
    """Data with places. Documents are values: changing one gives another, and both share what is equal."""

    __slots__ = ("_root", "_texts")

    def __init__(self, root: Node, texts: Mapping[str, str]) -> None:
        """Hold a tree and the texts of the files it came from, by the name they are shown under."""
        self._root = root
        self._texts = dict(texts)

    @property
    def root(self) -> Node:
        """The tree itself."""
        return self._root

    @property
    def data(self) -> Plain:
        """The data without places. It is shared: whoever wants to change it uses ``replaced`` or ``without``."""
        return self._root.plain()

    @property
    def files(self) -> tuple[str, ...]:
        """The files that were read, as the user gave them: the document's own first, then its overlays."""
        return tuple(self._texts)

    def lines(self, file: str) -> list[str]:
        """The lines of one of the files; none for a file that is not part of the document."""
        text = self._texts.get(file, "")
        return text.removesuffix("\n").split("\n") if text else []

    @property
    def end(self) -> Place:
        """Behind the last line of the document's own file that says anything, where a new key would go."""
        file = self._root.file
        lines = self.lines(file) or [""]
        number = max((at for at, line in enumerate(lines, 1) if line.strip()), default=1)
        return Place(file, number, len(lines[number - 1].rstrip()) + 1)

    def has(self, path: IntentPath) -> bool:
        """Whether the document says anything at that path."""
        return self._deepest(path)[1] == len(path)

    def value(self, path: IntentPath) -> Plain:
        """The plain data at a path; None where there is none."""
        node, depth = self._deepest(path)
        return node.plain() if depth == len(path) else None

    def is_scalar(self, path: IntentPath) -> bool:
        """Whether the document has one plain value at that path."""
        node, depth = self._deepest(path)
        return depth == len(path) and not isinstance(node.value, dict | list)

    def place(self, path: IntentPath, on_key: bool = False) -> Place | None:
        """Where a path stands in the files.

        Args:
            path: An intent path; of one that does not exist the deepest existing ancestor is taken.
            on_key: Give the place of the key even if the value has one of its own.

        Returns:
            The place of a scalar, or of the key of a mapping or list; of the item itself for list items.
        """
        node, _ = self._deepest(path)
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
                    path.append(list(node.segments())[segment])
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
        if not path or not self.has(path):
            raise KeyError(path)
        return Document(_rebuild(self._root, path, lambda _: None), self._texts)

    def renamed(self, path: IntentPath, key: str) -> Document:
        """Return a document in which one key of a mapping has another name; its value keeps its places.

        Raises:
            KeyError: There is nothing at that path, or it is a list item.
        """
        node, depth = self._deepest(path)
        if depth < len(path) or path[-1].startswith("["):
            raise KeyError(path)
        return Document(_rebuild(self.without(path).root, (*path[:-1], key), lambda _: node), self._texts)

    def replaced(self, path: IntentPath, value: object) -> Document:
        """Return a document that has another value at one path.

        Args:
            path: Where; a key or list item that does not exist yet is added, with the mappings that lead to it.
            value: Plain data; it takes the place of what it replaces, or of its deepest existing ancestor.

        Raises:
            KeyError: The path leads through a scalar.
        """
        return Document(_rebuild(self._root, path, lambda node: graft(value, node)), self._texts)

    def _deepest(self, path: IntentPath) -> tuple[Node, int]:
        node = self._root
        for depth, segment in enumerate(path):
            child = node.child(segment)
            if child is None:
                return node, depth
            node = child
        return node, len(path)


def _is_tag(name: str) -> bool:
    return name in _TYPE_TAGS or _TAG.match(name) is not None


def _rebuild(node: Node, path: IntentPath, change: Callable[[Node], Node | None]) -> Node:
    """Copy the nodes along a path and change the last one; only those nodes are new."""
    if not path:
        changed = change(node)
        assert changed is not None, "only children can be removed"  # noqa: S101 - callers exclude the root
        return changed
    head, rest = path[0], path[1:]
    child = node.child(head)
    if child is None:
        container: dict[str, object] | list[object] = [] if rest and rest[0].startswith("[") else {}
        child = graft(container if rest else None, node)
    replacement = _rebuild(child, rest, change) if rest else change(child)
    if isinstance(node.value, dict):
        entries = {key: item for key, item in node.value.items() if key != head or replacement is not None}
        return node.with_value(entries if replacement is None else {**entries, head: replacement})
    if isinstance(node.value, list):
        index = node.segments().get(head, len(node.value))
        items = [] if replacement is None else [replacement]
        return node.with_value(node.value[:index] + items + node.value[index + 1 :])
    raise KeyError(head)
