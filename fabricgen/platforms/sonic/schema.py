"""Tables, fields, types and references of CONFIG_DB at a release, as SONiC's YANG models have them.

Conditions between fields (``must``, ``when``) are not in the facts, and are not judged.

Source:
    schema.json, written by tools/write-sonic-schema from sonic-net/sonic-buildimage, src/sonic-yang-models.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Any, NamedTuple

from fabricgen.diagnostics.words import or_list
from fabricgen.platforms.reading.reader import Tree

SHOWN = 12
"""Values of an enumeration that a message names."""


class Row(NamedTuple):
    """Rows of one kind: of one name, or of keys of so many parts.

    Attributes:
        name: Name of the only row; empty for a list of rows.
        keys: Types of the key's parts.
        fields: Type by field; ``*`` is any field of a map.
        needed: Fields that every row has.
    """

    name: str
    keys: tuple[int, ...]
    fields: Mapping[str, int]
    needed: frozenset[str]


class Wrong(NamedTuple):
    """Fault of a value, to be read behind it; ``table`` is the one in which it should name a row."""

    message: str
    hint: str = ""
    table: str = ""


class RowNames:
    """Names that the rows of a CONFIG_DB have, each table read once for all references to it."""

    def __init__(self, tree: Tree) -> None:
        """Read from a tree that does not change."""
        self._tree = tree
        self.find = cache(self._find)
        self.show = cache(self._show)

    def _find(self, table: str, number: int, count: int) -> frozenset[str]:
        """One part of the keys that have so many."""
        rows = self._tree.get(table)
        keys = rows if isinstance(rows, dict) else {}
        return frozenset(key.split("|")[number] for key in keys if key.count("|") == count - 1)

    def _show(self, table: str, number: int, count: int) -> str:
        """Some of them in words."""
        names = self.find(table, number, count)
        shown = ", ".join(sorted(names)[:8])
        return f"{table} has {shown}{' …' if len(names) > 8 else ''}" if names else f"{table} has no rows: add one"


class Schema(NamedTuple):
    """The schema of one release."""

    release: str
    tables: Mapping[str, tuple[Row, ...]]
    types: Sequence[Mapping[str, Any]]
    strings: Mapping[str, str]

    def check(self, kind: Mapping[str, Any] | int, text: str, names: RowNames) -> Wrong | None:
        """Say what is wrong with a value; None if nothing is.

        Args:
            kind: Its type.
            text: The value, as CONFIG_DB holds it.
            names: Names of the whole configuration, in which references are looked up.
        """
        spec = self.types[kind] if isinstance(kind, int) else kind
        if "any" in spec:
            return self._check_union(spec["any"], text, names)
        if "ref" in spec:
            return self._check_reference(spec, text, names)
        return check_scalar(spec, text)

    def _check_union(self, members: Sequence[Mapping[str, Any]], text: str, names: RowNames) -> Wrong | None:
        found = []
        for member in members:
            wrong = self.check(member, text, names)
            if wrong is None:
                return None
            found.append(wrong)
        references = [wrong for wrong in found if wrong.table]
        return references[0] if references else found[0] if found else None

    def _check_reference(self, spec: Mapping[str, Any], text: str, names: RowNames) -> Wrong | None:
        table, number, count = spec["ref"]
        if text in names.find(table, number, count):
            return None
        wrong = self.check(spec["of"], text, names)
        if wrong is not None and not wrong.table:
            return wrong
        return Wrong(f"names no row of {table}", names.show(table, number, count), table)

    def references(self, kind: Mapping[str, Any] | int) -> Iterator[tuple[str, int, int]]:
        """Every table that a value of a type may name a row of, with the key's part and number of parts."""
        spec = self.types[kind] if isinstance(kind, int) else kind
        if "ref" in spec:
            yield tuple(spec["ref"])
            yield from self.references(spec["of"])
        for member in (*spec.get("any", ()), *([spec["list"]] if "list" in spec else ())):
            yield from self.references(member)


def check_scalar(spec: Mapping[str, Any], text: str) -> Wrong | None:
    """Say what is wrong with a value of a type that refers to nothing."""
    if "enum" in spec and text not in spec["enum"]:
        return Wrong(f"is not one of {_first(spec['enum'])}")
    if "int" in spec and not (re.fullmatch(r"[+-]?[0-9]{1,30}", text) and _within(int(text), spec["int"])):
        return Wrong(f"is not a number of {_ranges(spec['int'])}")
    if "decimal" in spec:
        pattern = rf"[+-]?[0-9]{{1,30}}(\.[0-9]{{1,{spec['decimal']}}})?"
        if not re.fullmatch(pattern, text) or not _within(float(text), spec.get("range", [[float(text), float(text)]])):
            return Wrong(f"is not a decimal number of {_ranges(spec.get('range', [['any', 'any']]))}")
    if "address" in spec and not _is_address(spec["address"], text):
        return Wrong(f"is no {spec['address'].replace('ipv', 'IPv').replace('-', ' ')}{_of(spec['address'])}")
    if "len" in spec and not _within(len(text), spec["len"]):
        return Wrong(f"has {len(text)} characters instead of {_ranges(spec['len'])}")
    for pattern in spec.get("pattern", ()):
        if not re.fullmatch(pattern, text):
            return Wrong(f"does not match {pattern[:120]}")
    return None


def _first(words: Sequence[str]) -> str:
    return ", ".join(words[:SHOWN]) + (" …" if len(words) > SHOWN else "")


def _of(kind: str) -> str:
    return "" if kind.endswith("prefix") else " address"


def _within(number: float, ranges: Sequence[Sequence[float]]) -> bool:
    return any(low <= number <= high for low, high in ranges)


def _ranges(ranges: Sequence[Sequence[object]]) -> str:
    return or_list(f"{low} to {high}" if low != high else str(low) for low, high in ranges)


def _is_address(kind: str, text: str) -> bool:
    address, slash, length = text.partition("/")
    if bool(slash) != kind.endswith("prefix"):
        return False
    read, longest = (IPv4Address, 32) if kind.startswith("ipv4") else (IPv6Address, 128)
    try:
        read(address.partition("%")[0] if not slash else address)
    except AddressValueError:
        return False
    return not slash or (re.fullmatch("[0-9]{1,3}", length) is not None and int(length) <= longest)


@cache
def load_schema(release: str) -> Schema:
    """Read the schema of a release; of one that is not listed, the last before it.

    Args:
        release: A release, such as 202511; empty for the newest.
    """
    data = _load()
    listed = data["releases"]
    chosen = max((name for name in listed if name <= (release or listed[-1])), default=listed[0])
    tables = {}
    for table, spans in data["tables"].items():
        rows = next((rows for since, rows in reversed(spans) if since <= chosen), None)
        if rows is not None:
            tables[table] = tuple(_row(row) for row in rows)
    return Schema(chosen, tables, data["types"], data["strings"])


def has_schema(release: str) -> bool:
    """Return whether a release is not older than those whose models are in the facts."""
    return bool(release >= _load()["releases"][0])


def releases_with(table: str, field: str = "") -> list[str]:
    """Every release that has a table, or a field of it."""
    found = []
    for release in _load()["releases"]:
        rows = load_schema(release).tables.get(table)
        if rows is not None and (not field or any(field in row.fields for row in rows)):
            found.append(release)
    return found


@cache
def list_fields() -> frozenset[tuple[str, str, str]]:
    """Table, row and field of everything that some release has; ``*`` for rows and fields of any name."""
    data = _load()
    return frozenset(
        (table, row.get("row", "*"), field)
        for table, spans in data["tables"].items()
        for _, rows in spans
        for row in rows
        for field in (*row["fields"], "NULL")
    )


def _row(row: Mapping[str, Any]) -> Row:
    fields = {name: int(text.rstrip("!")) for name, text in row["fields"].items()}
    needed = frozenset(name for name, text in row["fields"].items() if text.endswith("!"))
    return Row(row.get("row", ""), tuple(row.get("keys", ())), fields, needed)


@cache
def _load() -> dict[str, Any]:
    text = files("fabricgen.platforms.sonic").joinpath("schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found
