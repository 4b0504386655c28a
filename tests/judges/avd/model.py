"""EOS text to the data model of ``eos_cli_config_gen``: one pattern per command; others are kept as unknown."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..crossread.text.indented import Block, read_blocks

Values = tuple[str, ...]
Action = Callable[[dict[str, Any], Values], dict[str, Any] | None]


def put(*path: str, value: Any = None) -> Action:
    """An action that sets a key; the pattern's first group, or a fixed value."""

    def act(data: dict[str, Any], found: Values) -> None:
        for key in path[:-1]:
            data = data.setdefault(key, {})
        text = found[0] if found else ""
        data[path[-1]] = value if value is not None else int(text) if text.lstrip("-").isdigit() else text

    return act


def _item(found: Values, shape: dict[str, Any]) -> dict[str, Any]:
    """Return keys with values; each is given as the number of a group, a function of all groups, or itself."""
    item = {}
    for key, part in shape.items():
        value = part(found) if callable(part) else found[part] if type(part) is int else part
        item[key] = int(value) if isinstance(value, str) and value.isdigit() and key in _NUMBERS else value
    return {key: value for key, value in item.items() if value is not None}


def add(*path: str, **shape: Any) -> Action:
    def act(data: dict[str, Any], found: Values) -> dict[str, Any]:
        for key in path[:-1]:
            data = data.setdefault(key, {})
        item = _item(found, shape)
        data.setdefault(path[-1], []).append(item)
        return item

    return act


def fill(*path: str, **shape: Any) -> Action:
    """An action that sets keys of one mapping."""

    def act(data: dict[str, Any], found: Values) -> None:
        for key in path:
            data = data.setdefault(key, {})
        data |= _item(found, shape)

    return act


_NUMBERS = {
    "id", "sequence", "priority_", "priority", "mtu", "privilege", "begin", "end", "interval", "min_rx", "multiplier",
    "paths", "ecmp", "distance", "prefix_length", "offset",
}  # fmt: skip


def text_list(*path: str) -> Action:
    """An action that appends the pattern's first group to a list of texts."""

    def act(data: dict[str, Any], found: Values) -> None:
        for key in path[:-1]:
            data = data.setdefault(key, {})
        data.setdefault(path[-1], []).append(found[0])

    return act


def child(*names: str) -> Action:
    """An action that goes on in a mapping below."""

    def act(data: dict[str, Any], found: Values) -> dict[str, Any]:
        for name in names:
            data = data.setdefault(name, {})
        return data

    return act


def find(key: str, name: str, *path: str, value: Any = None) -> Action:
    """An action that sets a key of the item whose ``name`` is the pattern's first group; made if there is none."""

    def act(data: dict[str, Any], found: Values) -> dict[str, Any]:
        items = data.setdefault(key, [])
        item = next((item for item in items if item[name] == found[0]), None)
        if item is None:
            item = {name: found[0]}
            items.append(item)
        if path:
            put(*path, value=value)(item, found[1:])
        return item

    return act


@dataclass(frozen=True, slots=True)
class Rule:
    """A command: its pattern, what it does to the data, and the commands that may stand below it."""

    pattern: str
    action: Action | None = None
    below: tuple[Rule, ...] = ()


@dataclass(slots=True)
class Reading:
    """Model of a configuration; ``unknown`` are commands without a pattern."""

    data: dict[str, Any] = field(default_factory=dict)
    unknown: list[tuple[str, ...]] = field(default_factory=list)


def read_model(text: str, rules: tuple[Rule, ...]) -> Reading:
    reading = Reading()
    for block in read_blocks(text):
        _apply(block, rules, reading.data, reading, ())
    return reading


def _apply(block: Block, rules: tuple[Rule, ...], data: dict[str, Any], out: Reading, above: Values) -> None:
    for rule in rules:
        match = re.fullmatch(rule.pattern, block.line)
        if match is None:
            continue
        inner = rule.action(data, match.groups()) if rule.action else None
        for child in block.below:
            _apply(child, rule.below, data if inner is None else inner, out, (*above, block.line))
        return
    out.unknown += list(block.paths(above))
