"""config_db.json, as it was rendered, saved, or shown by ``show runningconfiguration all``, to a tree.

Tables and rows are the tree; every value is a text, so a number that some tool wrote is as good as its text. What a
dump has beside CONFIG_DB goes its own way: the routing configuration is a file of its own.

Source:
    sonic-net/sonic-utilities 691b1bbc, show/main.py ``runningconfiguration all``: CONFIG_DB with FRR's configuration
    under ``bgpraw``.
"""

from __future__ import annotations

from functools import cache

from fabricgen.diagnostics.secrets import hide_secrets
from fabricgen.platforms.reading.reader import ReadFault, Tree, read_json

FILE = "config_db.json"
ROUTING_FILE = "frr.conf"
_RAW_ROUTING = "bgpraw"
_METADATA = "DEVICE_METADATA"
_TEXT = {str}
_TELLING = ("DEVICE_METADATA", "PORT", "INTERFACE", "LOOPBACK_INTERFACE")


def read(text: str) -> Tree:
    """Read CONFIG_DB; raises ReadFault for JSON that is not it."""
    tree = read_part(text)
    if tree and not any(table in tree for table in _TELLING) and not _list_tables() & tree.keys():
        raise ReadFault(f"it has none of the tables {', '.join(_TELLING)}: this is not a CONFIG_DB")
    return tree


def read_part(text: str) -> Tree:
    """Read tables of CONFIG_DB; a member that no model has is a path of its own, and not ours; raises ReadFault."""
    tree = read_json(text)
    if any("|" in name for name in tree):
        raise ReadFault("it has rows outside of tables")
    tree.pop(_RAW_ROUTING, None)
    for table, rows in tree.items():
        if not is_table(rows):
            if rows is not None and table in _list_tables():
                raise ReadFault(f"{hide_secrets(table)} is not a table of rows")
            continue
        for row in rows.values():
            if not set(map(type, row.values())) <= _TEXT:
                _check_row(table, row)
    identity = (tree.get(_METADATA) or {}).get("localhost", {})
    if isinstance(identity.get("mac"), str):
        # EEPROMs have it in capitals.
        identity["mac"] = identity["mac"].lower()
    # A table without rows is none.
    return {table: rows for table, rows in tree.items() if rows not in ({}, None)}


def is_table(rows: object) -> bool:
    """Return whether a member of the file is a table: anything else no release loads."""
    return isinstance(rows, dict) and set(map(type, rows.values())) <= {dict}


@cache
def _list_tables() -> frozenset[str]:
    """Return the tables that the YANG models of some release have."""
    from fabricgen.platforms.sonic.schema import list_fields

    return frozenset(table for table, _, _ in list_fields())


def _check_row(table: str, row: Tree) -> None:
    for field, value in row.items():
        if isinstance(value, dict) or (isinstance(value, list) and not set(map(type, value)) <= _TEXT | {int}):
            raise ReadFault(
                f"{hide_secrets(field)} of a row of {hide_secrets(table)} is neither a text nor a list of texts"
            )


def unpack(text: str) -> dict[str, str]:
    """The files in a dump: CONFIG_DB, and the routing configuration if it has that too."""
    files = {FILE: text}
    if f'"{_RAW_ROUTING}"' in text:
        try:
            raw = read_json(text).get(_RAW_ROUTING)
        except ReadFault:
            return files
        if isinstance(raw, str) and raw.strip():
            files[ROUTING_FILE] = raw
    return files
