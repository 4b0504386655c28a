"""Changes of a file to parts that can be carried out one after another, each in its stage.

Most changes have one part, texts included; a list whose items stand for themselves has one per item.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fabricgen.platforms.patching.steps import ABSENT, Change, Situation
from fabricgen.rollout.phasing.alternatives import permit_either
from fabricgen.rollout.phasing.atoms import ChangePart, Context, Done
from fabricgen.rollout.phasing.bridge import KIND, MOVE_FIRST, MOVED, bridge_asn, moves_number
from fabricgen.rollout.phasing.bridge_commands import bridge_commands
from fabricgen.rollout.phasing.directions import LINES, kind_of_lines
from fabricgen.rollout.phasing.entries import gather_entries, keep_entry, keep_permitted
from fabricgen.rollout.phasing.second_addresses import keep_both
from fabricgen.rollout.phasing.widths import widen_paths


def split_changes(situation: Situation, context: Context) -> list[ChangePart]:
    """Return the parts of a file's changes."""
    widened, doubled = widen_paths(situation, context), keep_both(situation, context)
    changes = (change for change in gather_entries(situation) if change.steps not in widened)
    parts = (doubled.get(change.steps) or _split(change, situation, context) for change in changes)
    return [*(part for found in parts for part in found), *widened.values()]


def _split(change: Change, situation: Situation, context: Context) -> Iterator[ChangePart]:
    kind, before, after = change.meaning.get("ends"), change.before, change.after
    both_lists = isinstance(before, list) and isinstance(after, list)
    if change.steps[-1:] == (LINES,) and both_lists:
        yield _whole(change, kind_of_lines(change), context)
    elif kind == "address" and both_lists:
        yield _split_items(change, kind, context)
    elif ABSENT not in (before, after):
        yield from _replace(change, kind, situation, context)
    elif change.meaning.get("ends_change") == "bridged" and moves_number(change, situation):
        yield _whole(change, kind, context)._replace(refused=KIND, reason=MOVED, advice=MOVE_FIRST)
    else:
        yield permit_either(change, situation, context) or _whole(change, kind, context)


def _replace(change: Change, kind: str, situation: Situation, context: Context) -> Iterator[ChangePart]:
    """Yield the parts of a value that another one takes the place of."""
    way = change.meaning.get("ends_change")
    if way == "bridged":
        yield from _bridge(change, situation, context)
    elif kind == "list":
        yield from keep_permitted(change, situation, context)
    elif kind == "accept" and way == "kept":
        yield from keep_entry(change, situation, context)
    else:
        yield permit_either(change, situation, context) or _whole(change, kind, context)


def _bridge(change: Change, situation: Situation, context: Context) -> Iterator[ChangePart]:
    bridge = bridge_commands if "group" in situation.semantics.data["bridge"] else bridge_asn
    return bridge(change, situation, context)


def _whole(change: Change, kind: str, context: Context) -> ChangePart:
    replaced = ABSENT not in (change.before, change.after)
    # The AS number of a neighbor that comes or goes is part of its session.
    atom = context.atom("address" if kind == "asn" and not replaced else kind, change.before, change.after)
    refused = kind if replaced and change.meaning.get("ends_change") == "refused" else ""
    return ChangePart(change, (atom,), lambda done: change.after if done(atom) else change.before, refused)


def _split_items(change: Change, kind: str, context: Context) -> ChangePart:
    """A list of things that are there or not: new ones come beside the old ones."""
    gained = [item for item in change.after if item not in change.before]
    gain, loss = context.atom(kind, ABSENT, gained), context.atom(kind, change.before, ABSENT)

    def build(done: Done) -> list[Any]:
        kept = [item for item in change.before if item in change.after or not done(loss)]
        return change.after if done(gain) and done(loss) else [*kept, *(gained if done(gain) else ())]

    return ChangePart(change, (gain, loss), build)
