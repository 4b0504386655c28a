"""The shortest cycle of buffers that the packets to a destination may close, and the failures that open it.

A buffer is that of a class at the far end of a link. While routing follows a failure, a switch forwards as before it,
as after it, or both ways; so the ways of all states that a set of failures passes through are taken together.

Source:
    Hu et al., Deadlocks in Datacenter Networks: Why Do They Form, and How to Avoid Them, HotNets 2016.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fabricgen.analysis.deadlock.destinations import HostRail
from fabricgen.analysis.deadlock.failures import JointFailure, list_failures, states_of
from fabricgen.analysis.deadlock.forwarding_rules import DOWN, UP, ForwardingRules
from fabricgen.analysis.deadlock.region import Region
from fabricgen.analysis.deadlock.routes import FailureState, NextHops, next_hops
from fabricgen.analysis.deadlock.waits import SHORTEST, Buffer, list_bounces, list_waits, shortest_cycle
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId


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
    """Return the cycle with the fewest failures and of these with the fewest buffers.

    Args:
        plan: The plan.
        region: Switches that decide the ways to the destination.
        rules: Rules of forwarding.
        destination: The destination.
        priorities: The lossless classes.
    """
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
