"""Mutations of inventories: one slip each, drawn from the schema of the language, with the line it stands on."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from fabricgen.intent.fabric import intent_schema
from fabricgen.validation.schema import schema_nodes
from tests.meta.leafs import ANY_ITEM, ANY_KEY, Pattern, schema_leafs

GARBAGE = (
    "'a\nb'", '"line one\\nline two"', '"{{ 7 * 7 }}"', '"{% include x %}"', '"{# note #}"', '"../../etc/x"',
    '"/etc/passwd"', '"@fabricgen-secret:env:HOME@"', '"\\0"', '"\\e[31m"', "x" * 300, '""', '" "', "Zürich", "日本語",
    "!!binary aGk=", "&a *a", "- -", "'; rm -rf /'", "$(reboot)", "0x1F", "0o17", "1_000", "12:30:45", "yes",
    "65001.10", "4.0", "1e3", "1e999", ".inf", ".nan", "-1", "0", "99999999999999999999", "~", "true", "[]", "{}",
    "[[1]]", "{a: {b: c}}", "300.1.1.1/33", "10.0.0.1/8", "0.0.0.0/0", "::/0", "10.0.0.0/32", "10.255.0.0/16",
    "192.168.0.10", "fe80::1", "400g", "400", "400 G", "1-2", "5-1", "1,,2", '"16:0"', "env:X", "{secret: plain}",
    "{secret: env:A B}", '"{unit}-{bad}"', '"{"', '"leaf-{unit:003}"', '"-{unit}"',
)  # fmt: skip
_SKELETONS: dict[Pattern, str] = {
    ("planes",): "{count: 1}",
    ("zones",): "{count: 1}",
    ("pods",): "{count: 1}",
    ("operations", "snmp"): '{community: {secret: "env:A"}}',
    ("operations", "tacacs"): '{servers: [192.168.0.20], key: {secret: "env:B"}}',
    ("operations", "users", ANY_ITEM): "{name: netops}",
    ("exceptions", ANY_ITEM): "{device: spine-01, state: drained, reason: optics}",
}
"""Text around a leaf that the inventory does not have."""


@dataclass(eq=False)
class Entry:
    """A key with its value; ``value`` is text of YAML, or a list of entries or items."""

    key: str
    value: str | Mapping | Items


@dataclass(eq=False)
class Mapping:
    """A mapping that may, other than Python's, hold a key twice."""

    entries: list[Entry] = field(default_factory=list)

    def get(self, key: str) -> Entry | None:
        return next((entry for entry in self.entries if entry.key == key), None)


@dataclass(eq=False)
class Items:
    """A list."""

    items: list[str | Mapping | Items] = field(default_factory=list)


@dataclass(frozen=True)
class Mutation:
    """A mutated inventory; ``lines`` is where the slip stands, of what is missing that of what it is missing from."""

    name: str
    text: str
    lines: frozenset[int]


def build(value: Any) -> str | Mapping | Items:
    if isinstance(value, dict):
        return Mapping([Entry(key, build(item)) for key, item in value.items()])
    if isinstance(value, list):
        return Items([build(item) for item in value])
    return json.dumps(value, ensure_ascii=False)


def mutate(data: Any, rng: random.Random) -> Mutation:
    root = build(data)
    name, marked = _Mutator(root, rng).run()
    writer = _Writer(marked, flow_from=rng.choice((1, 2, 9)))
    writer.write(root)
    return Mutation(name, "\n".join(writer.lines) + "\n", frozenset(writer.found))


class _Mutator:
    """Chooses a place and a slip."""

    def __init__(self, root: Mapping, rng: random.Random) -> None:
        self._root = root
        self._rng = rng
        self._added: set[object] = set()

    def run(self) -> tuple[str, set[object]]:
        """Return what was done, and the entries or mappings that it shows at."""
        slips: list[Callable[[], tuple[str, set[object]]]] = [
            self._value, self._value, self._value, self._value, self._limit, self._limit, self._garbage, self._garbage,
            self._unknown_key, self._renamed_key, self._missing_key, self._swapped, self._repeated_key,
        ]  # fmt: skip
        return self._rng.choice(slips)()

    def _leaf(self) -> tuple[Entry, tuple[str, ...]]:
        """The entry of some leaf of the language, which is added if the document lacks it, and its path."""
        pattern = self._rng.choice(schema_leafs())
        node, path, entry = self._root, [], None
        self._added.clear()
        for at, segment in enumerate(pattern):
            if segment == ANY_ITEM:
                break
            if segment == ANY_KEY:
                keys = [item.key for item in node.entries]
                segment = self._rng.choice(keys) if keys else "name"
            path.append(segment)
            found = node.get(segment)
            if found is None:
                found = Entry(segment, _around(pattern[: at + 1], pattern[at + 1 : at + 2]))
                node.entries.append(found)
                self._added.add(found)
            entry = found
            if isinstance(found.value, str) and at + 1 < len(pattern):
                found.value = Mapping()
                self._added.add(found)
            if not isinstance(found.value, Mapping):
                break
            node = found.value
        return entry, tuple(path)

    def _nodes(self, path: tuple[str, ...]) -> list[dict[str, Any]]:
        return schema_nodes(intent_schema(), path)

    def _value(self) -> tuple[str, set[object]]:
        """A value of another type, or another value of the schema."""
        entry, path = self._leaf()
        wrong = ["true", "12", "3.5", "text", "~", "[a, b]", "{a: 1}", '"7"', "[]", "{}"]
        legal = [json.dumps(word) for node in self._nodes(path) for word in node.get("enum", [])]
        entry.value = self._rng.choice(wrong + legal)
        return f"{'.'.join(path)} = {entry.value}", {entry, *self._added}

    def _limit(self) -> tuple[str, set[object]]:
        """A number on a boundary of the schema, or just beyond."""
        entry, path = self._leaf()
        limits = [node[key] for node in self._nodes(path) for key in ("minimum", "maximum") if key in node] or [0, 1]
        entry.value = str(self._rng.choice(limits) + self._rng.choice((-1, 0, 0, 1)))
        return f"{'.'.join(path)} = {entry.value}", {entry, *self._added}

    def _garbage(self) -> tuple[str, set[object]]:
        entry, path = self._leaf()
        entry.value = self._rng.choice(GARBAGE)
        return f"{'.'.join(path)} = {entry.value[:40]!r}", {entry, *self._added}

    def _holder(self) -> Mapping:
        return self._rng.choice(list(_mappings(self._root)))

    def _unknown_key(self) -> tuple[str, set[object]]:
        entry = Entry(self._rng.choice(("zzz", "Count", "speed_gbps", "__class__", "'{{ x }}'", "'../x'")), "1")
        self._holder().entries.append(entry)
        return f"unknown key {entry.key}", {entry}

    def _renamed_key(self) -> tuple[str, set[object]]:
        entry = self._rng.choice(self._holder().entries)
        at = self._rng.randrange(len(entry.key))
        entry.key = entry.key[:at] + self._rng.choice("aeiou_x") + entry.key[at + self._rng.randrange(2) :]
        return f"renamed key {entry.key}", {entry}

    def _missing_key(self) -> tuple[str, set[object]]:
        holder = self._holder()
        entry = holder.entries.pop(self._rng.randrange(len(holder.entries)))
        return f"missing key {entry.key}", {holder}

    def _swapped(self) -> tuple[str, set[object]]:
        one, other = self._rng.choice(list(_scalars(self._root))), self._rng.choice(list(_scalars(self._root)))
        one.value, other.value = other.value, one.value
        return f"swapped {one.key} and {other.key}", {one, other}

    def _repeated_key(self) -> tuple[str, set[object]]:
        holder = self._holder()
        known = self._rng.choice(holder.entries)
        entry = Entry(known.key, known.value)
        holder.entries.append(entry)
        return f"repeated key {entry.key}", {entry}


def _around(path: Pattern, below: Pattern) -> str | Mapping | Items:
    """Return what to write at a path that the document lacks, before the leaf itself is written."""
    skeleton = _SKELETONS.get((*path, *below) if below == (ANY_ITEM,) else path)
    if skeleton is None:
        return Mapping()
    import yaml

    value = build(yaml.safe_load(skeleton))
    return Items([value]) if below == (ANY_ITEM,) else value


def _mappings(value: object) -> Iterator[Mapping]:
    if isinstance(value, Mapping):
        if value.entries:
            yield value
        for entry in value.entries:
            yield from _mappings(entry.value)
    elif isinstance(value, Items):
        for item in value.items:
            yield from _mappings(item)


def _scalars(root: Mapping) -> Iterator[Entry]:
    for mapping in _mappings(root):
        yield from (entry for entry in mapping.entries if isinstance(entry.value, str))


class _Writer:
    """Writes a tree as YAML: in lines down to a depth, in brackets below it."""

    def __init__(self, marked: set[object], *, flow_from: int) -> None:
        self._marked = marked
        self._flow_from = flow_from
        self.lines: list[str] = []
        self.found: set[int] = set()

    def write(self, root: Mapping) -> None:
        """Write everything; what is missing from the root shows on the first line."""
        if root in self._marked:
            self.found.add(1)
        self._block(root, 0)

    def _block(self, mapping: Mapping, depth: int) -> None:
        for entry in mapping.entries:
            start = len(self.lines) + 1
            head = f"{'  ' * depth}{entry.key}:"
            if isinstance(entry.value, Mapping) and entry.value.entries and depth + 1 < self._flow_from:
                self.lines.append(head)
                self._mark(start, entry, entry.value)
                self._block(entry.value, depth + 1)
            else:
                self.lines.append(f"{head} {self._flow(entry.value)}")
                self._mark(start, entry, *_inside(entry.value))

    def _mark(self, line: int, *nodes: object) -> None:
        if any(node in self._marked for node in nodes):
            self.found.add(line)

    def _flow(self, value: str | Mapping | Items) -> str:
        if isinstance(value, Mapping):
            return "{" + ", ".join(f"{entry.key}: {self._flow(entry.value)}" for entry in value.entries) + "}"
        if isinstance(value, Items):
            return "[" + ", ".join(map(self._flow, value.items)) + "]"
        return value.replace("\n", "\n  ")


def _inside(value: object) -> Iterator[object]:
    yield value
    if isinstance(value, Mapping):
        for entry in value.entries:
            yield entry
            yield from _inside(entry.value)
    elif isinstance(value, Items):
        for item in value.items:
            yield from _inside(item)
