"""Paths of an intended file whose values only refer to secrets."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from fabricgen.platforms.reading.by_identity import ByIdentity
from fabricgen.platforms.reading.reader import Tree
from fabricgen.platforms.reading.redaction import REFERENCE

Steps = tuple[str, ...]
_PARTS: ByIdentity[list[Steps]] = ByIdentity()
"""Paths below the names at the top of trees, most of which a class of devices shares."""


def list_withheld(tree: Tree) -> tuple[str, ...]:
    """Return the paths of an intended tree whose values refer to secrets, as JSON pointers.

    Of a name that does, it is the path above it.
    """
    found = (_PARTS.get(value, name, partial(_list_part, name, value)) for name, value in tree.items())
    return tuple(dict.fromkeys(to_pointer(steps) for part in found for steps in part))


def to_pointer(steps: Steps) -> str:
    """Return a path as a JSON pointer."""
    return "".join(f"/{step.replace('~', '~0').replace('/', '~1')}" for step in steps)


def from_pointer(pointer: str) -> Steps:
    """Return the path that a JSON pointer writes."""
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:])


def _list_part(name: str, value: Any) -> list[Steps]:
    return list(_walk({name: value}, ()))


def _walk(value: Any, steps: Steps) -> Iterator[Steps]:
    if isinstance(value, dict):
        for key, below in value.items():
            if REFERENCE in key:
                yield steps
            elif not isinstance(below, str) or REFERENCE in below:
                yield from _walk(below, (*steps, key))
    elif isinstance(value, list):
        if any(isinstance(each, str) and REFERENCE in each for each in value):
            yield steps
    elif isinstance(value, str) and REFERENCE in value:
        yield steps
