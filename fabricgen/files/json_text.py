"""JSON that fabricgen did not write: bounded in depth and in what it grows to before anything is made of it."""

from __future__ import annotations

import json
import re
from typing import Any

_DEPTH_MAX = 64
"""Containers within each other; the deepest answers of devices, routes with their next hops, have ten."""
_CONTAINERS_MAX = 1 << 18
_VALUES_MAX = 1 << 19
"""An empty container takes 2 bytes of text and 64 of memory: 16 MiB of them would take 300 MiB and more."""
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+(?:"|\Z)', re.DOTALL)
_NO_BRACKETS = bytes(byte for byte in range(256) if byte not in b"[]{}")


def parse_json(data: bytes) -> Any:
    """Return a JSON document; raises ValueError with the reason if it is none, or ``check_bounds`` refuses it."""
    check_bounds(data)
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_refuse)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def check_bounds(data: bytes) -> None:
    """Raise ValueError if a JSON text is larger or deeper than any answer; signs within strings count as well."""
    containers, values = data.count(b"[") + data.count(b"{"), data.count(b",")
    if containers > _CONTAINERS_MAX or values > _VALUES_MAX:
        raise ValueError(f"it has {containers:,} lists and objects and {values:,} commas, more than any answer")
    # Strings go first, then each round takes away the innermost containers.
    brackets = _STRING.sub(b"", data).translate(None, _NO_BRACKETS)
    for _ in range(_DEPTH_MAX):
        left = brackets.replace(b"[]", b"").replace(b"{}", b"")
        if len(left) == len(brackets):
            # Nothing is left, or what is left has no other end, which is found where it is parsed.
            return
        brackets = left
    if brackets:
        raise ValueError(f"it is nested deeper than {_DEPTH_MAX}")


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no number of JSON")
