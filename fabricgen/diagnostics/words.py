"""Lists and numbers as messages write them."""

from __future__ import annotations

from collections.abc import Iterable


def and_list(words: Iterable[str]) -> str:
    """Return words as a list that holds together: ``a, b and c``."""
    return _listed(words, "and")


def or_list(words: Iterable[str]) -> str:
    """Return words as a list of alternatives: ``a, b or c``."""
    return _listed(words, "or")


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, which takes a plain ``s`` in the plural unless told: ``1 lane``, ``4 lanes``."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or f'{noun}s'}"


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
