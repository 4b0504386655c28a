"""Data as YAML in block style, every text in quotes, so that no reader takes one for a number, a date or a word."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

Data = str | int | bool | list["Data"] | Mapping[str, "Data"]


def write_blocks(data: Mapping[str, Data]) -> str:
    """Return a document; keys are plain words and stand as they are.

    Source:
        YAML 1.2.2, sections 7.3.1 and 8.2: a text in double quotes is written as in JSON.
    """
    return "".join(f"{line}\n" for line in _members(data))


def _members(data: Mapping[str, Data]) -> Iterator[str]:
    for key, value in data.items():
        if isinstance(value, Mapping | list) and value:
            yield f"{key}:"
            yield from (f"  {line}" for line in _lines(value))
        else:
            yield f"{key}: {_scalar(value)}"


def _lines(data: Data) -> Iterator[str]:
    if isinstance(data, Mapping):
        yield from _members(data)
    elif isinstance(data, list):
        for item in data:
            first, *others = _lines(item)
            yield f"- {first}"
            yield from (f"  {line}" for line in others)
    else:
        yield _scalar(data)


def _scalar(value: Data) -> str:
    return json.dumps(value)
