"""Judges what a snippet adds to config_db.json: by the tables, fields, types and references of the release's models."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from fabricgen.diagnostics import Nearest
from fabricgen.diagnostics.secrets import HIDDEN
from fabricgen.diagnostics.words import or_list
from fabricgen.platforms.commands.snippets import Claim, Fault, Kind, Laid
from fabricgen.platforms.reading.json_places import JsonPlaces
from fabricgen.platforms.reading.reader import Tree, is_tree
from fabricgen.platforms.reading.redaction import Redaction
from fabricgen.platforms.sonic.schema import Row, RowNames, Schema, Wrong, load_schema, releases_with

_ADDRESSED = (
    "INTERFACE", "LOOPBACK_INTERFACE", "MGMT_INTERFACE", "PORTCHANNEL_INTERFACE", "VLAN_INTERFACE",
    "VLAN_SUB_INTERFACE",
)  # fmt: skip
"""Tables whose rows of two parts are an interface and an address; Configuration.md of sonic-yang-models."""


class _Judged(NamedTuple):
    """Input of a judgement: the snippet, the file with it, the schema, and the place of every value."""

    patch: Tree
    result: Tree
    schema: Schema
    places: JsonPlaces
    nearest: Nearest
    redaction: Redaction
    names: RowNames

    def fault(self, kind: Kind, path: tuple[str, ...], message: str, hint: str = "", *, on_key: bool = True) -> Fault:
        """A fault at a key or value of the snippet."""
        line, column = self.places.key(path) if on_key else self.places.value(path)
        return Fault(kind, line, column, f"{'|'.join(self.redaction.steps(path))}: {message}", hint)


def judge_snippet(laid: Laid) -> Iterator[Fault | Claim]:
    """Judge what a snippet adds to CONFIG_DB."""
    patch, result, before = json.loads(laid.text), json.loads(laid.after), json.loads(laid.before)
    if not is_tree(patch):
        return
    schema, places, names = load_schema(laid.release), JsonPlaces(laid.text), RowNames(result)
    judged = _Judged(patch, result, schema, places, Nearest(), laid.redaction, names)
    for table, rows in patch.items():
        yield from _judge_table(judged, table, rows)
    yield from _judge_removals(judged, before)
    yield from _find_claims(judged, before)


def _judge_table(judged: _Judged, table: str, rows: object) -> Iterator[Fault]:
    kinds = judged.schema.tables.get(table)
    if rows is None:
        return
    if kinds is None:
        have = releases_with(table)
        near = judged.nearest.find(table, judged.schema.tables, 0.75)
        hint = f"{', '.join(have)} have it" if have else f"did you mean {near}?" if near else "leave the table out"
        yield judged.fault(Kind.NAME, (table,), f"release {judged.schema.release} has no such table", hint)
        return
    if not isinstance(rows, dict):
        yield judged.fault(Kind.VALUE, (table,), "a table is an object of rows", "write {KEY: {FIELD: VALUE}}")
        return
    for key, row in rows.items():
        path = (table, key)
        if row is not None and not is_tree(row):
            yield judged.fault(Kind.VALUE, path, "a row is an object of fields", "write {FIELD: VALUE}")
        elif row is not None:
            yield from _judge_row(judged, path, row, kinds)


def _judge_row(judged: _Judged, path: tuple[str, str], row: Tree, kinds: tuple[Row, ...]) -> Iterator[Fault]:
    kind, wrong = _choose(judged, path[1], kinds)
    if kind is None:
        names = ", ".join(each.name for each in kinds if each.name)
        parts = or_list(sorted({str(len(each.keys)) for each in kinds if each.keys}))
        hint = f"its rows are {names}" if names and not parts else f"its keys have {parts} parts, joined by |"
        yield judged.fault(Kind.NAME, path, "the table has no such row", hint)
        return
    if wrong is not None:
        yield _wrong(judged, path, wrong, path[1], on_key=True)
    for field, value in row.items():
        if value is not None:
            yield from _judge_field(judged, (*path, field), value, kind)
    result = judged.result.get(path[0], {}).get(path[1], {})
    for field in sorted(kind.needed - set(result)):
        yield judged.fault(Kind.NAME, path, f"the row needs the field {field}", f"add {field}")


def _choose(judged: _Judged, key: str, kinds: tuple[Row, ...]) -> tuple[Row | None, Wrong | None]:
    """The kind of row that a key belongs to, and what is wrong with the key."""
    found: tuple[Row | None, Wrong | None] = (None, None)
    parts = key.split("|")
    for kind in kinds:
        if kind.name == key and not kind.keys:
            return kind, None
        if kind.keys and len(kind.keys) == len(parts):
            pairs = zip(kind.keys, parts, strict=True)
            wrong = next((w for w in (judged.schema.check(k, part, judged.names) for k, part in pairs) if w), None)
            if wrong is None:
                return kind, None
            if found[0] is None or (wrong.table and found[1] is not None and not found[1].table):
                found = (kind, wrong)
    return found


def _wrong(judged: _Judged, path: tuple[str, ...], wrong: Wrong, text: str, *, on_key: bool = False) -> Fault:
    """A fault about a value, or about a part of the key that a path ends with."""
    kind = Kind.REFERENCE if wrong.table else Kind.VALUE
    hidden = HIDDEN in (judged.redaction.steps(path)[-1] if on_key else judged.redaction.value(path, text))
    told = HIDDEN if hidden else repr(text[:60])
    hint = wrong.hint or (f"write {wrong.message[7:]}" if wrong.message.startswith("is not a") else "")
    return judged.fault(kind, path, f"{told} {wrong.message}", hint, on_key=on_key)


def _judge_field(judged: _Judged, path: tuple[str, str, str], value: Any, kind: Row) -> Iterator[Fault]:
    table, _, field = path
    if field not in kind.fields and "*" not in kind.fields:
        have = releases_with(table, field)
        near = judged.nearest.find(field, kind.fields)
        hint = f"{', '.join(have)} have it" if have else f"did you mean {near}?" if near else ""
        hint = hint or f"its fields are {', '.join(sorted(kind.fields)[:12])}"
        yield judged.fault(Kind.NAME, path, f"release {judged.schema.release} has no such field", hint)
        return
    number = kind.fields.get(field, kind.fields.get("*", 0))
    spec = judged.schema.types[number]
    if field not in kind.fields and "map" in spec:
        wrong = judged.schema.check(spec["map"][0], field, judged.names)
        if wrong is not None:
            yield _wrong(judged, path, wrong, field, on_key=True)
        spec = spec["map"][1]
    for text in _texts(judged, path, value, spec):
        if isinstance(text, Fault):
            yield text
            continue
        wrong = judged.schema.check(spec.get("list", spec), text, judged.names)
        if wrong is not None:
            yield _wrong(judged, path, wrong, text)


def _texts(judged: _Judged, path: tuple[str, str, str], value: Any, spec: Mapping[str, Any]) -> Iterator[str | Fault]:
    """The texts in a value: one, or the items of a list."""
    sign = judged.schema.strings.get(f"{path[0]}|{path[2]}")
    if "list" in spec and isinstance(value, list):
        items = value
    elif "list" in spec and sign and isinstance(value, str):
        items = value.split(sign) if value else []
    elif "list" in spec or isinstance(value, list):
        words = ("a list", "write [ ] around it") if "list" in spec else ("a single value", "write it without [ ]")
        yield judged.fault(Kind.VALUE, path, f"the value must be {words[0]}", words[1], on_key=False)
        return
    else:
        items = [value]
    for item in items:
        if isinstance(item, dict | list) or item is None:
            yield judged.fault(Kind.VALUE, path, "the value must be a text", "write it in quotes", on_key=False)
        else:
            yield str(item).lower() if isinstance(item, bool) else str(item)


def _judge_removals(judged: _Judged, before: Tree) -> Iterator[Fault]:
    """Name references that the removal of a row leaves without a target."""
    for table, rows in judged.patch.items():
        named = rows.items() if isinstance(rows, dict) else ()
        gone = list(before.get(table, {})) if rows is None else [key for key, row in named if row is None]
        for key in gone:
            users = list(_users(judged, table, key)) if key in before.get(table, {}) else []
            if users:
                more = f" and {len(users) - 1} more" if len(users) > 1 else ""
                path = (table,) if rows is None else (table, key)
                message = f"{judged.redaction.steps((table, key))[1]} is removed, though {users[0]}{more} refer to it"
                yield judged.fault(Kind.REFERENCE, path, message, "change what refers to it as well")


def _users(judged: _Judged, table: str, key: str) -> Iterator[str]:
    parts, schema = key.split("|"), judged.schema
    for other, rows in judged.result.items():
        for kind in schema.tables.get(other, ()):
            for name, number in kind.fields.items():
                targets = [(at, n) for wanted, at, n in schema.references(number) if wanted == table]
                for at, count in targets:
                    if count != len(parts):
                        continue
                    for row_key, row in rows.items() if isinstance(rows, dict) else ():
                        value = row.get(name) if isinstance(row, dict) else None
                        texts = value if isinstance(value, list) else str(value).split(",")
                        if value is not None and parts[at] in texts:
                            yield "|".join(judged.redaction.steps((other, row_key, name)))


def _find_claims(judged: _Judged, before: Tree) -> Iterator[Claim]:
    for table in _ADDRESSED:
        rows = judged.patch.get(table)
        for key, row in rows.items() if isinstance(rows, dict) else ():
            interface, bar, address = key.partition("|")
            if bar and row is not None and key not in before.get(table, {}):
                part = judged.result[table].get(interface)
                vrf = part.get("vrf_name", "") if isinstance(part, dict) else ""
                yield Claim(*judged.places.key((table, key)), interface, address, str(vrf))
