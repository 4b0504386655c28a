"""The shortest cycle of buffers that the packets to a destination may close, and the failures that open it.

A buffer is that of a class at the far end of a link. While routing follows a failure, a switch forwards as before it,
as after it, or both ways; so the ways of all states that a set of failures passes through are taken together.

Source:
    Hu et al., Deadlocks in Datacenter Networks: Why Do They Form, and How to Avoid Them, HotNets 2016.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from fabricgen.analysis.deadlock.region import HostRail, Pair, Region
from fabricgen.analysis.deadlock.routes import FailureState, NextHops, next_hops
from fabricgen.analysis.deadlock.turns import DOWN, KINDS, LOSSY, UP, ForwardingRules
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId

FAILURES_MAX = 2
"""Failures at a time that are looked at."""


class JointFailure(NamedTuple):
    """Links and switches that fail together; ``losses`` says how many, ``names`` their names.

    Two switches lose each other only if all links between them are lost: parallel links fail one by one.
    """

    losses: int
    names: tuple[str, ...]
    switch: DeviceId | None = None
    pair: Pair | None = None
    leaf: DeviceId | None = None


def list_failures(plan: FabricPlan, region: Region, destination: HostRail) -> Iterator[tuple[JointFailure, ...]]:
    """Yield what may fail, up to ``FAILURES_MAX`` links and switches: nothing, the least first, what is near first."""
    single = [each for each in _elements(plan, region, destination) if each.losses <= FAILURES_MAX]
    yield ()
    for failures in range(1, FAILURES_MAX + 1):
        yield from ((each,) for each in single if each.losses == failures)
        for size in range(2, failures + 1):
            yield from (them for them in combinations(single, size) if sum(each.losses for each in them) == failures)


def states_of(failures: tuple[JointFailure, ...]) -> list[FailureState]:
    """Return the states that routing goes through as some fail: each subset, in which switches may be late or early."""
    subsets = (some for size in range(len(failures) + 1) for some in combinations(failures, size))
    return [
        FailureState(
            frozenset(each.switch for each in some if each.switch),
            frozenset(each.pair for each in some if each.pair),
            frozenset(each.leaf for each in some if each.leaf),
        )
        for some in subsets
    ]


def _elements(plan: FabricPlan, region: Region, destination: HostRail) -> Iterator[JointFailure]:
    host = plan.host_name(destination.host)
    for leaf, links in destination.access.items():
        ports = [f"link {host} rail {link.rail} port {link.port} – {plan.device_name(leaf)}" for link in links]
        yield JointFailure(len(links), tuple(ports), leaf=leaf)
    for pair, found in region.links.items():
        names, many = " – ".join(plan.device_name(end) for end in pair), len(found)
        yield JointFailure(many, (f"{'link' if many == 1 else f'all {many} links'} {names}",), pair=pair)
    for switch in region.asns:
        yield JointFailure(1, (f"switch {plan.device_name(switch)}",), switch=switch)


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
    region: Region, rules: ForwardingRules, ways: NextHops, state: FailureState, priorities: Sequence[int]
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
    region: Region, rules: ForwardingRules, ways: NextHops, state: FailureState, buffer: Buffer
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
    """Return the shortest cycle, by breadth-first search from every bounce.

    A cycle has a bounce: on a way without one, tiers rise and then fall, so that it never closes.
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


class CycleSearch(NamedTuple):
    """Result of a search: the cycle, if there is one, and the tiers at which packets may bounce, cycle or not."""

    cycle: Cycle | None
    tiers: frozenset[int]


class Cycle(NamedTuple):
    """Buffers that wait for each other in a circle.

    Attributes:
        destination: Whose packets close it.
        failures: Failures that open it; none where it is open at all times.
        buffers: The buffers, each waiting for the next, the last for the first.
    """

    destination: HostRail
    failures: tuple[JointFailure, ...]
    buffers: tuple[Buffer, ...]

    @property
    def losses(self) -> int:
        """Return how many links and switches have to fail."""
        return sum(each.losses for each in self.failures)

    @property
    def devices(self) -> list[DeviceId]:
        """Return the switches in the order in which packets pass them, the first at the end again."""
        return [self.buffers[0].here, *(buffer.there for buffer in self.buffers)]

    @property
    def bounces(self) -> Iterator[DeviceId]:
        """Yield the switches at which packets that came down go up again."""
        for one, other in zip(self.buffers, (*self.buffers[1:], self.buffers[0]), strict=True):
            if one.direction == DOWN and other.direction == UP:
                yield one.there


def find_cycle(
    plan: FabricPlan, region: Region, rules: ForwardingRules, destination: HostRail, priorities: Sequence[int]
) -> CycleSearch:
    """Return the cycle with the fewest failures and of these with the fewest buffers, in a region of the plan."""
    hops: dict[FailureState, NextHops] = {}
    found: Cycle | None = None
    tiers: set[int] = set()
    for failures in list_failures(plan, region, destination):
        if found is not None and sum(each.losses for each in failures) > found.losses:
            break
        states = states_of(failures)
        for state in states:
            if state not in hops:
                hops[state] = next_hops(region, rules, destination, state)
        ways = _union(states[-1], [hops[state] for state in states])
        waits = list_waits(region, rules, ways, states[-1], priorities)
        tiers |= {start.there.tier for start in list_bounces(waits)}
        buffers = shortest_cycle(waits)
        if buffers and (found is None or len(buffers) < len(found.buffers)):
            found = Cycle(destination, failures, buffers)
        if len(buffers) == SHORTEST:
            break
    return CycleSearch(found, frozenset(tiers))


def _union(last: FailureState, hops: Sequence[NextHops]) -> NextHops:
    """Return the next hops of all states over what still works in the last one."""
    found: dict[DeviceId, dict[DeviceId, None]] = {}
    for table in hops:
        for device, ways in table.items():
            found.setdefault(device, {}).update(dict.fromkeys(way for way in ways if last.works(device, way)))
    return {device: tuple(ways) for device, ways in found.items()}
