"""Facts of a switch's file that the other ends of its links rely on, read from the file itself.

A reader module may have ``list_facts(tree)``. It names each fact by its matter and by the port or address it is about,
with the value as the file has it and the paths of the tree that decide it. Two ends agree as long as neither says
anything else than what was rendered for it, or both say the same anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from fabricgen.platforms.reading.reader import Tree


class Matter(StrEnum):
    """Subjects of facts, all of a port but the last two: those are of the switch and of a neighbour."""

    MTU = "MTU"
    SPEED = "speed"
    FEC = "FEC"
    ADDRESS = "address"
    PFC = "PFC priorities"
    DSCP = "DSCP map"
    GROUPS = "priority groups of traffic classes"
    QUEUES = "queues of traffic classes"
    ASN = "AS number"
    PEER_ASN = "neighbour's AS number"


Steps = tuple[str, ...]
_RUN = re.compile(r"(\d+)(?:-(\d+))? to (\S+)")


class Fact(NamedTuple):
    """A matter and the port or the address of the neighbour it concerns; empty for the whole switch.

    Attributes:
        value: In words of the file; equal texts mean the same on one platform.
        paths: Paths of the tree that decide it.
    """

    matter: Matter
    thing: str
    value: str
    paths: tuple[Steps, ...]


ListFacts = Callable[[Tree], Iterator[Fact]]


def differences(before: str, after: str) -> tuple[str, str]:
    """Return what two maps in one line have different, each of its side; other values as they are."""
    old, new = _points(before), _points(after)
    if not old or not new:
        return before, after
    keys = [key for key in sorted({*old, *new}, key=int) if old.get(key) != new.get(key)]
    shown = [pairs({key: side.get(key, "nothing") for key in keys}) for side in (old, new)]
    return shown[0], shown[1]


def _points(text: str) -> dict[str, str]:
    """A map that ``pairs`` has written; empty if the text is none."""
    found: dict[str, str] = {}
    for run in text.split(", "):
        match = _RUN.fullmatch(run)
        if match is None:
            return {}
        found |= {str(number): match[3] for number in range(int(match[1]), int(match[2] or match[1]) + 1)}
    return found


def pairs(mapping: Mapping[str, object]) -> str:
    """Return a map in one line, such as ``0-2 to 0, 3 to 3``; keys are numbers as text."""
    runs: list[tuple[int, int, str]] = []
    for key in sorted(mapping, key=int):
        number, value = int(key), str(mapping[key])
        if runs and runs[-1][1] + 1 == number and runs[-1][2] == value:
            runs[-1] = (runs[-1][0], number, value)
        else:
            runs.append((number, number, value))
    return ", ".join(f"{first if first == last else f'{first}-{last}'} to {value}" for first, last, value in runs)
