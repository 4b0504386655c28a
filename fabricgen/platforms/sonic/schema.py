"""Tables, fields, types and references of CONFIG_DB at a release, as SONiC's YANG models have them.

Conditions between fields (``must``, ``when``) are not in the facts, and are not judged.

Source:
    schema.json, written by tools/write-sonic-schema from sonic-net/sonic-buildimage, src/sonic-yang-models.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Any, NamedTuple

_INTEGER = re.compile(r"[+-]?[0-9]{1,30}")


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


class Schema(NamedTuple):
    """The schema of one release."""

    release: str
    tables: Mapping[str, tuple[Row, ...]]
    types: Sequence[Mapping[str, Any]]
    strings: Mapping[str, str]


def takes(spec: Mapping[str, Any], text: str) -> bool:
    """Return whether a type that refers to nothing takes a value."""
    if "decimal" in spec:
        pattern = rf"[+-]?[0-9]{{1,30}}(\.[0-9]{{1,{spec['decimal']}}})?"
        if not re.fullmatch(pattern, text) or not _within(float(text), spec.get("range", [[float(text), float(text)]])):
            return False
    return (
        text in spec.get("enum", (text,))
        and ("int" not in spec or (bool(_INTEGER.fullmatch(text)) and _within(int(text), spec["int"])))
        and ("address" not in spec or _is_address(spec["address"], text))
        and ("len" not in spec or _within(len(text), spec["len"]))
        and all(re.fullmatch(pattern, text) for pattern in spec.get("pattern", ()))
    )


def _within(number: float, ranges: Sequence[Sequence[float]]) -> bool:
    return any(low <= number <= high for low, high in ranges)


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
