"""Two texts to the places in which they differ, and a text in which only some of them are changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest

_POINT = re.compile(r"(?:.*\D)?(\d+)[:,](\d+)\D*")


class LineEdit:
    """A place of a text: words or lines that both have, or that differ.

    Attributes:
        before: Lines, or words of a line, of the one text.
        after: Of the other.
        lines: Lines that it lies in, those of the other text first.
        joined: It is a word of the line that the word before it stands in.
    """

    __slots__ = ("after", "before", "joined", "lines")

    def __init__(self, before: str, after: str, lines: Sequence[str] = (), *, joined: bool = False) -> None:
        """Take both sides."""
        self.before = before
        self.after = after
        self.lines = tuple(lines) or tuple(filter(None, (after, before)))
        self.joined = joined

    @property
    def is_changed(self) -> bool:
        """Return whether the sides differ."""
        return self.before != self.after

    @property
    def code_point(self) -> tuple[str, str] | None:
        """Return the class that each side gives a code point; None if it is no word about one."""
        old, new = _POINT.fullmatch(self.before), _POINT.fullmatch(self.after)
        return (old[2], new[2]) if old and new and old[1] == new[1] else None


def edit_lines(before: Sequence[str], after: Sequence[str]) -> list[LineEdit]:
    """Return what leads from one text to another, in order.

    Args:
        before: Lines of the one text.
        after: Lines of the other.
    """
    edits: list[LineEdit] = []
    for tag, i, j, m, n in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag == "equal":
            edits += [LineEdit(line, line) for line in before[i:j]]
            continue
        for old, new in zip_longest(before[i:j], after[m:n], fillvalue=""):
            edits += _edit_line(old, new)
    return edits


def _edit_line(old: str, new: str) -> Iterator[LineEdit]:
    """One line: word by word where both sides have code points at the same places."""
    sides = [re.split(r"(\s+)", line) for line in (old, new)]
    words = [
        LineEdit(one, other, (new, old), joined=at > 0) for at, (one, other) in enumerate(zip(*sides, strict=False))
    ]
    differing = [word for word in words if word.is_changed]
    if len(sides[0]) == len(sides[1]) and all(word.code_point for word in differing):
        yield from words
    else:
        yield LineEdit(old, new)


def merge_lines(edits: Sequence[LineEdit], takes: Callable[[LineEdit], bool]) -> list[str]:
    """Return the text in which the edits that are taken are made, and no others."""
    lines: list[str] = []
    for edit in edits:
        text = edit.after if edit.is_changed and takes(edit) else edit.before
        if edit.joined:
            lines[-1] += text
        else:
            lines.append(text)
    return [line for line in lines if line]
