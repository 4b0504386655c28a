"""Patterns of one step of a path, as in a shell: ``*``, ``?``, ``[…]``."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache

SIGN = re.compile(r"[*?[]")
"""Signs of a pattern that match other characters than themselves."""


def matches(pattern: str, step: str) -> bool:
    """Return whether a step is as a pattern says."""
    return pattern in ("*", step) or bool(SIGN.search(pattern) and _compiled(pattern).match(step))


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))
