"""AS numbers of a session changed one end after the other, with a state in between in which both fit both.

First a router takes its new number, goes on telling its old one to each neighbor, and accepts any from it; then it
tells its new one; last it accepts the neighbor's new one alone. At every moment each end accepts what the other tells.
Data of the semantics (``bridge``): ``session``, the path of a neighbor; ``peer``, the key of its AS number; ``own``,
the key of the number the router tells it, and ``keeps``, its value, a text or an object in which ``{number}`` is the
number; ``any``, which accepts any number. A router's number holds for the neighbors below it to which no other one is
nearer; that of the path ``everywhere``, where there is one, for all neighbors that have none above them.

Source:
    RFC 7705, Autonomous System Migration Mechanisms, 3.3; FRR user guide, bgp, neighbor local-as, remote-as external.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.platforms.patching.steps import ABSENT, Change, Situation
from fabricgen.platforms.reading.reader import Tree, find_places, look_up
from fabricgen.rollout.phasing.atoms import Atom, ChangePart, Context
from fabricgen.rollout.phasing.kinds import RolloutStage

KIND = "asn"
MOVED = "the AS number that holds for neighbors stands at another place of the configuration, and is another one there"
MOVE_FIRST = "move the number as it is in a rollout of its own, then change it"
Steps = tuple[str, ...]


def bridge_asn(change: Change, situation: Situation, context: Context) -> Iterator[ChangePart]:
    """Yield the parts of a change of an AS number: a router's own, or a neighbor's."""
    data: Mapping[str, Any] = situation.semantics.data.get("bridge", {})
    if change.steps[-1] == data.get("peer"):
        yield _accept_any(change, str(data["any"]), context)
        return
    tell = context.atom(KIND, ABSENT, change.after)
    neighbors = dict(_neighbors(situation.before, change.steps, data))
    peers = {str(row[data["peer"]]) for row in neighbors.values()}
    refused = KIND if str(change.after) in peers or any(data["own"] in row for row in neighbors.values()) else ""
    numbers = str(change.before), str(change.after)
    yield ChangePart(
        change, (tell,), lambda done: change.after if done(tell) else change.before, refused, renumbers=numbers
    )
    stop = Atom(KIND, RolloutStage.migrate, removes=False)
    kept = _fill_in(data["keeps"], change.before)
    stay = dict(_neighbors(situation.after, change.steps, data))
    for neighbor in neighbors:
        if neighbor in stay:
            spare = Change((*neighbor, str(data["own"])), ABSENT, ABSENT, change.meaning)
            yield ChangePart(spare, (stop,), lambda done: kept if done(tell) and not done(stop) else ABSENT)


def _accept_any(change: Change, wildcard: str, context: Context) -> ChangePart:
    gain, loss = context.atom(KIND, ABSENT, change.after), context.atom(KIND, change.before, ABSENT)
    return ChangePart(
        change,
        (gain, loss),
        lambda done: change.after if done(loss) else wildcard if done(gain) else change.before,
    )


def moves_number(change: Change, situation: Situation) -> bool:
    """Return whether a router's number comes or goes so that another one holds for neighbors that stay."""
    data: Mapping[str, Any] = situation.semantics.data.get("bridge", {})
    if "session" not in data or change.steps[-1] == data["peer"]:
        return False
    old, new = (_effective(tree, change.steps[-1], data) for tree in (situation.before, situation.after))
    return any(old[steps] != new[steps] for steps in old.keys() & new.keys())


def _effective(tree: Tree, key: str, data: Mapping[str, Any]) -> dict[Steps, str]:
    """Return the number of its router that holds for each neighbor, where there is one."""
    *above, last = str(data.get("everywhere", key)).split(" > ")
    everywhere = look_up(tree, *above).get(last)
    found = {}
    for steps in find_places(tree, str(data["session"]).split(" > ")):
        router = _find_router(tree, steps, key)
        number = look_up(tree, *router).get(key) if router else everywhere
        if number is not None:
            found[steps] = str(number)
    return found


def _neighbors(tree: Tree, number: Steps, data: Mapping[str, Any]) -> Iterator[tuple[Steps, Tree]]:
    """Yield the neighbors to which a router tells its number, and that have an AS number of their own."""
    *above, key = number
    router = () if " > ".join(number) == data.get("everywhere") else tuple(above)
    for steps in find_places(tree, str(data["session"]).split(" > ")):
        row = look_up(tree, *steps)
        if data["peer"] in row and _find_router(tree, steps, key) == router:
            yield steps, row


def _find_router(tree: Tree, neighbor: Steps, key: str) -> Steps:
    """Return the place of the nearest router above a neighbor that has a number; empty if none has."""
    above = (neighbor[:depth] for depth in range(len(neighbor) - 1, 0, -1))
    return next((steps for steps in above if key in look_up(tree, *steps)), ())


def _fill_in(value: Any, number: Any) -> Any:
    """Return a value of the semantics with an AS number in it; the number as the file has it where it stands alone."""
    if isinstance(value, dict):
        return {key: _fill_in(below, number) for key, below in value.items()}
    return number if value == "{number}" else str(value).format(number=number)
