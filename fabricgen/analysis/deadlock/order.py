"""The certificate: classes of buffers in an order that every turn of a packet follows.

All buffers that links of one group fill in one direction, and that hold one lossless class, are a class. Packets that
rise and then fall pass the classes in ascending order, so that no circle of buffers can wait for itself; what the
certificate rests on is that no other turn exists.

Source:
    Dally and Seitz, Deadlock-Free Message Routing in Multiprocessor Interconnection Networks, IEEE ToC 1987, theorem 1
    (no deadlock if and only if no cycle of dependencies); Hu et al., Tagger, CoNEXT 2017.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from fabricgen.analysis.deadlock.forwarding_rules import DOWN, KINDS, LOSSY, UP, ForwardingRules


class BufferClass(NamedTuple):
    """Ingress buffers of a lossless class at one end of the links of a group.

    Attributes:
        direction: ``up`` for the buffers of the upper ends, ``down`` for those of the lower ends.
        links: Number of the link group: 0 between hosts and leafs.
        priority: The class.
    """

    direction: str
    links: int
    priority: int

    @property
    def tier(self) -> int:
        """Return the tier of the switches that have these buffers; -1 for hosts."""
        return self.links if self.direction == UP else self.links - 1

    @property
    def key(self) -> str:
        """Return its name in tables."""
        return f"{self.direction}-{self.links}-p{self.priority}"


class Turn(NamedTuple):
    """A turn in the switches of a tier: packets in one class of buffers wait for room in another.

    Attributes:
        kind: ``rise``, ``turn``, ``fall`` or ``bounce``.
        after: None where packets leave the lossless classes.
    """

    tier: int
    kind: str
    before: BufferClass
    after: BufferClass | None
    flooded: bool = False


def list_turns(
    tiers: int, priorities: Sequence[int], rules: ForwardingRules, bounces: Collection[int]
) -> Iterator[Turn]:
    """Yield every turn that packets can take.

    Args:
        tiers: Tiers of switches.
        priorities: The lossless classes.
        rules: Rules of forwarding.
        bounces: Tiers at which packets that came down may go up.
    """
    for tier in range(tiers):
        sides = [(DOWN, tier), *([(UP, tier + 1)] if tier + 1 < tiers else [])]
        for came_up in (True, False) if tier + 1 < tiers else (True,):
            for outward, links in sides:
                inward = UP if came_up else DOWN
                kind, domain = KINDS[inward, outward], rules.flooded.get(tier, ())
                flooded = outward in domain
                for priority in priorities:
                    before = BufferClass(inward, tier if came_up else tier + 1, priority)
                    changed = rules.class_after(tier, kind, priority)
                    after = None if changed == LOSSY else BufferClass(outward, links, changed)
                    if inward == UP or outward == DOWN or tier in bounces:
                        yield Turn(tier, kind, before, after)
                    if flooded:
                        yield Turn(tier, kind, before, after, flooded=True)


def rank(turns: Sequence[Turn]) -> dict[BufferClass, int] | None:
    """Return a place for every class such that each turn leads to a higher one; None if there is a circle."""
    follows: dict[BufferClass, set[BufferClass]] = {}
    for turn in turns:
        follows.setdefault(turn.before, set())
        if turn.after is not None:
            follows[turn.before].add(turn.after)
            follows.setdefault(turn.after, set())
    places = dict.fromkeys(follows, 0)
    for _ in range(len(places) + 1):
        moved = False
        for before, others in follows.items():
            for after in others:
                if places[after] <= places[before]:
                    places[after], moved = places[before] + 1, True
        if not moved:
            return places
    return None
