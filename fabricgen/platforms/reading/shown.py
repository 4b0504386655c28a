"""Known paths of a file, matched step by step from the root."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fnmatch import translate
from functools import lru_cache

Steps = tuple[str, ...]
_REST, _BELOW = "...", "**"
_STEP_MAX = 512
"""Longer steps are no command or key that a pattern means; they are never matched."""
_KEPT_MAX = 1 << 16
"""Steps of one path that are remembered."""


class Shown:
    """Known paths that begin as a path does; matched step by step from the root.

    Steps that fit the same patterns lead to one and the same object, however many rows a table has.

    Attributes:
        is_known: Whether some pattern leads here, so that the step itself is shown.
        has_value: Whether what is set here is shown.
    """

    __slots__ = ("_active", "_alike", "_below", "_literal", "_wild", "has_value", "is_known")

    def __init__(self, active: tuple[tuple[Steps, int], ...]) -> None:
        """Take over the patterns that fit so far, with the number of steps they have matched."""
        self._active = active
        self._below: dict[str, Shown] = {}
        self._alike: dict[tuple[str, ...], Shown] = {(): UNKNOWN} if active else {}
        patterns = dict.fromkeys(steps[depth] for steps, depth in active if depth < len(steps))
        self._wild: dict[str, list[str]] = {}
        self._literal: dict[tuple[str, ...], list[str]] = {}
        for pattern in patterns:
            if _is_wild(pattern):
                first = _split(pattern)[0]
                self._wild.setdefault("" if "*" in first or first == _REST else first, []).append(pattern)
            else:
                self._literal.setdefault(_split(pattern), []).append(pattern)
        self.is_known = bool(active)
        self.has_value = any(depth == len(steps) or steps[depth] == _BELOW for steps, depth in active)

    def child(self, step: str) -> Shown:
        """The same of a path one step longer."""
        found = self._below.get(step)
        if found is None:
            words = tuple(step.split()) if len(step) <= _STEP_MAX else ("", "")
            likely = (*self._wild.get("", ()), *(self._wild.get(words[0], ()) if words and words[0] else ()))
            wild = [pattern for pattern in likely if pattern == _BELOW or _fits(pattern, words)]
            fitting = (*self._literal.get(words, ()), *wild)
            found = self._alike.get(fitting) or self._child_of(fitting)
            if len(self._below) < _KEPT_MAX:
                self._below[step] = found
        return found

    def _child_of(self, patterns: tuple[str, ...]) -> Shown:
        active = tuple(
            (steps, depth if steps[depth] == _BELOW else depth + 1)
            for steps, depth in self._active
            if depth < len(steps) and steps[depth] in patterns
        )
        found = self._alike[patterns] = Shown(active) if active else UNKNOWN
        return found


UNKNOWN = Shown(())


def build_shown(patterns: Iterable[str]) -> Shown:
    """The root of the known paths.

    Args:
        patterns: Steps joined by `` > ``, each of words; ``*`` in a word stands for any characters but blanks, ``...``
            as the last word for any words or none, ``**`` as the last step for everything below.
    """
    return Shown(tuple((tuple(pattern.split(" > ")), 0) for pattern in dict.fromkeys(patterns)))


@lru_cache(maxsize=16384)
def _split(pattern: str) -> tuple[str, ...]:
    return tuple(pattern.split())


def _is_wild(pattern: str) -> bool:
    """Return whether other words than its own fit a pattern."""
    return "*" in pattern or _split(pattern)[-1:] == (_REST,)


def _fits(pattern: str, words: tuple[str, ...]) -> bool:
    wanted = _split(pattern)
    if wanted[-1:] == (_REST,):
        wanted, words = wanted[:-1], words[: len(wanted) - 1]
    return len(wanted) == len(words) and all(map(_equal, wanted, words))


def _equal(pattern: str, word: str) -> bool:
    return pattern in ("*", word) or ("*" in pattern and bool(_compiled(pattern).match(word)))


@lru_cache(maxsize=4096)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(translate(pattern))
