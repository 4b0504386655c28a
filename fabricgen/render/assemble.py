"""Putting the rendered parts of an output together, and judging the result."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

JSON_OPEN = "{\n"
JSON_CLOSE = "\n}\n"


class JsonFault(NamedTuple):
    """Fault of a JSON text, in words, with its line from 1."""

    line: int
    text: str


class _DuplicateMemberError(Exception):
    """Raised inside the JSON reader; carries the name."""


class _ConstantError(Exception):
    """Raised inside the JSON reader for NaN and the infinities, which Python reads and RFC 8259 does not know."""


def trim_part(text: str, is_json: bool) -> str:
    """Reduce the text of a part to what is put together: JSON members without the template's last line end."""
    return text.rstrip() if is_json else text


def join_parts(parts: Sequence[tuple[str, bytes]], is_json: bool) -> bytes:
    """Put trimmed parts together, each with its member; empty ones are left out, and none gives no bytes."""
    if not is_json:
        return b"".join([data for _, data in parts])
    present = [part for part in parts if part[1]]
    if not present:
        return b""
    seams = json_seams([inside for inside, _ in present])
    return b"".join(next(seams).encode() + data for _, data in present) + next(seams).encode()


def json_seams(insides: Sequence[str]) -> Iterator[str]:
    """Yield what stands before each part of a JSON file and after the last; a part is inside a member, or in none."""
    for at, (before, after) in enumerate(pairwise(["", *insides, ""])):
        middle = JSON_OPEN if at == 0 else JSON_CLOSE if at == len(insides) else ",\n"
        closes = "\n}" if before and before != after else ""
        yield closes + middle + (f"{json.dumps(after)}: {{\n" if after and before != after else "")


def read_members(members: str) -> tuple[tuple[str, ...], JsonFault | None]:
    """Read ``"name": value`` pairs without braces around them; return their names, or none and what is wrong."""
    try:
        value = json.loads(f"{JSON_OPEN}{members}{JSON_CLOSE}", object_pairs_hook=_object, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        return (), JsonFault(min(max(error.lineno - 1, 1), members.count("\n") + 1), error.msg)
    except _ConstantError as error:
        return (), JsonFault(_line_of(members, str(error), 1), f"{error} is no JSON value")
    except _DuplicateMemberError as error:
        name = str(error)
        line = _line_of(members, rf"{re.escape(json.dumps(name))}\s*:", 2)
        return (), JsonFault(line, f"the member {json.dumps(name)} is given twice")
    return tuple(value), None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    members = dict(pairs)
    if len(members) < len(pairs):
        names = [name for name, _ in pairs]
        raise _DuplicateMemberError(next(name for at, name in enumerate(names) if name in names[:at]))
    return members


def _refuse(constant: str) -> object:
    raise _ConstantError(constant)


def _line_of(text: str, pattern: str, occurrence: int) -> int:
    """Line on which a pattern occurs for the n-th time, or else for the last; the reader does not tell."""
    found = [match.start() for match in re.finditer(pattern, text)][:occurrence]
    return text.count("\n", 0, found[-1]) + 1 if found else 1
