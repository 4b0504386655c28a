"""The verdict on a fabric: free of cycles with a certificate, or the cycles, and what breaks them.

A switch that has lost its way down goes up only if another way is announced to it from above, which leads down again
over a switch of its own tier. If every switch of the tier that has the destination below has one AS number, it refuses
that.

Source:
    RFC 4271 section 9.1.2; RFC 7938 section 5.2.1 (switches of one tier and cluster share an AS number).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fabricgen.analysis.deadlock.cycles import Cycle, find_cycle
from fabricgen.analysis.deadlock.region import HostRail, Region, build_region, list_destinations, split, upper_switches
from fabricgen.analysis.deadlock.turns import UP, BufferClass, ForwardingRules, Turn, list_turns, rank
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId


class Looked(NamedTuple):
    """Result of looking at a destination.

    Attributes:
        cycle: The cycle with the fewest failures that its packets may close.
        tiers: Tiers at which its packets may bounce.
        proven: AS numbers and cabling alone prove that they do not.
    """

    cycle: Cycle | None
    tiers: frozenset[int]
    proven: bool


def look_for_cycles(plan: FabricPlan, rules: ForwardingRules, priorities: Sequence[int]) -> Iterator[Looked]:
    """Look at every kind of destination of the lossless classes."""
    for destination in list_destinations(plan) if priorities else ():
        parts = list(_parts(plan, rules, destination)) if _is_candidate(plan, rules, destination) else []
        found = [find_cycle(plan, region, rules, part, priorities) for region, part in parts]
        cycles = sorted((each.cycle for each in found if each.cycle is not None), key=weight)
        yield Looked(cycles[0] if cycles else None, frozenset().union(*(each.tiers for each in found)), not parts)


def weight(cycle: Cycle) -> tuple[int, int]:
    """Return what cycles are compared by: failures, then buffers."""
    return cycle.losses, len(cycle.buffers)


def _is_candidate(plan: FabricPlan, rules: ForwardingRules, destination: HostRail) -> bool:
    """Return whether AS numbers alone leave open that something bounces."""
    if _is_unusual(rules):
        return True
    level = set(destination.twins)
    for tier in range(len(plan.tiers) - 1):
        if _numbers_differ(rules, tier, {plan.asn_of(device) for device in level}, level):
            return True
        if tier < len(plan.tiers) - 2:
            level = upper_switches(plan, level)
    return False


def _parts(plan: FabricPlan, rules: ForwardingRules, destination: HostRail) -> Iterator[tuple[Region, HostRail]]:
    """Yield the parts of the fabric in which something may bounce, with the leafs of the destination there."""
    unusual = _is_unusual(rules)
    leafs = [device for device in plan.switches() if not device.tier] if unusual else destination.twins
    whole = build_region(plan, leafs)
    for part in split(whole):
        there = destination.within(part)
        upper: dict[int, set[DeviceId]] = {}
        for device in part:
            if whole.above[device]:
                upper.setdefault(device.tier, set()).add(device)
        if there.twins and (
            unusual
            or any(
                _numbers_differ(rules, tier, {whole.asns[each] for each in level}, level)
                for tier, level in upper.items()
            )
        ):
            yield build_region(plan, [leaf for leaf in leafs if leaf in part]), there


def _is_unusual(rules: ForwardingRules) -> bool:
    return bool(rules.valleys) or any(UP in sides for sides in rules.flooded.values())


def _numbers_differ(rules: ForwardingRules, tier: int, numbers: Collection[int], devices: Collection[DeviceId]) -> bool:
    """Return whether a switch of a tier may take a path that leads over another one of it."""
    return len(numbers) > 1 or (tier in rules.own_number and len(devices) > 1)


@dataclass(frozen=True, slots=True)
class Deadlock:
    """Result of the analysis.

    Attributes:
        proven: Those of which AS numbers and cabling alone prove that nothing bounces.
        cycles: Cycles, those with the fewest failures first; none if the fabric is free of them.
        bouncing: Tiers at which packets may go up again.
        turns: Every turn that packets can take; where there are cycles, with bounced packets demoted.
        places: Order of the buffers; None if the turns leave a circle.
    """

    priorities: tuple[int, ...]
    kinds: int
    proven: int
    cycles: tuple[Cycle, ...]
    bouncing: frozenset[int]
    turns: tuple[Turn, ...]
    places: dict[BufferClass, int] | None


def analyze_deadlock(plan: FabricPlan, rules: ForwardingRules) -> Deadlock:
    """Return the verdict on a plan."""
    priorities, tiers = plan.contract.lossless, len(plan.tiers)
    looked = list(look_for_cycles(plan, rules, priorities))
    bouncing = frozenset().union(*(each.tiers for each in looked))
    cycles = sorted((each.cycle for each in looked if each.cycle is not None), key=weight)
    demoted = rules.with_demotion(tiers, priorities) if cycles else rules
    turns = tuple(list_turns(tiers, priorities, demoted, bouncing))
    proven = sum(each.proven for each in looked)
    return Deadlock(priorities, len(looked), proven, tuple(cycles), bouncing, turns, rank(turns))
