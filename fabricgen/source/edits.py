"""Many changes of a document at once: each costs its own path, and what is not touched is shared."""

from __future__ import annotations

from fabricgen.diagnostics import IntentPath
from fabricgen.source.nodes import Node, graft


class _Open:
    """A node that is being changed.

    Attributes:
        node: What it was made of; its places stay.
        below: Children that were touched, by segment; None is a child that was taken away.
    """

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
        """Take one key or list item away.

        Raises:
            KeyError: There is nothing at that path.
        """
        if not path or not self.has(path):
            raise KeyError(path)
        self._at(path[:-1]).below[path[-1]] = None

    def rename(self, path: IntentPath, key: str) -> None:
        """Give one key of a mapping another name; its value keeps its places.

        Raises:
            KeyError: There is nothing at that path, or it is a list item.
        """
        if not path or not self.has(path) or path[-1].startswith("["):
            raise KeyError(path)
        holder, opened = self._at(path[:-1]), self._at(path)
        holder.below[path[-1]] = None
        holder.below[key] = opened

    def replace(self, path: IntentPath, value: object) -> None:
        """Put another value at one path.

        Args:
            path: Where; a key or list item that does not exist yet is added, with the mappings that lead to it.
            value: Plain data; it takes the place of what it replaces, or of its deepest existing ancestor.

        Raises:
            KeyError: The path leads through a scalar.
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
        """Return what is at a path that exists."""
        opened = self._root
        for segment in path:
            below = opened.child(segment)
            assert below is not None, "callers ask for paths that exist"  # noqa: S101 - a programming error
            opened = below
        return opened
