"""Parser events to a tree of nodes; here everything is refused that YAML allows and an intent must not contain."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from fabricgen.diagnostics import IntentPath, Related
from fabricgen.diagnostics.quoting import may_hold_secret
from fabricgen.source import source_codes as codes
from fabricgen.source.decode import Reporter, replace_hidden
from fabricgen.source.nodes import Node, NumberRangeError, Scalar, natural_key, resolve_scalar
from fabricgen.source.parse import DEPTH_MAX

COPIES_MAX = 200_000
_VALUE_CHARACTERS = 100
"""Characters of a text that weigh as much as one more value where aliases are counted."""

_NUMBER_KEY = re.compile(r"0|[1-9][0-9]*")
_SURROGATE = re.compile("[\ud800-\udfff]")


class _Stop(Exception):  # noqa: N818 - control flow
    """The document cannot be read on; why has been reported."""


class _Frame:
    """A collection that is being read.

    Attributes:
        pending: In a mapping, the key whose value is awaited, with its place; the key is None if the value is to be
            left out. None while a key is awaited.
        size: How many values the collection holds, itself included; a long text counts as several.
        height: How deep it nests, itself included.
    """

    __slots__ = ("anchor", "entries", "height", "items", "node", "pending", "size")

    def __init__(self, node: Node, anchor: str | None) -> None:
        self.node = node
        self.anchor = anchor
        self.items: list[Node] | None = node.value if isinstance(node.value, list) else None
        self.entries: dict[str, Node] | None = node.value if isinstance(node.value, dict) else None
        self.pending: tuple[str | None, int, int] | None = None
        self.size = 1
        self.height = 1


class TreeBuilder:
    """Builds the tree of one document; collections wait on a stack until they are complete."""

    def __init__(
        self, report: Reporter, lines: Sequence[str] = (), *, unique_items: bool, number_keys: bool = False
    ) -> None:
        """Prepare to read one document.

        Invisible characters are looked for in ``lines``, if there are any. List items that share their natural key are
        reported if ``unique_items``; a decimal number is a key as it is written if ``number_keys``.
        """
        self._report = report
        self._file = report.file
        self._lines = lines
        self._unique_items = unique_items
        self._number_keys = number_keys
        self._stack: list[_Frame] = []
        self._root: Node | None = None
        self._anchors: dict[str, tuple[Node, int, int] | _Frame] = {}
        self._copies = 0
        self._documents = 0
        self.refused = False
        """True if the document as a whole could not be read; the reason has been reported."""

    def build(self, events: Sequence[Any]) -> Node | None:
        """Return the root, or None if the document has none or is refused."""
        from ruamel.yaml import events as kinds

        steps: dict[type, Callable[[Any], None]] = {
            kinds.ScalarEvent: self._scalar,
            kinds.MappingStartEvent: lambda event: self._start(event, {}),
            kinds.SequenceStartEvent: lambda event: self._start(event, []),
            kinds.MappingEndEvent: self._end,
            kinds.SequenceEndEvent: self._end,
            kinds.AliasEvent: self._alias,
            kinds.DocumentStartEvent: self._document,
        }
        try:
            for event in events:
                step = steps.get(event.__class__)
                if step is not None:
                    step(event)
        except _Stop:
            return None if self.refused else self._root
        return self._root

    @staticmethod
    def _at(mark: Any) -> tuple[int, int]:
        """Line and column in the file, counted from 1."""
        return mark.line + 1, mark.column + 1

    def _path(self) -> IntentPath:
        """The path of what is being read, as far as no list item is involved, whose key is not complete yet."""
        path = []
        for frame in self._stack:
            if frame.pending is None or frame.pending[0] is None:
                break
            path.append(frame.pending[0])
        return tuple(path)

    def _document(self, event: Any) -> None:
        self._documents += 1
        if self._documents > 1:
            line, column = self._at(event.start_mark)
            message = "a second document starts here; only the first one is read"
            self._report.at(codes.UNREAD_FEATURE, line, column, message)
            raise _Stop

    def _scalar(self, event: Any) -> None:
        line, column = self._at(event.start_mark)
        text = self._text(event, line, column)
        frame = self._stack[-1] if self._stack else None
        awaits_key = frame is not None and frame.entries is not None and frame.pending is None
        value: Scalar
        if event.style:
            value = text if text.isascii() else self._join_surrogates(text, line, column)
        elif awaits_key and text == "<<":
            self._report.at(codes.UNREAD_FEATURE, line, column, "merge keys are not supported")
            self._drop(line, column)
            return
        else:
            value = self._resolve(text, line, column)
            if not text and frame is not None and frame.pending is not None:
                _, line, column = frame.pending
        if frame is not None and awaits_key:
            frame.size += _size(text)
            self._await_value(frame, value, text, line, column)
            if event.anchor:
                self._anchors[event.anchor] = (Node(value, self._file, line, column, 0, 0), _size(text), 0)
            return
        node = Node(value, self._file, line, column, 0, 0)
        if event.anchor:
            self._anchors[event.anchor] = (node, _size(text), 0)
        self._add(node, _size(text), 0)

    def _text(self, event: Any, line: int, column: int) -> str:
        """The text of a scalar, with invisible characters made visible."""
        if event.ctag is not None:
            self._refuse_tag(event.tag, line, column)
        text: str = event.value
        if self._lines and not (text.isascii() and text.isprintable()):
            return replace_hidden(self._join_surrogates(text, line, column), self._lines, line, column, self._report)
        return text

    def _resolve(self, text: str, line: int, column: int) -> Scalar:
        try:
            return resolve_scalar(text)
        except NumberRangeError:
            shown = text if len(text) <= 40 else f"{text[:37]}..."
            message = f"{shown} is too large for a number"
            self._report.at(codes.NUMBER_RANGE, line, column, message, path=self._path())
            return text

    def _join_surrogates(self, text: str, line: int, column: int) -> str:
        """Make one character of what JSON writes as two escapes; a half without its other half is reported."""
        if _SURROGATE.search(text) is None:
            return text
        data = text.encode("utf-16-le", "surrogatepass")
        try:
            return data.decode("utf-16-le")
        except UnicodeDecodeError:
            message = "an escape for half of a surrogate pair, which is no character"
            hint = "write the character itself"
            self._report.at(codes.CONTROL_CHARACTER, line, column, message, hint=hint, path=self._path())
            return data.decode("utf-16-le", "replace")

    def _refuse_tag(self, tag: str, line: int, column: int) -> None:
        shown = tag.replace("tag:yaml.org,2002:", "!!", 1)
        message = f"the tag {shown} is not allowed"
        self._report.at(codes.UNREAD_FEATURE, line, column, message, path=self._path())

    def _start(self, event: Any, value: dict[str, Node] | list[Node]) -> None:
        line, column = self._at(event.start_mark)
        if event.ctag is not None:
            self._refuse_tag(event.tag, line, column)
        if len(self._stack) == DEPTH_MAX:
            self._refuse_depth(line, column)
        frame = _Frame(Node(value, self._file, line, column, 0, 0), event.anchor)
        if event.anchor:
            self._anchors[event.anchor] = frame
        self._stack.append(frame)

    def _refuse_depth(self, line: int, column: int) -> None:
        message = f"values nest deeper than {DEPTH_MAX} levels here"
        self._report.at(codes.TOO_DEEP, line, column, message, path=self._path()[:8])
        self.refused = True
        raise _Stop

    def _end(self, _: Any) -> None:
        frame = self._stack.pop()
        if frame.items and self._unique_items:
            self._refuse_repeated(frame.items)
        if frame.anchor and self._anchors.get(frame.anchor) is frame:
            self._anchors[frame.anchor] = (frame.node, frame.size, frame.height)
        self._add(frame.node, frame.size, frame.height)

    def _refuse_repeated(self, items: list[Node]) -> None:
        first: dict[str, Node] = {}
        for item in items:
            key = natural_key(item.plain())
            known = first.setdefault(key, item)
            if known is not item and key:
                related = (Related("the first one is here", place=known.place()),)
                message = f'two items of the list have the key "{key}"'
                self._report.at(
                    codes.DUPLICATE_KEY, item.line, item.column, message, related=related, path=self._path(),
                )  # fmt: skip

    def _alias(self, event: Any) -> None:
        line, column = self._at(event.start_mark)
        target = self._anchors.get(event.anchor)
        if target is None:
            message = f"no anchor &{event.anchor} precedes this alias"
            self._report.at(codes.ALIAS_UNKNOWN, line, column, message)
            self._drop(line, column)
        elif isinstance(target, _Frame):
            related = (Related("the anchor is here", place=target.node.place()),)
            message = f"the alias *{event.anchor} is inside the value it names"
            self._report.at(codes.ALIAS_UNKNOWN, line, column, message, related=related)
            self._drop(line, column)
        else:
            node, size, height = target
            self._copies += size
            if self._copies > COPIES_MAX:
                message = f"the aliases of this document expand to more than {COPIES_MAX} values"
                self._report.at(codes.ALIAS_EXPLOSION, line, column, message)
                self.refused = True
                raise _Stop
            if len(self._stack) + height > DEPTH_MAX:
                self._refuse_depth(line, column)
            self._add(Node(node.value, self._file, line, column, 0, 0), size, height)

    def _add(self, node: Node, size: int, height: int) -> None:
        """Put a complete value where it belongs."""
        if not self._stack:
            self._root = node
            return
        frame = self._stack[-1]
        frame.size += size
        if height >= frame.height:
            frame.height = height + 1
        if frame.items is not None:
            frame.items.append(node)
        elif frame.pending is None:
            self._await_value(frame, node.value, natural_key(node.plain()), node.line, node.column)
        else:
            key, node.key_line, node.key_column = frame.pending
            frame.pending = None
            if key is not None and frame.entries is not None:
                frame.entries[key] = node

    def _drop(self, line: int, column: int) -> None:
        """Leave out a key with its value, or a value with its key."""
        if self._stack and self._stack[-1].entries is not None:
            frame = self._stack[-1]
            frame.pending = (None, line, column) if frame.pending is None else None

    def _await_value(self, frame: _Frame, value: object, text: str, line: int, column: int) -> None:
        """Take a key of a mapping; a key that cannot be used is reported and its value left out."""
        key = value if isinstance(value, str) else None
        if self._number_keys and isinstance(value, int) and _NUMBER_KEY.fullmatch(text):
            key = text
        elif key is None:
            key = text if value is not None and not isinstance(value, dict | list) else None
            self._report_key(key, line, column)
        known = None if key is None or frame.entries is None else frame.entries.get(key)
        if key is not None and known is not None:
            path = (*self._path(), key)
            related = (Related("first given here", place=known.place(on_key=True)),)
            message = f'the key "{key}" is given twice'
            self._report.at(codes.DUPLICATE_KEY, line, column, message, related=related, path=path)
            key = None
        frame.pending = (key, line, column)

    def _report_key(self, text: str | None, line: int, column: int) -> None:
        """Report a key that is no text; ``text`` is its spelling, None for a collection."""
        path = self._path()
        quoted = text and not may_hold_secret([str(segment) for segment in path])
        message = f"{text} is not a text and cannot be a key" if quoted else "only a text can be a key"
        hint = f'write "{text}" if it is a name' if quoted else None
        self._report.at(codes.KEY_NOT_TEXT, line, column, message, hint=hint, path=path)


def _size(text: str) -> int:
    """Return how many values a text counts as."""
    return 1 + len(text) // _VALUE_CHARACTERS
