"""Dependency graph of the buffers on the ways to one destination, and the shortest cycle in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fabricgen.analysis.deadlock.forwarding_rules import DOWN, KINDS, LOSSY, UP, ForwardingRules
from fabricgen.analysis.deadlock.region import Region
from fabricgen.analysis.deadlock.routes import FailureState, NextHops
from fabricgen.plan.model.identity import DeviceId

SHORTEST = 2
"""Buffers of the shortest cycle there is: two switches that send packets back and forth."""


class Buffer(NamedTuple):
    """The ingress buffer of a class at ``there``, filled over the links from ``here``."""

    here: DeviceId
    there: DeviceId
    priority: int

    @property
    def direction(self) -> str:
        """Return the direction of its links."""
        return UP if self.there.tier > self.here.tier else DOWN


Waits = Mapping[Buffer, Sequence[Buffer]]
"""Buffers that a buffer waits for."""


def list_waits(
    region: Region,
    rules: ForwardingRules,
    ways: NextHops,
    state: FailureState,
    priorities: Sequence[int],
) -> Waits:
    """Return which buffers wait for which, from those that packets of the lossless classes reach."""
    found: dict[Buffer, list[Buffer]] = {}
    waiting = [Buffer(here, there, priority) for here in ways for there in ways[here] for priority in priorities]
    waiting += [
        Buffer(leaf, upper, priority)
        for leaf in region.asns
        if UP in rules.flooded.get(leaf.tier, ())
        for upper in _flooded(region, rules, leaf, state)
        for priority in priorities
    ]
    while waiting:
        buffer = waiting.pop()
        if buffer not in found:
            found[buffer] = list(_next(region, rules, ways, state, buffer))
            waiting += found[buffer]
    return found


def _next(
    region: Region,
    rules: ForwardingRules,
    ways: NextHops,
    state: FailureState,
    buffer: Buffer,
) -> Iterator[Buffer]:
    """Yield the buffers that a buffer's packets go to: where routing sends them, and where they are flooded."""
    device = buffer.there
    flooded = (other for other in _flooded(region, rules, device, state) if other != buffer.here)
    for other in dict.fromkeys([*ways.get(device, ()), *flooded]):
        turn = KINDS[buffer.direction, UP if other.tier > device.tier else DOWN]
        priority = rules.class_after(device.tier, turn, buffer.priority)
        if priority != LOSSY:
            yield Buffer(device, other, priority)


def _flooded(region: Region, rules: ForwardingRules, device: DeviceId, state: FailureState) -> list[DeviceId]:
    """Return the switches to which a switch floods; hosts keep what is not for them out of the fabric."""
    sides = rules.flooded.get(device.tier, ())
    found = [*(region.above[device] if UP in sides else ()), *(region.below[device] if DOWN in sides else ())]
    return [other for other in found if state.works(device, other)]


def shortest_cycle(waits: Waits) -> tuple[Buffer, ...]:
    """Return the shortest cycle, by breadth-first search from every bounce; a cycle without one cannot be.

    On a way without a bounce tiers rise and then fall, so that a cycle has a bounce.
    """
    best: tuple[Buffer, ...] = ()
    for start in list_bounces(waits):
        best = _back_to(waits, start, len(best)) or best
        if len(best) == SHORTEST:
            break
    return best


def list_bounces(waits: Waits) -> Iterator[Buffer]:
    """Yield the buffers from which packets that came down go up again."""
    for start, others in waits.items():
        if start.direction == DOWN and any(other.direction == UP for other in others):
            yield start


def _back_to(waits: Waits, start: Buffer, limit: int) -> tuple[Buffer, ...]:
    """Return the shortest way from a buffer back to it, if it is shorter than the limit (0: none)."""
    before: dict[Buffer, Buffer] = {}
    level = [start]
    length = 0
    while level and (not limit or length + 1 < limit):
        length += 1
        reached = []
        for buffer in level:
            for other in waits.get(buffer, ()):
                if other == start:
                    way = [buffer]
                    while way[-1] != start:
                        way.append(before[way[-1]])
                    return tuple(reversed(way))
                if other not in before:
                    before[other] = buffer
                    reached.append(other)
        level = reached
    return ()
