"""Patterns of host names, as exceptions write them: ``*``, ``?`` and ranges of numbers such as ``[09-32]``."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator
from fnmatch import translate
from functools import cache
from itertools import takewhile
from typing import Annotated

from pydantic import AfterValidator

from fabricgen.intent.types import HostName
from fabricgen.validation.forms import Form, refuse

_WILD = frozenset("*?[")
_RANGE = re.compile(r"(\d{1,4})(?:-(\d{1,4}))?", re.ASCII)
_BRACKETS = re.compile(r"\[([^]]*)\]")
_NUMBER = "\0"
"""Stands for a pair of brackets; no name has it."""


def is_pattern(name: str) -> bool:
    """Return whether a name stands for several."""
    return not _WILD.isdisjoint(name)


def match_names(text: str, names: Collection[str]) -> tuple[list[str], list[str]]:
    """Return the names that a name or pattern stands for, sorted, and numbers in its brackets that none of them has."""
    if not is_pattern(text):
        return [text] if text in names else [], []
    prefix, regex, numbers = _read_pattern(text)
    ordered = sorted(names)
    near = takewhile(lambda at: ordered[at].startswith(prefix), range(bisect_left(ordered, prefix), len(ordered)))
    found = {ordered[at]: match.groups() for at in near if (match := regex.fullmatch(ordered[at]))}
    columns = zip(numbers, map(frozenset, zip(*found.values(), strict=True)), strict=True) if found else ()
    return list(found), [number for group, seen in columns for number in group if number not in seen]


@cache
def _read_pattern(text: str) -> tuple[str, re.Pattern[str], list[list[str]]]:
    """Return the text before the first wildcard, an expression, and what each of its groups may be, a bracket each."""
    plain = _BRACKETS.sub(_NUMBER, text)
    if not {"[", "]"}.isdisjoint(plain):
        raise refuse("has a bracket without its pair; write a range as [09-32]")
    numbers, regex = [list(_list_numbers(brackets)) for brackets in _BRACKETS.findall(text)], translate(plain)
    for group in numbers:
        regex = regex.replace(_NUMBER, f"({'|'.join(group)})", 1)
    return re.split(rf"[*?{_NUMBER}]", plain)[0], re.compile(regex, re.ASCII), numbers


def _list_numbers(brackets: str) -> Iterator[str]:
    """Yield the numbers of ranges as names have them: padded with zeros where both ends are as long."""
    for part in brackets.split(","):
        found = _RANGE.fullmatch(part)
        if found is None:
            raise refuse(
                f"has {part!r} in brackets, which is no range; write [09-32] or [1-3,7], or ? for any character"
            )
        first, last = found[1], found[2] or found[1]
        if int(last) < int(first):
            raise refuse(f"has the range {part}, which ends before it begins; write {last}-{first}")
        if len(first) != len(last) and "0" in (first[0], last[0]):
            raise refuse(f"has the range {part}; write both ends with as many digits as the names have")
        width = len(first) if len(first) == len(last) else 0
        yield from (f"{number:0{width}}" for number in range(int(first), int(last) + 1))


def _check(text: str) -> str:
    if is_pattern(text):
        _read_pattern(text)
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
