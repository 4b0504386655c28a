"""A document that was read: plain data with places, and many changes of it at once that share what is not touched."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from fabricgen.diagnostics import IntentPath, Place
from fabricgen.source.nodes import Node, Plain, graft


class _Open:
    """A node that is being changed; ``below`` are touched children by segment, None one that was taken away."""

    __slots__ = ("below", "node")

    def __init__(self, node: Node) -> None:
        self.node = node
        self.below: dict[str, _Open | None] = {}

    def child(self, segment: str) -> _Open | None:
        """The child under a segment, open from now on; None if there is none any more."""
        if segment in self.below:
            return self.below[segment]
        node = self.node.child(segment)
        if node is None:
            return None
        self.below[segment] = opened = _Open(node)
        return opened

    def close(self) -> Node:
        """The node with its changes."""
        if not self.below:
            return self.node
        ends: dict[str, Node | None] = {key: opened.close() if opened else None for key, opened in self.below.items()}
        if isinstance(self.node.value, list):
            items = zip(self.node.segments(), self.node.value, strict=True)
            changed = [ends.pop(segment, node) for segment, node in items]
            return self.node.with_value([item for item in (*changed, *ends.values()) if item is not None])
        if isinstance(self.node.value, dict):
            entries: dict[str, Node | None] = {**self.node.value, **ends}
            return self.node.with_value({key: item for key, item in entries.items() if item is not None})
        raise AssertionError("only collections have children")


class EditedTree:
    """A tree that is being changed; paths are those of the tree it was made of, whatever else has changed."""

    __slots__ = ("_root",)

    def __init__(self, root: Node) -> None:
        """Begin with ``root``, which itself stays as it is."""
        self._root = _Open(root)

    def close(self) -> Node:
        """Return the changed tree."""
        return self._root.close()

    def has(self, path: IntentPath) -> bool:
        """Return whether there is anything at that path now."""
        at = self._root
        for depth, segment in enumerate(path):
            if segment not in at.below:
                return at.node.deepest(path[depth:])[1] == len(path) - depth
            below = at.below[segment]
            if below is None:
                return False
            at = below
        return True

    def remove(self, path: IntentPath) -> None:
        """Take one key or list item away; raises KeyError if there is nothing at that path."""
        if not path or not self.has(path):
            raise KeyError(path)
        self._at(path[:-1]).below[path[-1]] = None

    def rename(self, path: IntentPath, key: str) -> None:
        """Rename a key of a mapping, with the places of its value; raises KeyError if there is none at that path."""
        if not path or not self.has(path) or path[-1].startswith("["):
            raise KeyError(path)
        holder, opened = self._at(path[:-1]), self._at(path)
        holder.below[path[-1]] = None
        holder.below[key] = opened

    def replace(self, path: IntentPath, value: object) -> None:
        """Put plain data at one path, in place of what is there or of the deepest ancestor that exists.

        A key or list item that does not exist yet is added, with the mappings that lead to it. Raises KeyError if the
        path leads through a scalar.
        """
        if not path:
            self._root = _Open(graft(value, self._root.node))
            return
        holder = self._root
        for depth, segment in enumerate(path):
            if not isinstance(holder.node.value, dict | list):
                raise KeyError(segment)
            below = holder.child(segment)
            if depth == len(path) - 1:
                like = below.node if below else holder.node
                holder.below[segment] = _Open(graft(value, like))
            elif below is None:
                container: object = [] if path[depth + 1].startswith("[") else {}
                holder.below[segment] = below = _Open(graft(container, holder.node))
            if below is not None:
                holder = below

    def _at(self, path: IntentPath) -> _Open:
        opened = self._root
        for segment in path:
            below = opened.child(segment)
            assert below is not None, "callers ask for paths that exist"  # noqa: S101 - a programming error
            opened = below
        return opened


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
        """Return the place of a scalar or item, or of the key of a mapping or list; else of the deepest ancestor."""
        node, _ = self._root.deepest(path)
        return node.place(on_key=on_key)

    def to_path(self, loc: Sequence[str | int]) -> IntentPath:
        """Turn the location a validator reports, keys and list indices, into an intent path.

        Segments that name no key, such as tags of unions and names of functions, are left out. A last segment that the
        document does not have is kept if it can be a key: then it is the one that is missing.
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
        """Return a document that lacks one key or list item; raises KeyError if there is nothing at that path."""
        return self.changed(lambda draft: draft.remove(path))

    def replaced(self, path: IntentPath, value: object) -> Document:
        """Return a document that has another value at one path; see ``EditedTree.replace``."""
        return self.changed(lambda draft: draft.replace(path, value))

    def changed(self, change: Callable[[EditedTree], object]) -> Document:
        """Return a document with what ``change`` does to a draft of it; for many changes at once."""
        draft = EditedTree(self._root)
        change(draft)
        return Document(draft.close(), self._texts)


def _is_tag(name: str) -> bool:
    return name in _TYPE_TAGS or _TAG.match(name) is not None
