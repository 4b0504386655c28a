"""Treatment of routes that carry a community while neighbours are in different states, read from rendered text.

A route goes through the import policy by which a sender hears it, the sender's export policy and the receiver's import
policy. Nothing of the product is used.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import NamedTuple

from .crossread.facts import Device, End, Fabric, Session
from .crossread.graph import place
from .crossread.policy import NO_MARKS, Marks, Policy, Prefix
from .half_states import HalfStates, agreed


class Remark(NamedTuple):
    """A community that takes the place of another, as the text of a platform spells both."""

    old: str
    new: str


class Way(NamedTuple):
    """A route on its way over a link: the session of the sender that it comes from, if any, and what it carries."""

    source: str
    route: Prefix
    marks: Marks


Outcome = bool | None
"""True if a route is a last resort at the receiver; None where it is not taken."""


@dataclass(frozen=True)
class Marking:
    """A fabric between two phases, beside both sides of the whole rollout."""

    half: HalfStates
    old: Fabric
    new: Fabric
    remark: Remark

    @cached_property
    def sent(self) -> list[Marks]:
        """Marks that a route may carry when a sender hears it: none, and those that some device still adds."""
        states = (state for states in self.half.states.values() for state in states if state.bgp)
        sessions = [session for state in states for session in state.bgp.sessions]  # type: ignore[union-attr]
        policies = [policy for each in sessions for policy in (*each.import_policies, *each.export_policies)]
        added = {mark for policy in policies for rule in policy.rules for mark in rule.adds}
        return [NO_MARKS, *(frozenset((mark,)) for mark in self.remark if mark in added)]

    def violations(self) -> list[str]:
        """Routes that are treated otherwise than both sides treat them, each once."""
        return list(dict.fromkeys(self._violations()))

    def _violations(self) -> Iterator[str]:
        for (one, near), (other, far) in self.half.pairs():
            for (end, sender), (back, receiver) in (((one, near), (other, far)), ((other, far), (one, near))):
                if sender.bgp and receiver.bgp:
                    yield from self._over(end, sender, back, receiver)

    def _over(self, end: End, sender: Device, back: End, receiver: Device) -> Iterator[str]:
        """Yield what goes wrong with routes of one sender over a link."""
        for bits, way in product((32, 128), self._ways(sender)):
            if way.route.bits != bits:
                continue
            was, becomes = self._meant(end, back, way)
            found = outcomes(end, sender, back, receiver, way)
            for outcome in found - was - becomes if was and becomes else ():
                marks = ", ".join(way.marks) or "no mark"
                yield f"{place(end)} to {place(back)}: {way.route} from {way.source or 'here'} with {marks}: {outcome}"

    def _meant(self, end: End, back: End, way: Way) -> tuple[set[Outcome], set[Outcome]]:
        """Return what becomes of a route where all devices are in the old state, and in the new one."""
        sides = []
        for fabric, mark in ((self.old, self.remark.old), (self.new, self.remark.new)):
            marks = frozenset((mark,)) if way.marks else NO_MARKS
            ends = (fabric.devices[end[0]], fabric.devices[back[0]])
            sides.append(outcomes(end, ends[0], back, ends[1], way._replace(marks=marks)))
        return sides[0], sides[1]

    def _ways(self, sender: Device) -> Iterator[Way]:
        """Yield routes that a sender has: its own, and one of every family from a session of every kind."""
        own = sender.bgp.networks if sender.bgp else ()
        yield from (Way("", route, NO_MARKS) for route in own)
        for source in _kinds_of(sender.bgp.sessions if sender.bgp else ()):
            for route in self._strange(sender):
                yield from (Way(source.peer, route, marks) for marks in self.sent if source.bits == route.bits)

    def _strange(self, sender: Device) -> list[Prefix]:
        """A prefix of every length and family that others announce."""
        found = {}
        for device in self.old.devices.values():
            if device.name != sender.name and device.bgp:
                found |= {(route.bits, route.length): route for route in device.bgp.networks}
        return list(found.values())


def _kinds_of(sessions: Iterable[Session]) -> list[Session]:
    """One session of every import policy."""
    return list({tuple(policy.name for policy in each.import_policies): each for each in sessions}.values())


def outcomes(end: End, sender: Device, back: End, receiver: Device, way: Way) -> set[Outcome]:
    """Fates of a route over each session of a link; empty where no session is agreed on, or it never begins."""
    heard = _hear(sender, way)
    if heard is None:
        return {None}
    found: set[Outcome] = set()
    for mine, theirs in agreed(end, sender, back, receiver):
        if mine.bits == way.route.bits:
            told = pass_through(mine.export_policies, way.route, heard)
            taken = pass_through(theirs.import_policies, way.route, told[0]) if told else None
            found.add(taken[1] if taken else None)
    return found


def _hear(sender: Device, way: Way) -> Marks | None:
    """Marks of a route in a sender's table; None where it takes none such."""
    if not way.source:
        return way.marks
    sessions = sender.bgp.sessions if sender.bgp else ()
    source = next((each for each in sessions if each.peer == way.source and each.bits == way.route.bits), None)
    found = pass_through(source.import_policies, way.route, way.marks) if source else None
    return found[0] if found else None


def pass_through(policies: Sequence[Policy], route: Prefix, marks: Marks) -> tuple[Marks, bool] | None:
    """Marks of a route behind policies, and whether it is a last resort; None where one denies it."""
    last = False
    for policy in policies:
        rule = next((rule for rule in policy.rules if rule.matches(route, marks)), None)
        after = policy.apply(route, marks)
        if rule is None or after is None:
            return None
        marks, last = after, last or rule.last
    return marks, last
