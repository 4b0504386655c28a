"""Vectors in a file of reference vectors, grouped by their place, judged without leaving a figure unread."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import Any

import yaml

from tests.reference_files import find_reference

PROSE = {"note", "source", "text", "formula", "confidence", "trap", "applies_to", "numbers", "kind", "verdict"}
"""Keys that comment on a vector whatever its group."""

Handler = Callable[["Row"], None]


class Row:
    """A vector that remembers which of its keys were looked at."""

    def __init__(self, data: dict[Any, Any]) -> None:
        self.data = data
        self.read: set[Any] = set()

    def __getitem__(self, key: Any) -> Any:
        self.read.add(key)
        return self.data[key]

    def __contains__(self, key: Any) -> bool:
        return key in self.data

    def get(self, key: Any, default: Any = None) -> Any:
        self.read.add(key)
        return self.data.get(key, default)

    def items(self) -> Iterator[tuple[Any, Any]]:
        return ((key, self[key]) for key in self.data if key not in PROSE)


def vectors_file(name: str) -> dict[str, Any]:
    """A file of reference vectors beside the folder of judges; skips the test by name where it is not."""
    found: dict[str, Any] = yaml.safe_load(find_reference(f"reference/physics/{name}").read_text(encoding="utf-8"))
    return found


def groups(node: Any, path: str = "") -> dict[str, list[dict[Any, Any]]]:
    found: dict[str, list[dict[Any, Any]]] = {}
    if isinstance(node, list):
        rows = [item if isinstance(item, dict) else {"item": item} for item in node if has_number(item)]
        return {path: rows} if rows else {}
    if isinstance(node, dict):
        own = {key: value for key, value in node.items() if not _is_container(value)}
        if has_number(own):
            found[path] = [own]
        for key, value in node.items():
            if _is_container(value):
                found |= groups(value, f"{path}.{key}".lstrip("."))
    return found


def has_number(value: Any) -> bool:
    if isinstance(value, dict):
        return any(has_number(item) for item in value.values())
    if isinstance(value, list):
        return any(has_number(item) for item in value)
    return isinstance(value, int | float) and not isinstance(value, bool)


def judge(handler: Handler, data: dict[Any, Any], unread: Collection[Any] = ()) -> None:
    """Let a handler judge a vector; figures it did not look at are a failure, too."""
    row = Row(data)
    handler(row)
    left = {key for key in data if key not in {*row.read, *PROSE, *unread}}
    assert not left, f"nobody judges {sorted(map(str, left))}"


def _is_container(value: Any) -> bool:
    return isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict) for item in value))
