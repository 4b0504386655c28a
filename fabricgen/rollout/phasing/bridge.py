"""AS numbers of a session changed one end after the other, with a state in between in which both fit both.

First a router takes its new number, goes on telling its old one to each neighbor, and accepts any from it; then it
tells its new one; last it accepts the neighbor's new one alone. At every moment each end accepts what the other tells.
Data of the semantics (``bridge``): ``session``, the pattern of a neighbor's step; ``peer``, the key of its AS number;
``own``, the key of the number the router tells it, and ``keeps``, its value; ``any``, which accepts any number.

Source:
    RFC 7705, Autonomous System Migration Mechanisms, 3.3; FRR user guide, bgp, neighbor local-as, remote-as external.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fabricgen.platforms.patching.steps import ABSENT, Change, Situation
from fabricgen.platforms.reading.patterns import matches
from fabricgen.platforms.reading.reader import Tree, look_up
from fabricgen.rollout.phasing.atoms import Atom, Context, Part
from fabricgen.rollout.phasing.kinds import Stage

KIND = "asn"


def bridge_asn(change: Change, situation: Situation, context: Context) -> Iterator[Part]:
    """Yield the parts of a change of an AS number: a router's own, or a neighbor's."""
    data: Mapping[str, Any] = situation.semantics.data.get("bridge", {})
    if change.steps[-1] == data.get("peer"):
        yield _accept_any(change, str(data["any"]), context)
        return
    section = change.steps[:-1]
    tell = context.atom(KIND, ABSENT, change.after)
    neighbors = dict(_neighbors(look_up(situation.before, *section), data))
    heard = {str(row[data["peer"]]) for row in neighbors.values()}
    refused = KIND if str(change.after) in heard or any(data["own"] in row for row in neighbors.values()) else ""
    yield Part(change, (tell,), lambda done: change.after if done(tell) else change.before, refused)
    stop = Atom(KIND, Stage.migrate, removes=False)
    kept = str(data["keeps"]).format(number=change.before)
    for neighbor in neighbors.keys() & look_up(situation.after, *section).keys():
        spare = Change((*section, neighbor, str(data["own"])), ABSENT, ABSENT, change.meaning)
        yield Part(spare, (stop,), lambda done: kept if done(tell) and not done(stop) else ABSENT)


def _accept_any(change: Change, wildcard: str, context: Context) -> Part:
    gain, loss = context.atom(KIND, ABSENT, change.after), context.atom(KIND, change.before, ABSENT)
    return Part(
        change,
        (gain, loss),
        lambda done: change.after if done(loss) else wildcard if done(gain) else change.before,
    )


def _neighbors(section: Tree, data: Mapping[str, Any]) -> Iterator[tuple[str, Tree]]:
    """Yield the neighbors of a router that have an AS number of their own."""
    for step, row in section.items():
        if isinstance(row, dict) and data["peer"] in row and matches(str(data["session"]), step):
            yield step, row
