"""Patterns of host names, as exceptions write them: ``*``, ``?`` and ranges of numbers such as ``[09-32]``."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import cache
from itertools import takewhile, zip_longest
from typing import Annotated, NamedTuple

from pydantic import AfterValidator

from fabricgen.intent.types import HostName
from fabricgen.validation.forms import Form, refuse

_WILD = frozenset("*?[")
_RANGE = re.compile(r"(\d{1,6})(?:-(\d{1,6}))?", re.ASCII)
_BRACKETS = re.compile(r"\[([^]]*)\]")


class NumberRange(NamedTuple):
    """A range of numbers as a name has them: ends of one width are padded with zeros to it, others are not padded."""

    first: str
    last: str

    def has(self, number: str) -> bool:
        """Return whether a number is in the range, written as its ends are."""
        padded = len(self.first) == len(self.last) == len(number)
        return int(self.first) <= int(number) <= int(self.last) and (padded or number[0] != "0")


class NamePattern(NamedTuple):
    """A pattern ready to be matched.

    Attributes:
        prefix: Text before the first wildcard.
        groups: The ranges in each pair of brackets; ``regex`` has a group for each pair.
        example: A name of the form that the pattern describes.
    """

    prefix: str
    regex: re.Pattern[str]
    groups: tuple[tuple[NumberRange, ...], ...]
    example: str

    def numbers(self, name: str) -> tuple[str, ...] | None:
        """Return the numbers that a name has at the brackets; None if the name does not match."""
        found = self.regex.fullmatch(name)
        if found is None or not all(
            any(each.has(number) for each in group) for group, number in zip(self.groups, found.groups(), strict=True)
        ):
            return None
        return found.groups()

    def match(self, names: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return those of some sorted names that match, and the ends of ranges that none of them has."""
        near = takewhile(
            lambda at: names[at].startswith(self.prefix), range(bisect_left(names, self.prefix), len(names))
        )
        found = {names[at]: numbers for at in near if (numbers := self.numbers(names[at])) is not None}
        columns = zip(self.groups, zip(*found.values(), strict=True), strict=True) if found else ()
        ends = ((end, frozenset(seen)) for ranges, seen in columns for each in ranges for end in each)
        return list(found), list(dict.fromkeys(end for end, seen in ends if end not in seen))


def is_pattern(name: str) -> bool:
    """Return whether a name stands for several."""
    return not _WILD.isdisjoint(name)


@cache
def read_pattern(text: str) -> NamePattern:
    """Return a pattern; raises a refusal of a bad range."""
    groups = []

    def number(found: re.Match[str]) -> str:
        group = tuple(_read_range(part) for part in found[1].split(","))
        widths = sorted({len(end) for each in group for end in each})
        groups.append(group)
        return rf"(\d{{{widths[0]}}})" if len(widths) == 1 else rf"(?<!\d)(\d{{{widths[0]},{widths[-1]}}})(?!\d)"

    parts = []
    for part in text.split("*"):
        outside = _BRACKETS.split(part)[::2]
        if any(sign in rest for rest in outside for sign in "[]"):
            raise refuse("has a bracket without its pair; write a range as [09-32]")
        inside = [number(found) for found in _BRACKETS.finditer(part)]
        plain = [re.escape(rest).replace(r"\?", ".") for rest in outside]
        parts.append("".join(sign for pair in zip_longest(plain, inside, fillvalue="") for sign in pair))
    # Each text between two stars is taken where it matches first, and none is tried again.
    head, *middle, tail = parts if len(parts) > 1 else (*parts, "")
    regex = "".join([head, *(f"(?>.*?{each})" for each in middle), *([f".*{tail}"] if len(parts) > 1 else [])])
    example = _BRACKETS.sub(lambda found: re.split("[-,]", found[1])[0], text).replace("*", "").replace("?", "0")
    return NamePattern(re.split(r"[*?[]", text)[0], re.compile(regex, re.ASCII), tuple(groups), example)


def _read_range(part: str) -> NumberRange:
    found = _RANGE.fullmatch(part)
    if found is None:
        raise refuse(f"has {part!r} in brackets, which is no range; write [09-32] or [1-3,7], or ? for any character")
    first, last = found[1], found[2] or found[1]
    if int(last) < int(first):
        raise refuse(f"has the range {part}, which ends before it begins; write {last}-{first}")
    if len(first) != len(last) and "0" in (first[0], last[0]):
        raise refuse(f"has the range {part}; write both ends with as many digits as the names have")
    return NumberRange(first, last)


def _check(text: str) -> str:
    if is_pattern(text):
        read_pattern(text)
    return text


_HOST_NAME: Form = HostName.__metadata__[0]  # type: ignore[attr-defined]
HostNames = Annotated[
    str,
    Form(
        rf"{_HOST_NAME.pattern}|^(?=.*[*?\[])[A-Za-z0-9.*?,\[\]-]{{1,100}}$",
        f"{_HOST_NAME.words}, or a pattern of names with *, ? and ranges such as [09-32]",
    ),
    AfterValidator(_check),
]
"""Name of one device or host, or a pattern that stands for several."""
