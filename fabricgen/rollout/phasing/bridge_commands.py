"""AS numbers that change one end after the other, where a router's neighbors are commands beside its number.

The order is that of ``bridge``; the words are commands. A router tells its old number to groups of neighbors, and a
neighbor whose number changes is accepted by a filter in between.
Data of the semantics (``bridge``): ``group``, the command that makes a group; ``own``, that of the number which a
router tells the neighbors of a group, where ``*`` is its name, and ``keeps``, its value; ``peers``, patterns of the
commands that have a neighbor's number, and ``number``, a regular expression of it in their values; ``any``, what stands
in its place and accepts any number; ``with``, what ``any`` refers to, steps with their values by section.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from fabricgen.platforms.patching.steps import ABSENT, Change, Situation
from fabricgen.platforms.reading.reader import Tree, look_up, matches
from fabricgen.rollout.phasing.atoms import Atom, ChangePart, Context, between
from fabricgen.rollout.phasing.bridge import KIND
from fabricgen.rollout.phasing.kinds import RolloutStage


def bridge_commands(change: Change, situation: Situation, context: Context) -> Iterator[ChangePart]:
    """Yield the parts of a change of an AS number: a router's own, or a neighbor's."""
    data: Mapping[str, Any] = situation.semantics.data["bridge"]
    if _is_peer(change.steps[-1], data):
        yield from _accept_any(change, data, context)
        return
    before, after = (look_up(tree, *change.steps[:-1]) for tree in (situation.before, situation.after))
    tell, stop = context.atom(KIND, ABSENT, change.after), Atom(KIND, RolloutStage.migrate, removes=False)
    own = [str(data["own"]).replace("*", name) for name in _groups(before, data) if name in _groups(after, data)]
    clashes = str(change.after) in _peer_numbers(before, data) or any(step in before for step in own)
    refused, numbers = KIND if clashes else "", (str(change.before), str(change.after))
    yield ChangePart(
        change, (tell,), lambda done: change.after if done(tell) else change.before, refused, renumbers=numbers
    )
    kept = str(data["keeps"]).format(number=change.before)
    for step in own:
        spare = Change((*change.steps[:-1], step), ABSENT, ABSENT, change.meaning)
        yield ChangePart(spare, (stop,), partial(between, tell, stop, kept))


def _accept_any(change: Change, data: Mapping[str, Any], context: Context) -> Iterator[ChangePart]:
    old, new = (_number(value, data) for value in (change.before, change.after))
    if old == new:
        # Another group, and the same neighbor.
        same = Atom("", None, removes=False)
        yield ChangePart(change, (same,), lambda done: change.after if done(same) else change.before)
        return
    gain, loss = context.atom(KIND, ABSENT, change.after), context.atom(KIND, change.before, ABSENT)
    wildcard = re.sub(data["number"], data["any"], str(change.after))
    yield ChangePart(
        change,
        (gain, loss),
        lambda done: change.after if done(loss) else wildcard if done(gain) else change.before,
        "" if old and new else KIND,
    )
    for section, lines in data["with"].items():
        for line, value in lines.items():
            spare = Change((section, line), ABSENT, ABSENT, change.meaning)
            yield ChangePart(spare, (gain, loss), partial(between, gain, loss, value))


def _is_peer(step: str, data: Mapping[str, Any]) -> bool:
    return any(matches(pattern, step) for pattern in data["peers"])


def _number(value: Any, data: Mapping[str, Any]) -> str:
    """Return the AS number in a value; empty if it has none."""
    found = re.search(data["number"], str(value))
    return found[1] if found else ""


def _peer_numbers(section: Tree, data: Mapping[str, Any]) -> set[str]:
    """Return the AS numbers of a router's neighbors."""
    return {_number(value, data) for step, value in section.items() if _is_peer(step, data)}


def _groups(section: Tree, data: Mapping[str, Any]) -> list[str]:
    """Return the names of a router's groups of neighbors."""
    pattern = re.escape(data["group"]).replace(r"\*", r"(\S+)")
    found = [(re.fullmatch(pattern, step), value) for step, value in section.items()]
    return [match[1] for match, value in found if match and value == "yes"]
