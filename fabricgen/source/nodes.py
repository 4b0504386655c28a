"""The tree a document is held in: scalars of YAML 1.2, natural keys of list items, and the place of every value.

The parsers are asked for texts only. Resolving them here makes both give the same values, keeps YAML 1.1's surprises
out (``on``, ``1:30``, ``010`` as eight) and keeps the written form of a float: an AS number ``65001.10`` is no decimal.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from fabricgen.diagnostics import IntentPath, Place

Scalar = str | int | float | bool | None

_FIRST = frozenset("-+.0123456789nNtTfF~")
_WORDS: dict[str, Scalar] = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
}  # fmt: skip
_INTEGER = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL = {f"{sign}.{word}": float(f"{sign}inf") for sign in ("", "+", "-") for word in ("inf", "Inf", "INF")} | {
    f".{word}": math.nan for word in ("nan", "NaN", "NAN")
}
_DIGITS_MAX = 400


class RawFloat(float):
    """A float with its text in the file, for example ``65001.10``, which as a number would be ``65001.1``."""

    __slots__ = ("raw",)
    raw: str

    def __new__(cls, value: float, raw: str) -> RawFloat:
        """Make the float ``value`` that was written as ``raw``."""
        self = super().__new__(cls, value)
        self.raw = raw
        return self

    def __getnewargs__(self) -> tuple[float, str]:  # type: ignore[override]
        """Keep the written form in copies and pickles."""
        return float(self), self.raw


class NumberRangeError(ValueError):
    """A number that no float or sensible integer can hold."""


def resolve_scalar(text: str) -> Scalar:
    """Return the value that YAML 1.2's core schema gives to a plain scalar.

    Raises:
        NumberRangeError: The text is a number, but too large to be held.

    Source:
        YAML 1.2.2 section 10.3.2, tag resolution.
    """
    if not text:
        return None
    if text[0] not in _FIRST:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        return int(_bounded(text))
    if _BASED.fullmatch(text):
        return int(_bounded(text), 0)
    if text in _SPECIAL:
        return RawFloat(_SPECIAL[text], text)
    if _FLOAT.fullmatch(text):
        value = float(text)
        if math.isinf(value):
            raise NumberRangeError(text)
        return RawFloat(value, text)
    return text


def _bounded(text: str) -> str:
    if len(text) > _DIGITS_MAX:
        raise NumberRangeError(text)
    return text


_IDENTITY = ("name", "device", "host", "link", "n", "file")
_ACTIONS = ("state", "set", "raw", "to", "ports", "cable")


def natural_key(item: object) -> str:
    """Return the key under which a list item is found, merged and shown.

    A scalar is its own key. A mapping is known by its identity fields and by what it does, for example
    ``leaf-u001-r0~spine-07 2 ports``; one that has neither is known by all its scalar fields.
    """
    if not isinstance(item, dict):
        return _text(item)
    parts = [_text(item[field]) for field in _IDENTITY if field in item]
    parts += [action for action in _ACTIONS if action in item][:1]
    if not parts:
        parts = [f"{key}={_text(value)}" for key, value in item.items() if not isinstance(value, dict | list)]
    return " ".join(parts)


def item_segments(items: Sequence[object]) -> list[str]:
    """Return the path segment of every item of a list; a repeated key gets a running number so that it has a place."""
    seen: dict[str, int] = {}
    segments: dict[str, None] = {}
    for item in items:
        key = item if isinstance(item, str) else natural_key(item)
        count = seen.get(key, 0) + 1
        # A key may look like a repeated one: "a", "a" and "a #2".
        while (segment := f"[{key}]" if count == 1 else f"[{key} #{count}]") in segments:
            count += 1
        seen[key] = count
        segments[segment] = None
    return list(segments)


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, RawFloat):
        return value.raw
    if isinstance(value, list):
        return "~".join(natural_key(item) for item in value)
    if isinstance(value, dict):
        return natural_key(value)
    return str(value)


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
    """Return nodes for plain data, all at the place of a node; raises TypeError if YAML cannot express it."""
    if isinstance(value, dict):
        return like.with_value({str(key): graft(item, like) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return like.with_value([graft(item, like) for item in value])
    if value is None or isinstance(value, str | int | float):
        return like.with_value(value)
    raise TypeError(f"a document cannot hold a {type(value).__name__}")


def merge_nodes(base: Node, over: Node) -> Node:
    """Lay one tree over another: mappings merge by key, lists by natural key, everything else is replaced.

    Places stay those of the file that the value is from; neither argument is changed.
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
