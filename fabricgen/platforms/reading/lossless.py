"""Lossless priorities of a device, as one of its files tells them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, NamedTuple

from fabricgen.platforms.reading.patterns import matches
from fabricgen.platforms.values import Line
from fabricgen.validation.forms import Written, record, refuse


def one_group() -> Written:
    """Return the form of a regular expression with one group."""

    def read(value: Any) -> str:
        try:
            if isinstance(value, str) and re.compile(value).groups == 1:
                return value
        except re.error:
            pass
        raise refuse("is not a regular expression with one group")

    return Written(read, ("string",))


@record
class LosslessEntry(NamedTuple):
    """A place of a file that tells lossless priorities.

    Attributes:
        path: Pattern of the path; a line of a text is a step below ``lines``.
        priority: Regular expression; its group is a priority wherever it matches in ``PATH = VALUE``.
    """

    path: Line
    priority: Annotated[str, one_group()]


def find_lossless(entries: Sequence[LosslessEntry], tree: dict[str, Any]) -> frozenset[int]:
    """Return the lossless priorities that a tree tells in some places."""
    found: set[int] = set()
    for entry in entries:
        for path, value in _leaves(tree, tuple(entry.path.split(" > ")), ""):
            found |= {int(number) for number in re.findall(entry.priority, f"{path} = {value}")}
    return frozenset(found)


def _leaves(node: Any, patterns: tuple[str, ...], path: str) -> Iterator[tuple[str, Any]]:
    """Yield path and value of whatever patterns match."""
    if not patterns:
        yield path, node
    elif isinstance(node, dict | list):
        below = node if isinstance(node, dict) else {str(line).strip(): "" for line in node}
        for step, value in below.items():
            if matches(patterns[0], step):
                yield from _leaves(value, patterns[1:], f"{path} > {step}" if path else step)
