"""``startup.yaml`` as ``nv config show`` prints it: block style, a header, equal settings of many names under one key.

Every setting is put under all names that have it, and the names of a key are written as ranges; numbers have the
letters before them once in a row.

Source:
    NVIDIA/enterprise-ras 6c19a590, spectrum-era/*/exported-configurations: ``swp1,4-11,28-53``,
    ``bond1s0-3,bond2s0-3``, ``vlan200,300``, members ``swp49-52``, neighbors ``swp27s0-1,swp28s0-1``, keys of more
    than 128 characters behind a question mark. nvair's README, output of 5.15: ``vlan: 10,20,30,40: {}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby
from typing import Any

import yaml

from ..crossread.text import strict_yaml

HEADER = {"model": "vx", "nvue-api-version": "nvue_v1", "rev-id": 1.0, "version": "Cumulus Linux 5.15.0"}
FOLDED = ("interface", "member", "neighbor", "vlan", "dscp", "switch-priority", "traffic-class")
"""Objects whose keys are folded."""
_NAME = re.compile(r"(.*?)(\d+)$")

Path = tuple[str, ...]


def print_file(text: str) -> str:
    (document,) = strict_yaml.load(text)
    return yaml.safe_dump([{"header": HEADER}, {"set": _fold(document["set"], "")}], sort_keys=False)


def write_names(names: list[str]) -> str:
    keys = sorted({_split(name) for name in names})
    words = []
    for prefix, numbers in groupby(keys, key=lambda key: key[0]):
        rows = [number for _, number in numbers if number >= 0]
        spans = groupby(enumerate(rows), key=lambda pair: pair[1] - pair[0])
        ranges = [[row for _, row in span] for _, span in spans] or [[]]
        shown = ["-".join(str(row) for row in dict.fromkeys((span[0], span[-1]))) if span else "" for span in ranges]
        words += [prefix + shown[0], *shown[1:]]
    return ",".join(words)


def _split(name: str) -> tuple[str, int]:
    """A name as its letters and its last number; names without one have -1."""
    match = _NAME.fullmatch(name)
    return (match[1], int(match[2])) if match and str(int(match[2])) == match[2] else (name, -1)


def _fold(node: Any, parent: str) -> Any:
    """An object with the keys of everything below it folded."""
    if not isinstance(node, dict):
        return node
    if parent not in FOLDED or not all(isinstance(below, dict) for below in node.values()):
        return {str(key): _fold(below, str(key)) for key, below in node.items()}
    names: dict[tuple[Path, str], list[str]] = {}
    values: dict[tuple[Path, str], Any] = {}
    for name, below in node.items():
        for path, value in _leafs(_fold(below, str(name)), ()):
            leaf = path, repr(value)
            names.setdefault(leaf, []).append(str(name))
            values[leaf] = value
    found: dict[str, Any] = {}
    for leaf, having in names.items():
        _put(found.setdefault(write_names(having), {}), leaf[0], values[leaf])
    return found


def _leafs(node: Any, path: Path) -> Iterator[tuple[Path, Any]]:
    if isinstance(node, dict) and node:
        for key, below in node.items():
            yield from _leafs(below, (*path, key))
    else:
        yield path, node


def _put(node: dict[str, Any], path: Path, value: Any) -> None:
    for step in path[:-1]:
        node = node.setdefault(step, {})
    if path:
        node[path[-1]] = value
