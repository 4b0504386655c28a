"""Patterns of steps of a path, as in a shell: ``*``, ``?``, ``[…]``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import translate
from functools import lru_cache
from typing import Any

SIGN = re.compile(r"[*?[]")
"""Signs of a pattern that match other characters than themselves."""


def matches(pattern: str, step: str) -> bool:
    """Return whether a step is as a pattern says."""
    return pattern in ("*", step) or bool(SIGN.search(pattern) and _compiled(pattern).match(step))


def find_places(
    tree: Mapping[str, Any], pattern: Sequence[str], above: tuple[str, ...] = ()
) -> Iterator[tuple[str, ...]]:
    """Yield the paths of a tree that are as a pattern says.

    Args:
        tree: Nested dicts.
        pattern: Of each step.
        above: Path of the tree itself.
    """
    for step, value in tree.items():
        if not matches(pattern[0], step):
            continue
        if len(pattern) == 1:
            yield (*above, step)
        elif isinstance(value, dict):
            yield from find_places(value, pattern[1:], (*above, step))


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))
