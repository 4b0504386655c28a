"""Tables, fields, types and references of CONFIG_DB at a release, as SONiC's YANG models have them.

Conditions between fields (``must``, ``when``) are not in the facts, and are not judged.

Source:
    schema.json, written by tools/write-sonic-schema from sonic-net/sonic-buildimage, src/sonic-yang-models.
    sonic-net/sonic-utilities, generic_config_updater/gu_common.py (validate_config_db_config); sonic-buildimage,
    src/sonic-yang-models/yang-models/sonic-pfcwd.yang (``must`` of detection_time and restoration_time).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from importlib.resources import files
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import Any, NamedTuple

from fabricgen.platforms.reading.reader import ByIdentity, Tree, number_of
from fabricgen.platforms.sonic.updater import fields_ahead

Steps = tuple[str, ...]
_TOKEN = "@fabricgen-secret:"  # noqa: S105 - how references to secrets begin, not one of them
_TIMES = ("detection_time", "restoration_time")
_TABLES: ByIdentity[dict[Steps, str]] = ByIdentity()
"""Refused fields of tables, most of which a class of switches shares."""
_POLL: Steps = ("PFC_WD", "GLOBAL", "POLL_INTERVAL")
_INTEGER = re.compile(r"[+-]?[0-9]{1,30}")


class SchemaRow(NamedTuple):
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
    tables: Mapping[str, tuple[SchemaRow, ...]]
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
    """Read the schema of a release such as 202511, or of the last before it that is listed; empty for the newest."""
    data = _load()
    listed = data["releases"]
    chosen = max((name for name in listed if name <= (release or listed[-1])), default=listed[0])
    tables = {}
    for table, spans in data["tables"].items():
        rows = next((rows for since, rows in reversed(spans) if since <= chosen), None)
        if rows is not None:
            tables[table] = tuple(_row(row) for row in rows)
    return Schema(chosen, tables, data["types"], data["strings"])


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


def _row(row: Mapping[str, Any]) -> SchemaRow:
    fields = {name: int(text.rstrip("!")) for name, text in row["fields"].items()}
    needed = frozenset(name for name, text in row["fields"].items() if text.endswith("!"))
    return SchemaRow(row.get("row", ""), tuple(row.get("keys", ())), fields, needed)


@cache
def _load() -> dict[str, Any]:
    text = files("fabricgen.platforms.sonic").joinpath("schema.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def find_refused_fields(tree: Tree, release: str) -> dict[Steps, str]:
    """Return every field of CONFIG_DB that the models of a release refuse, by table, row and field.

    What is wrong is half a sentence such as "which the YANG models of 202511 do not have", and never shows a value that
    may be a secret. Of a release before those that are known nothing is refused.
    """
    if release < _load()["releases"][0]:
        return {}
    found: dict[Steps, str] = {}
    for table, rows in tree.items():
        found.update(_TABLES.get(rows, (release, table), partial(_find_in_table, release, table, rows)))
    return found | dict(_slow_polling(tree, release))


def _find_in_table(release: str, table: str, rows: Mapping[str, Any]) -> dict[Steps, str]:
    """Return the fields of a table that the models refuse, each by itself."""
    found: dict[Steps, str] = {}
    kinds = _kinds(release, table)
    for key, row in rows.items() if kinds else ():
        kind = key if key in kinds else key.count("|") + 1
        for field, value in row.items():
            judge = _wrong_again if type(value) is str else _wrong
            if reason := judge(release, table, kind, field, value):
                found[table, key, field] = reason
    return found


def _slow_polling(tree: Tree, release: str) -> Iterator[tuple[Steps, str]]:
    """Yield the watchdog's times that are shorter than its poll interval."""
    rows = tree.get("PFC_WD", {})
    poll = number_of(str(rows.get("GLOBAL", {}).get("POLL_INTERVAL", "")))
    for key, row in rows.items():
        for field in _TIMES:
            value = number_of(str(row.get(field, "")))
            if value is not None and poll is not None and value < poll:
                reason = f"with {value}, which the YANG models of {release} reject below a POLL_INTERVAL of {poll}"
                yield ("PFC_WD", key, field), reason


def follow_polling(refused: Mapping[Steps, str], changed: set[Steps]) -> set[Steps]:
    """Return the refused fields, and the poll interval where it changes along with a refused time."""
    slow = any(steps[0] == _POLL[0] for steps in refused)
    return set(refused) | ({_POLL} & changed if slow else set())


def _wrong(release: str, table: str, kind: str | int, field: str, value: object) -> str:
    """Return what is wrong with a field of a row of some kind; empty if nothing is, or it is not judged."""
    kinds = _kinds(release, table).get(kind, ())
    if not kinds or any("*" in row.fields for row in kinds) or (table, field) in fields_ahead(release):
        return ""
    types = [row.fields[field] for row in kinds if field in row.fields]
    if not types:
        return f"which the YANG models of {release} do not have"
    # The text of a reference to a secret is not the value that the device gets.
    if not isinstance(value, str) or _TOKEN in value or any(_takes(release, number, value) for number in types):
        return ""
    return f"whose value the YANG models of {release} reject"


_wrong_again = lru_cache(maxsize=1 << 14)(_wrong)
"""The same of texts, most of which many rows share."""


@lru_cache(maxsize=4096)
def _takes(release: str, number: int, value: str) -> bool:
    """Return whether a type takes a value, as far as that is judged here."""
    spec = load_schema(release).types[number]
    return not spec.keys().isdisjoint(("ref", "any", "list")) or takes(spec, value)


@cache
def _kinds(release: str, table: str) -> Mapping[str | int, tuple[SchemaRow, ...]]:
    """Rows of a table by their only name, or by how many parts their keys have."""
    found: dict[str | int, tuple[SchemaRow, ...]] = {}
    for row in load_schema(release).tables.get(table, ()):
        name = len(row.keys) if row.keys else row.name
        found[name] = (*found.get(name, ()), row)
    return found
