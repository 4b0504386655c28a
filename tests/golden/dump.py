"""Plans and device models as indented text: a record of plain values is one line, so a change of it is one too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

_WIDTH = 240


def dump(value: object) -> str:
    """Write a model of any stage; a named record that several others hold is written once."""
    return "\n".join(_lines(type(value).__name__, value, "", set())) + "\n"


def _lines(name: str, value: object, indent: str, seen: set[int]) -> Iterator[str]:
    line = f"{indent}{name}: {value!r}"
    parts = list(_parts(value))
    if not parts or (len(line) <= _WIDTH and not any(_is_record(part) for _, part in parts)):
        yield line
        return
    if _is_record(value) and hasattr(value, "name"):
        if id(value) in seen:
            yield f"{indent}{name}: {type(value).__name__} {value.name!r}, as above"
            return
        seen.add(id(value))
    yield f"{indent}{name}:"
    for key, part in parts:
        yield from _lines(key, part, f"{indent}  ", seen)


def _parts(value: object) -> Iterator[tuple[str, object]]:
    # A regular fabric has nothing of its own.
    if is_dataclass(value) and not isinstance(value, type):
        named = ((field.name, getattr(value, field.name)) for field in fields(value))
        yield from (each for each in named if each[1] or not each[0].startswith("own"))
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        named = zip(value._fields, value, strict=True)
        yield from (each for each in named if each[1] or not each[0].startswith("own"))
    elif isinstance(value, dict):
        yield from ((repr(key), part) for key, part in sorted(value.items()))
    elif isinstance(value, list | tuple):
        yield from ((str(at), part) for at, part in enumerate(value))


def _is_record(value: object) -> bool:
    return hasattr(value, "_fields") or is_dataclass(value)
