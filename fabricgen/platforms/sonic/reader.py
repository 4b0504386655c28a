"""config_db.json, as it was rendered, saved, or shown by ``show runningconfiguration all``, to a tree.

Tables and rows are the tree; every value is a text, so a number that some tool wrote is as good as its text. What a
dump has beside CONFIG_DB goes its own way: the routing configuration is a file of its own.

Source:
    sonic-net/sonic-utilities 691b1bbc, show/main.py ``runningconfiguration all``: CONFIG_DB with FRR's configuration
    under ``bgpraw``.
"""

from __future__ import annotations

import re

from fabricgen.diagnostics.quoting import mask
from fabricgen.platforms.reading.reader import ReadFault, Tree, locate_in_json, read_json
from fabricgen.platforms.sonic.facts import list_facts as list_facts

FILE = "config_db.json"
ROUTING_FILE = "frr.conf"
_RAW_ROUTING = "bgpraw"
_METADATA = "DEVICE_METADATA"
_TEXT = {str}
_SECRET = re.compile(r"passkey|password$|PASSWORD$|_ca?k$|_ckn$|^value$|^client_key$")
"""Fields of the models that hold a secret: shared keys, passwords, MACsec keys, NTP_KEY; files of keys are none."""
_TELLING = ("DEVICE_METADATA", "PORT", "INTERFACE", "LOOPBACK_INTERFACE")


def read(text: str) -> Tree:
    """Read CONFIG_DB; raises ReadFault for JSON that is not it."""
    tree = read_part(text)
    if tree and not any(table in tree for table in _TELLING):
        raise ReadFault(f"it has none of the tables {', '.join(_TELLING)}: this is not a CONFIG_DB")
    return tree


def read_part(text: str) -> Tree:
    """Read some tables of CONFIG_DB; raises ReadFault."""
    tree = read_json(text)
    tree.pop(_RAW_ROUTING, None)
    for table, rows in tree.items():
        if not isinstance(rows, dict) or not set(map(type, rows.values())) <= {dict}:
            raise ReadFault(f"{_told(table)} is not a table of rows")
        for row in rows.values():
            if not set(map(type, row.values())) <= _TEXT:
                _check_row(table, row)
    # A table without rows is none.
    return {table: rows for table, rows in tree.items() if rows}


def _told(name: str) -> str:
    """A name of a table or a field as a message may quote it."""
    return mask(name, list_words())


def _check_row(table: str, row: Tree) -> None:
    for field, value in row.items():
        if isinstance(value, dict) or (isinstance(value, list) and not set(map(type, value)) <= _TEXT | {int}):
            raise ReadFault(f"{_told(field)} of a row of {_told(table)} is neither a text nor a list of texts")


def hostname(tree: Tree) -> str:
    """The name CONFIG_DB gives the switch; empty if it gives none."""
    row = tree.get(_METADATA, {}).get("localhost", {})
    return str(row.get("hostname", "")) if isinstance(row, dict) else ""


def list_words() -> frozenset[str]:
    """The vocabulary: names of tables, rows and fields."""
    from fabricgen.platforms.sonic.schema import list_fields

    return frozenset(word for place in list_fields() for word in place if word != "*")


def list_shown() -> tuple[str, ...]:
    """Paths of fields that the YANG models of some release have and that hold no secret."""
    from fabricgen.platforms.sonic.schema import list_fields

    return tuple(" > ".join(place) for place in sorted(list_fields()) if not _SECRET.search(place[2]))


def unpack(text: str) -> dict[str, str]:
    """The files in a text of unknown origin: CONFIG_DB, and the routing configuration if it has that too."""
    start = text.find("{")
    if start < 0 or f'"{_METADATA}"' not in text or text[:start].strip():
        return {}
    files = {FILE: text}
    if f'"{_RAW_ROUTING}"' in text:
        try:
            raw = read_json(text).get(_RAW_ROUTING)
        except ReadFault:
            return files
        if isinstance(raw, str) and raw.strip():
            files[ROUTING_FILE] = raw
    return files


locate = locate_in_json
