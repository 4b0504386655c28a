"""Changes of a file to parts that can be carried out one after another, each in its stage.

Most changes have one part. A list whose items stand for themselves has one per item, a map from classes to code points
one per code point, a text one per line, and a line of code points one per word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fabricgen.platforms.patching.steps import ABSENT, Change, Situation
from fabricgen.platforms.reading.reader import Tree, look_up
from fabricgen.rollout.phasing.alternatives import permit_either
from fabricgen.rollout.phasing.atoms import Atom, ChangePart, Context, Done
from fabricgen.rollout.phasing.bridge import KIND, MOVE_FIRST, MOVED, bridge_asn, moves_number
from fabricgen.rollout.phasing.bridge_commands import bridge_commands
from fabricgen.rollout.phasing.directions import class_of
from fabricgen.rollout.phasing.entries import gather_entries, keep_entry, keep_permitted
from fabricgen.rollout.phasing.lines import LineEdit, edit_lines, merge_lines
from fabricgen.rollout.phasing.second_addresses import keep_both
from fabricgen.rollout.phasing.widths import widen_paths

LINES = "lines"


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
        yield _split_lines(change, context)
    elif kind == "dscp" and (both_lists or _lists_in(before) or _lists_in(after)):
        yield _split_map(change, situation, context)
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


def _split_lines(change: Change, context: Context) -> ChangePart:
    """A text: each line by what the semantics say of it."""
    edits = edit_lines(change.before, change.after)
    atoms: dict[LineEdit, Atom] = {}
    for edit in edits:
        if edit.is_changed:
            kinds = [change.meaning.child(line.strip()).get("ends") for line in edit.lines]
            kind = next(filter(None, kinds), "")
            atoms[edit] = context.atom(kind, *_sides(edit, kind, kinds))
    return ChangePart(change, tuple(atoms.values()), lambda done: merge_lines(edits, lambda edit: done(atoms[edit])))


def _sides(edit: LineEdit, kind: str, kinds: Sequence[str]) -> tuple[Any, Any]:
    """Both sides of an edit as far as they are of a kind; ABSENT where a line is of another."""
    if kind == "dscp" and edit.code_point:
        return edit.code_point
    own = dict(zip(edit.lines, kinds, strict=True))
    before, after = (text if text and own.get(text, kind) == kind else ABSENT for text in (edit.before, edit.after))
    return before, after


def _split_items(change: Change, kind: str, context: Context) -> ChangePart:
    """A list of things that are there or not: new ones come beside the old ones."""
    gained = [item for item in change.after if item not in change.before]
    gain, loss = context.atom(kind, ABSENT, gained), context.atom(kind, change.before, ABSENT)

    def build(done: Done) -> list[Any]:
        kept = [item for item in change.before if item in change.after or not done(loss)]
        return change.after if done(gain) and done(loss) else [*kept, *(gained if done(gain) else ())]

    return ChangePart(change, (gain, loss), build)


def _split_map(change: Change, situation: Situation, context: Context) -> ChangePart:
    """Code points of a class, listed: each leaves its old class when it joins its new one."""
    is_row = not isinstance(change.before, list) or not isinstance(change.after, list)
    above = change.steps[:-1] if is_row else change.steps[:-2]
    old, new = (_classes(look_up(tree, *above)) for tree in (situation.before, situation.after))
    atoms = {
        point: context.atom("dscp", old.get(point, ABSENT), new.get(point, ABSENT))
        for point in {**old, **new}
        if old.get(point) != new.get(point)
    }
    if is_row:
        name = change.steps[-1]
        return _map_row(change, [atom for point, atom in atoms.items() if name in (old.get(point), new.get(point))])
    return _map_list(change, atoms)


def _map_row(change: Change, atoms: Sequence[Atom]) -> ChangePart:
    """The row of a class that comes with the first of its code points, or goes with the last."""
    staged = sorted((atom for atom in atoms if atom.stage), key=lambda atom: atom.stage or 0)
    is_gone = change.after is ABSENT
    chosen = staged[-1 if is_gone else 0] if staged else Atom("", None, is_gone)
    return ChangePart(change, (chosen,), lambda done: change.after if done(chosen) else change.before)


def _map_list(change: Change, atoms: Mapping[Any, Atom]) -> ChangePart:
    """The list of a class that goes on, each code point for itself."""

    def build(done: Done) -> list[Any]:
        kept = [item for item in change.before if item in change.after or not done(atoms[item])]
        joined = [item for item in change.after if item not in change.before and done(atoms[item])]
        return sorted([*kept, *joined])

    touched = [atoms[item] for item in {*change.before} ^ {*change.after}]
    return ChangePart(change, tuple(touched), build)


def _lists_in(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(below, list) for below in value.values())


def _classes(rows: Tree) -> dict[Any, str]:
    """Class by code point, of rows by class that list their code points."""
    found: dict[Any, str] = {}
    for name, row in rows.items():
        lists = [value for value in row.values() if isinstance(value, list)] if isinstance(row, dict) else []
        if class_of(name) is not None:
            found |= {point: name for values in lists for point in values}
    return found
