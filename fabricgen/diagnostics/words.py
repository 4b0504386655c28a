"""Lists and numbers as messages write them, and the known word that an unknown one was probably meant to be."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from difflib import get_close_matches


def and_list(words: Iterable[str]) -> str:
    """Return words as a list that holds together: ``a, b and c``."""
    return _listed(words, "and")


def or_list(words: Iterable[str]) -> str:
    """Return words as a list of alternatives: ``a, b or c``."""
    return _listed(words, "or")


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, which takes a plain ``s`` in the plural unless told: ``1 lane``, ``4 lanes``."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or f'{noun}s'}"


def name_few(names: Sequence[str], most: int = 1) -> str:
    """Return the first names, and how many more there are: ``a, b and 3 more``."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def _listed(words: Iterable[str], word: str) -> str:
    *first, last = (*words,) or ("",)
    return f"{', '.join(first)} {word} {last}" if first else last


def ranges(numbers: Iterable[int], between: str = " ") -> str:
    """Return numbers in ascending order, neighbours as ``first-last``."""
    found: list[list[int]] = []
    for number in sorted(numbers):
        if found and found[-1][-1] + 1 == number:
            found[-1][1:] = [number]
        else:
            found.append([number])
    return between.join("-".join(map(str, run)) for run in found)


_WORD_MAX = 80
"""Words longer than this are no misspelling of a name."""
_KNOWN_MAX = 20_000
_PAIRS_MAX = 2_000_000
"""Pairs of characters compared in all: a second at worst. After that many, a further suggestion has no use."""


class Nearest:
    """Finds near words for unknown ones; after many of them it finds none, so that their number costs nothing."""

    __slots__ = ("_left",)

    def __init__(self) -> None:
        """Start with all the work there may be."""
        self._left = _PAIRS_MAX

    def find(self, word: str, known: Collection[str], cutoff: float = 0.6) -> str | None:
        """Return the nearest known word, alike from 0 to 1; None if none is near or too much was compared already."""
        if self._left <= 0 or len(word) > _WORD_MAX or len(known) > _KNOWN_MAX:
            return None
        self._left -= len(word) * sum(map(len, known))
        return next(iter(get_close_matches(word, known, n=1, cutoff=cutoff)), None)
