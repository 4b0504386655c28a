"""Rules that decide which way a packet may turn in a switch: routing policy, AS paths, flooding, change of class."""

from __future__ import annotations

from collections.abc import Mapping
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
