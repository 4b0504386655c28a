"""Rules that decide which way a packet may turn in a switch, and the order of buffers that every turn follows.

All buffers that links of one group fill in one direction, and that hold one lossless class, are a class. Packets that
rise and then fall pass the classes in ascending order, so that no circle of buffers can wait for itself; what this
certificate rests on is that no other turn exists.

Source:
    Dally and Seitz, Deadlock-Free Message Routing in Multiprocessor Interconnection Networks, IEEE ToC 1987, theorem 1
    (no deadlock if and only if no cycle of dependencies); Hu et al., Tagger, CoNEXT 2017.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from fabricgen.plan.model.fabric import FabricPlan

UP, DOWN = "up", "down"
"""Direction of a link: to the tier above, or below."""
RISE, TURN, FALL, BOUNCE = "rise", "turn", "fall", "bounce"
"""Turns in a switch: on upwards, from up to down, on downwards, and from down to up again."""
LOSSY = -1
"""Stands for a class that PFC does not pause."""
KINDS = {(UP, UP): RISE, (UP, DOWN): TURN, (DOWN, DOWN): FALL, (DOWN, UP): BOUNCE}
"""Turn by the directions of the links by which a packet comes and goes."""


class ForwardingRules(NamedTuple):
    """Forwarding rules by number of tier; the defaults are those of every rendered fabric.

    Attributes:
        valleys: Tiers whose switches announce upwards what they heard from above, to a tier that accepts it.
        own_number: Tiers that accept AS paths with their own number.
        flooded: Sides of a switch that share a broadcast domain, in which packets to an unknown address are flooded.
        changes: Class a packet has after a turn, by tier, turn and class before; ``LOSSY`` for none that PFC pauses.

    Source:
        RFC 4271 section 9.1.2 (AS loops); RFC 7938 section 5.2; Hu et al., Tagger, CoNEXT 2017 (class by turn).
    """

    valleys: frozenset[int] = frozenset()
    own_number: frozenset[int] = frozenset()
    flooded: Mapping[int, frozenset[str]] = {}
    changes: Mapping[tuple[int, str, int], int] = {}

    def class_after(self, tier: int, turn: str, priority: int) -> int:
        """Return the class of a packet after a turn."""
        return self.changes.get((tier, turn, priority), priority)

    def with_demotion(self, tiers: int, priorities: tuple[int, ...]) -> ForwardingRules:
        """Return the same rules with a packet that bounces being demoted to a lossy class, after Tagger."""
        bounces = {(tier, BOUNCE, priority): LOSSY for tier in range(tiers) for priority in priorities}
        return self._replace(changes={**self.changes, **bounces})


def plan_rules(plan: FabricPlan) -> ForwardingRules:
    """Return the rules of a plan under policies without valleys, with the broadcast domains that it has.

    A leaf whose hosts bond in one subnet has their ports in one VLAN; routed bonds have none. Its links to the tier
    above are routed and no part of it.
    """
    return ForwardingRules(flooded={0: frozenset({DOWN})} if plan.addressing.host_subnet else {})


class BufferClass(NamedTuple):
    """Ingress buffers of a lossless class at the ``up`` or ``down`` end of a link group, 0 between hosts and leafs."""

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
    """Yield every turn that packets can take; ``bounces`` are the tiers at which those that came down may go up."""
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
