"""Number of equal-cost paths while a neighbor has two sessions, the old and the new one.

Both sessions bring the same routes, so a router that takes as many paths as it has uplinks would take all of them from
some neighbors and none from others. In between it takes as many as both sides need together. Where sessions only go, as
where an earlier rollout ended between two phases, it takes fewer once they are gone.
Data of the semantics (``widths``): ``session``, the path of a session, or several; ``paths``, the paths of numbers that
limit paths, in the same file or in another one of the device; ``most``, the largest number that every release of the
program takes, if it has one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fabricgen.platforms.patching.steps import ABSENT, Change, Situation
from fabricgen.platforms.reading.reader import find_places, look_up, matches
from fabricgen.rollout.phasing.atoms import ChangePart, Context, Done

_KIND = "address"
_NUMBER = re.compile(r"\d+")
Steps = tuple[str, ...]


def widen_paths(situation: Situation, context: Context) -> dict[Steps, ChangePart]:
    """Return the numbers of paths that differ in between, by their place in the tree.

    Args:
        situation: Of a file.
        context: Of its device.
    """
    data: Mapping[str, Any] = situation.semantics.data.get("widths", {})
    doubles = context.doubles or sessions_double(situation)
    if not (doubles or context.loses or sessions_go(situation)):
        return {}
    found = {}
    for pattern in data.get("paths", ()):
        for steps in find_places(situation.before, pattern.split(" > ")):
            change = _change_at(steps, situation)
            if change is not None and doubles:
                found[steps] = _widen(change, data.get("most"), context)
            elif change is not None and _numbers(change.after) < _numbers(change.before):
                found[steps] = _narrow(change, context)
    return found


def sessions_double(situation: Situation) -> bool:
    """Return whether sessions of a file come and others go, so that both are there in between."""
    return sessions_go(situation) and any(change.before is ABSENT for change in _list_sessions(situation))


def sessions_go(situation: Situation) -> bool:
    """Return whether sessions of a file go."""
    return any(change.after is ABSENT for change in _list_sessions(situation))


def _list_sessions(situation: Situation) -> Iterator[Change]:
    """Yield the sessions of a file that change."""
    session = situation.semantics.data.get("widths", {}).get("session", "")
    patterns = [path.split(" > ") for path in ([session] if isinstance(session, str) else session)]
    return (change for change in situation.changes if any(_is_at(change.steps, each) for each in patterns))


def _is_at(steps: Steps, pattern: Sequence[str]) -> bool:
    return len(steps) == len(pattern) and all(map(matches, pattern, steps))


def _change_at(steps: Steps, situation: Situation) -> Change | None:
    """Return what becomes of a number, also where both sides have the same; None where it disappears."""
    before, after = (look_up(tree, *steps[:-1]).get(steps[-1], ABSENT) for tree in (situation.before, situation.after))
    meaning = situation.semantics.root
    for step in steps:
        meaning = meaning.child(step)
    return None if after is ABSENT else Change(steps, before, after, meaning)


def _widen(change: Change, most: int | None, context: Context) -> ChangePart:
    gain, loss = context.atom(_KIND, ABSENT, change.after), context.atom(_KIND, change.before, ABSENT)
    sums = [old + new for old, new in zip(_numbers(change.before), _numbers(change.after), strict=False)]
    both = _replace_numbers(change.after, sums)

    def build(done: Done) -> Any:
        return change.after if done(loss) else both if done(gain) else change.before

    wide, reason = max(sums, default=0), ""
    if most is not None and wide > most:
        reason = f"{wide} paths while both sessions are there, and {most} is the largest number"
    return ChangePart(change, (gain, loss), build, _KIND if reason else "", reason)


def _narrow(change: Change, context: Context) -> ChangePart:
    loss = context.atom(_KIND, change.before, ABSENT)
    return ChangePart(change, (loss,), lambda done: change.after if done(loss) else change.before)


def _numbers(value: Any) -> list[int]:
    return [int(found) for found in _NUMBER.findall(str(value))]


def _replace_numbers(value: Any, numbers: Sequence[int]) -> Any:
    """Return a value with other numbers in it; a number is one itself."""
    if isinstance(value, int):
        return numbers[0]
    left = iter(numbers)
    return _NUMBER.sub(lambda found: str(next(left, found[0])), str(value))
