"""Modes of a command line: the stack of those that are entered, and the one that has a command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from fabricgen.platforms.commands.grammar import Grammar, Match


class Found(NamedTuple):
    """The mode that has a command, or that has the most of its words if none has all of them."""

    mode: str
    match: Match
    taken: bool


def leaves(stack: list[str], text: str, words: tuple[str, ...]) -> bool:
    """Return whether a line is one of the words that leave a mode, and leave it; the outermost one is never left."""
    if text not in words:
        return False
    del stack[1 if text == "end" or len(stack) < 3 else len(stack) - 1 :]
    return True


def find_mode(stack: list[str], modes: Mapping[str, Grammar], words: list[str], *, cut_short: bool = False) -> Found:
    """Look for a command in the innermost of some modes, else in those around it, which leaves those inside.

    Args:
        stack: Modes from the outermost on; those inside the one that has the command are taken off.
        modes: Commands of every mode that is known.
        words: The command.
        cut_short: The beginning of a command is enough.
    """
    best, mode = Match(0, -1, ()), stack[-1]
    for depth in range(len(stack), 0, -1):
        grammar = modes.get(stack[depth - 1])
        if grammar is None:
            continue
        found = grammar.match(words)
        if found.marks or (cut_short and found.known == len(words)):
            del stack[depth:]
            return Found(stack[-1], found, True)
        if found.known > best.known:
            best, mode = found, stack[depth - 1]
        elif found.known == best.known:
            best = best._replace(words=best.words + found.words, values=best.values + found.values)
    return Found(mode, best, False)
