"""Numbered entries of lists and policies that change: the former entry stays beside the new one while it is needed.

A list that permits has both values in any order. In a policy the first entry that matches decides, so the former one
goes right behind the new one: what only it matches is treated as before.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from fabricgen.platforms.patching.steps import ABSENT, Change, Situation
from fabricgen.platforms.reading.reader import Tree, look_up
from fabricgen.platforms.reading.semantics import Meaning
from fabricgen.rollout.phasing.atoms import ChangePart, Context, Done
from fabricgen.rollout.phasing.directions import class_of

_NUMBERED = re.compile(r".*\d")
_ENTRY = re.compile(r"(?P<policy>.*?)(?P<action>permit |deny )?(?P<number>\d+)")
_PERMITS = ("permit", "accept")
_COMMUNITY = "community"
_NO_ROOM = "no number is free between an entry and the next, so that the former entry could stay behind it"
Steps = tuple[str, ...]


def gather_entries(situation: Situation) -> Iterator[Change]:
    """Yield the changes of a file, with all changes of an entry that has to be replaced as a whole as one.

    Args:
        situation: Of the file.
    """
    seen: set[Steps] = set()
    for change in situation.changes:
        found = _entry_above(change, situation.semantics.root)
        if found is None:
            yield change
        elif found[0] not in seen:
            steps, meaning = found
            seen.add(steps)
            before, after = (
                look_up(tree, *steps[:-1]).get(steps[-1], ABSENT) for tree in (situation.before, situation.after)
            )
            yield Change(steps, before, after, meaning)


def _entry_above(change: Change, meaning: Meaning) -> tuple[Steps, Meaning] | None:
    """Return path and meaning of the whole entry that a change is in; None if it is in none."""
    for depth, step in enumerate(change.steps, 1):
        meaning = meaning.child(step)
        if meaning.get("ends_entry") == "true":
            return change.steps[:depth], meaning
    return None


def keep_permitted(change: Change, situation: Situation, context: Context) -> Iterator[ChangePart]:
    """Yield the parts of an entry of a list that gets another value: the old one goes on under a number of its own."""
    # A field of an entry may end in a digit too.
    depths = (1,) if change.meaning.get("ends_rank") else (0, 1)
    depth = next((depth for depth in depths if _NUMBERED.fullmatch(change.steps[-1 - depth])), None)
    row = change.steps[: len(change.steps) - (depth or 0)]
    sides = [look_up(tree, *row[:-1]) for tree in (situation.before, situation.after)]
    old = sides[0].get(row[-1])
    gain, loss = context.atom("list", ABSENT, change.after), context.atom("list", change.before, ABSENT)
    is_kept = depth is not None and any(word in str(old).lower() for word in _PERMITS)
    refused = "" if is_kept else "list"
    yield ChangePart(change, (gain,), lambda done: change.after if done(gain) else change.before, refused)
    if is_kept:
        spare = Change((*row[:-1], _free_name(row[-1], sides)), ABSENT, ABSENT, change.meaning)
        kept = _free_rank(old, sides, change.meaning.get("ends_rank"))
        yield ChangePart(spare, (loss,), lambda done: kept if done(gain) and not done(loss) else ABSENT)


def keep_entry(change: Change, situation: Situation, context: Context) -> Iterator[ChangePart]:
    """Yield the parts of an entry of a policy that matches something else: what it was goes on right behind it.

    Communities that it sets change with those of all other entries.
    """
    kind = change.meaning.get("ends")
    depth = max(at for at, step in enumerate(change.steps[:-1], 1) if _NUMBERED.fullmatch(step))
    row = change.steps[:depth]
    sides = [look_up(tree, *row[:-1]) for tree in (situation.before, situation.after)]
    name = _name_after(row[-1], sides)
    gain, loss = context.atom(kind, ABSENT, change.after), context.atom(kind, change.before, ABSENT)
    refused, reason = ("", "") if name else (kind, _NO_ROOM)
    yield ChangePart(change, (gain,), lambda done: change.after if done(gain) else change.before, refused, reason)
    spare = Change((*row[:-1], name), ABSENT, ABSENT, change.meaning)
    meaning = situation.semantics.root
    for step in row:
        meaning = meaning.child(step)
    old, new = (side.get(row[-1], {}) for side in sides)

    def build(done: Done) -> Any:
        if not name or not done(gain) or done(loss):
            return ABSENT
        return _set_anew(old, new, meaning, done, context)

    yield ChangePart(spare, (loss,), build)


def _set_anew(before: Tree, after: Tree, meaning: Meaning, done: Done, context: Context) -> Tree:
    """Return an entry as it was, but for communities that it sets by now."""
    found = {}
    for key, value in before.items():
        below, other = meaning.child(key), after.get(key, ABSENT)
        if below.get("ends") == _COMMUNITY and other is not ABSENT:
            found[key] = other if done(context.atom(_COMMUNITY, value, other)) else value
        elif isinstance(value, dict) and isinstance(other, dict):
            found[key] = _set_anew(value, other, below, done, context)
        else:
            found[key] = value
    return found


def _name_after(name: str, sides: Sequence[Tree]) -> str:
    """Return the name of an entry right behind another; empty where the next entry leaves no room."""
    own = _ENTRY.fullmatch(name)
    if own is None:
        return ""
    others = (match for side in sides for match in map(_ENTRY.fullmatch, side) if match)
    number = int(own["number"]) + 1
    taken = number in {int(match["number"]) for match in others if match["policy"] == own["policy"]}
    return "" if taken else f"{own['policy']}{own['action'] or ''}{number}"


def _free_name(name: str, sides: Sequence[Tree]) -> str:
    """Return the name with the next number that no entry of either side has."""
    head = name.rstrip("0123456789")
    number = int(name[len(head) :])
    while any(f"{head}{number}" in side for side in sides):
        number += 1
    return f"{head}{number}"


def _free_rank(row: Any, sides: Sequence[Tree], field: str) -> Any:
    """Return the row with the next lower rank that no row of either side has; as it is where rows have none."""
    if not field or not isinstance(row, dict):
        return row
    taken = {str(other.get(field)) for side in sides for other in side.values() if isinstance(other, dict)}
    rank = class_of(row.get(field)) or 0
    while str(rank) in taken:
        rank -= 1
    return {**row, field: str(rank)}
