"""Positions of keys and values in a JSON text."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

Steps = tuple[str, ...]
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


class _Open(NamedTuple):
    """An object or array that is being read; ``at`` counts an array's items."""

    is_object: bool
    path: Steps
    at: list[int]


class JsonPlaces:
    """Line and column of every key and value of a JSON text that is well formed, from 1.

    A path has the keys of objects and the numbers of array items, as texts.
    """

    __slots__ = ("_keys", "_starts", "_values")

    def __init__(self, text: str) -> None:
        """Read the text once."""
        self._keys: dict[Steps, int] = {}
        self._values: dict[Steps, int] = {}
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self._read(text)

    def key(self, path: Sequence[str]) -> tuple[int, int]:
        """Return the start of a key; for an array's item, the start of the item."""
        found = tuple(path)
        return self._position(self._keys.get(found, self._values.get(found, 0)))

    def value(self, path: Sequence[str]) -> tuple[int, int]:
        """Return the start of a value."""
        return self._position(self._values.get(tuple(path), 0))

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def _read(self, text: str) -> None:
        stack: list[_Open] = []
        path: Steps = ()
        is_key = False
        for match in _TOKEN.finditer(text):
            sign = match[0]
            if sign in "}]":
                stack.pop()
            elif sign == ",":
                is_key = stack[-1].is_object
                if not is_key:
                    stack[-1].at[0] += 1
                    path = (*stack[-1].path, str(stack[-1].at[0]))
            elif is_key and sign[0] == '"':
                path, is_key = (*stack[-1].path, json.loads(sign)), False
                self._keys.setdefault(path, match.start())
            elif sign != ":":
                self._values.setdefault(path, match.start())
                if sign in "{[":
                    stack.append(_Open(sign == "{", path, [0]))
                    is_key = sign == "{"
                    path = path if is_key else (*path, "0")
