"""The text of an intent: keys in their order, short mappings on one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from fabricgen.inference.identity import COLUMNS

INTENT, ASSETS = "fabric.yaml", "assets.csv"
WIDTH = 120
_PLAIN = re.compile(r"[A-Za-z0-9_./-]*[A-Za-z/_-][A-Za-z0-9_./-]*|[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+")
_WORDS = frozenset(["y", "n", "yes", "no", "on", "off", "true", "false", "null", "none"])
_NUMBER = re.compile(r"[-+.0-9][0-9_.eExXoOa-fA-F]*")


def write_files(intent: dict[str, Any], *, schema: str, comment: str) -> dict[str, str]:
    """Return the YAML of an intent, below a comment and the line for editors, and its asset list if it has one."""
    head = [f"# yaml-language-server: $schema={schema}", f"# {comment}"]
    rows = intent.get("assets", [])
    named = {**intent, "assets": ASSETS} if rows else intent
    files = {INTENT: "\n".join([*head, *_lines(named, "")]) + "\n"}
    columns = [column for column in COLUMNS if any(column in row for row in rows)]
    lines = [columns, *([row.get(column, "") for column in columns] for row in rows)]
    return files | ({ASSETS: "".join(f"{','.join(line)}\n" for line in lines)} if rows else {})


def _lines(value: dict[str, Any], blanks: str) -> Iterator[str]:
    for key, below in value.items():
        line = f"{blanks}{_scalar(key)}: {_flow(below)}"
        if isinstance(below, dict) and (key in ("tiers", "links") or len(line) > WIDTH):
            yield f"{blanks}{_scalar(key)}:"
            yield from _lines(below, f"{blanks}  ")
        elif isinstance(below, list) and (key == "exceptions" or len(line) > WIDTH):
            yield f"{blanks}{_scalar(key)}:"
            yield from (f"{blanks}  - {_flow(item)}" for item in below)
        else:
            yield line


def _flow(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_scalar(key)}: {_flow(below)}" for key, below in value.items()) + "}"
    return f"[{', '.join(map(_flow, value))}]" if isinstance(value, list) else _scalar(value)


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, str):
        return f"{value:g}" if isinstance(value, float) else str(value)
    is_plain = (
        _PLAIN.fullmatch(value) and value.lower() not in _WORDS and (value.count(".") > 1 or not _is_number(value))
    )
    if is_plain and value[0] not in "-":
        return value
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _is_number(text: str) -> bool:
    return bool(_NUMBER.fullmatch(text))
