"""Fields of a configuration that the YANG models of a release refuse; while one is there, every patch is refused.

The updater loads the running configuration before it looks at a patch, so such a field has to be set or deleted
without it first. References and conditions between fields are not judged, but for the watchdog's times, which
``pfcwd start`` writes without asking the models.

Source:
    sonic-net/sonic-utilities, generic_config_updater/gu_common.py (validate_config_db_config); sonic-buildimage,
    src/sonic-yang-models/yang-models/sonic-pfcwd.yang (``must`` of detection_time and restoration_time).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache, partial
from typing import Any

from fabricgen.platforms.reading.by_identity import ByIdentity
from fabricgen.platforms.reading.reader import Tree, number_of
from fabricgen.platforms.sonic.schema import Row, has_schema, load_schema, takes
from fabricgen.platforms.sonic.updater import fields_ahead

Steps = tuple[str, ...]
_TOKEN = "@fabricgen-secret:"  # noqa: S105 - how references to secrets begin, not one of them
_TIMES = ("detection_time", "restoration_time")
_TABLES: ByIdentity[dict[Steps, str]] = ByIdentity()
"""Refused fields of tables, most of which a class of switches shares."""
_POLL: Steps = ("PFC_WD", "GLOBAL", "POLL_INTERVAL")


def find_refused_fields(tree: Tree, release: str) -> dict[Steps, str]:
    """Return every field that the models refuse, with what is wrong with it.

    Args:
        tree: CONFIG_DB.
        release: Release of the switch; of one before those that are known nothing is refused.

    Returns:
        Table, row and field, to half a sentence such as "which the YANG models of 202511 do not have"; it never shows
        a value that may be a secret.
    """
    if not has_schema(release):
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
def _kinds(release: str, table: str) -> Mapping[str | int, tuple[Row, ...]]:
    """Rows of a table by their only name, or by how many parts their keys have."""
    found: dict[str | int, tuple[Row, ...]] = {}
    for row in load_schema(release).tables.get(table, ()):
        name = len(row.keys) if row.keys else row.name
        found[name] = (*found.get(name, ()), row)
    return found
