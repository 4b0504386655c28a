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
