"""The tree a document is held in: plain data with the place of every value and key."""

from __future__ import annotations

from fabricgen.diagnostics import IntentPath, Place
from fabricgen.source.natural_keys import item_segments
from fabricgen.source.scalars import Scalar

Plain = Scalar | list["Plain"] | dict[str, "Plain"]
"""Data of YAML and JSON, without places."""


class Node:
    """A value and where it stands. Never changed once its document is built, so that documents can share nodes.

    Places are kept as numbers; most are never asked for. ``key_line`` is 0 for what has no key: roots and list items.
    """

    __slots__ = ("_order", "_plain", "_segments", "column", "file", "key_column", "key_line", "line", "value")

    def __init__(self, value: Content, file: str, line: int, column: int, key_line: int, key_column: int) -> None:
        """Hold ``value``; lines and columns count from 1."""
        self.value = value
        self.file = file
        self.line = line
        self.column = column
        self.key_line = key_line
        self.key_column = key_column
        self._plain: Plain = None
        self._segments: dict[str, int] | None = None
        self._order: tuple[str, ...] | None = None

    def with_value(self, value: Content) -> Node:
        """Return a node of the same places with another value."""
        return Node(value, self.file, self.line, self.column, self.key_line, self.key_column)

    def place(self, *, on_key: bool = False) -> Place:
        """Return the place of a scalar; that of the key for a mapping or list, or for anything if ``on_key``."""
        if self.key_line and (on_key or isinstance(self.value, dict | list)):
            return Place(self.file, self.key_line, self.key_column)
        return Place(self.file, self.line, self.column)

    def plain(self) -> Plain:
        """The value without places; made once, and shared by all who ask."""
        value = self.value
        if isinstance(value, dict):
            if self._plain is None:
                self._plain = {key: node.plain() for key, node in value.items()}
            return self._plain
        if isinstance(value, list):
            if self._plain is None:
                self._plain = [node.plain() for node in value]
            return self._plain
        return value

    def segments(self) -> dict[str, int]:
        """The path segment of every item of a list, with its index."""
        if self._segments is None:
            items: list[object] = [node.plain() for node in self.value] if isinstance(self.value, list) else []
            self._segments = {segment: index for index, segment in enumerate(item_segments(items))}
        return self._segments

    def segment_at(self, index: int) -> str:
        """The path segment of one item of a list."""
        if self._order is None:
            self._order = tuple(self.segments())
        return self._order[index]

    def child(self, segment: str) -> Node | None:
        """The value under one path segment, or None."""
        if isinstance(self.value, dict):
            return self.value.get(segment)
        if isinstance(self.value, list):
            index = self.segments().get(segment)
            return None if index is None else self.value[index]
        return None

    def deepest(self, path: IntentPath) -> tuple[Node, int]:
        """Return what is at a path, or at as much of it as exists, and how many segments that is."""
        node = self
        for depth, segment in enumerate(path):
            child = node.child(segment)
            if child is None:
                return node, depth
            node = child
        return node, len(path)


Content = Scalar | list[Node] | dict[str, Node]
"""Content of a node."""


def graft(value: object, like: Node) -> Node:
    """Return nodes for plain data, all at the place of an existing node.

    Raises:
        TypeError: The data holds something YAML cannot say.
    """
    if isinstance(value, dict):
        return like.with_value({str(key): graft(item, like) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return like.with_value([graft(item, like) for item in value])
    if value is None or isinstance(value, str | int | float):
        return like.with_value(value)
    raise TypeError(f"a document cannot hold a {type(value).__name__}")


def merge_nodes(base: Node, over: Node) -> Node:
    """Lay one tree over another: mappings merge by key, lists by natural key, everything else is replaced.

    Args:
        base: The tree below; what is not overlaid keeps its place.
        over: The tree above; what it says keeps its own place.

    Returns:
        A new tree; neither argument is changed.
    """
    if isinstance(base.value, dict) and isinstance(over.value, dict):
        merged = dict(base.value)
        for key, node in over.value.items():
            known = merged.get(key)
            merged[key] = node if known is None else merge_nodes(known, node)
        return base.with_value(merged)
    if isinstance(base.value, list) and isinstance(over.value, list):
        items = list(base.value)
        known_at = base.segments()
        for segment, index in over.segments().items():
            if segment in known_at:
                items[known_at[segment]] = merge_nodes(items[known_at[segment]], over.value[index])
            else:
                items.append(over.value[index])
        return base.with_value(items)
    return over
