"""Both ends of a link group: lanes at which each runs its speed, and negotiation over copper."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from fabricgen.catalog.host_records import NicModel
from fabricgen.catalog.records import SwitchModel
from fabricgen.diagnostics import Bag, IntentPath, Related
from fabricgen.diagnostics.words import and_list, or_list
from fabricgen.intent.fabric import FabricIntent
from fabricgen.plan.model.topology import LinkGroup
from fabricgen.plan.planner import plan_codes as codes
from fabricgen.plan.planner.platform_facts import PlatformFacts
from fabricgen.plan.planner.ports import lanes_in_common, switch_lanes


class LinkEnd(NamedTuple):
    """A switch or NIC at one end of a link group, where its model is named, and facts of a switch's platform."""

    model: SwitchModel | NicModel
    named_at: IntentPath
    facts: PlatformFacts = PlatformFacts()

    def lanes(self, speed_gbps: int) -> frozenset[int]:
        """Return the lane counts at which a speed runs here."""
        if isinstance(self.model, NicModel):
            return frozenset(self.model.lanes_by_gbps.get(speed_gbps, ()))
        return switch_lanes(self.model, speed_gbps)


def find_lanes(intent: FabricIntent, name: str, speed_gbps: int, ends: tuple[LinkEnd, LinkEnd], bag: Bag) -> int:
    """Return the lane count of a link group, given its lower and its upper end.

    If they have none in common, the bag takes the fault and one of theirs is returned.
    """
    lower, upper = (end.lanes(speed_gbps) for end in ends)
    lanes = lanes_in_common(lower, upper)
    if lanes is None and name in intent.links:
        _report(name, speed_gbps, ends, bag)
    return min(lower | upper, default=0) if lanes is None else lanes


def _report(name: str, speed_gbps: int, ends: tuple[LinkEnd, LinkEnd], bag: Bag) -> None:
    """A fault of each end that does not run the speed; of both where each runs it, over other lanes."""
    lower, upper = ends
    alone = [end for end in ends if not end.lanes(speed_gbps)]
    faults = {
        f"{end.model.id} of tier {end.named_at[1]!r} does not run {speed_gbps}G": [end]
        for end in alone
        if isinstance(end.model, SwitchModel)  # that of a NIC is reported by a rule
    }
    if not alone:
        over = [f"{end.model.id} runs it over {_words(end.lanes(speed_gbps))}" for end in ends]
        faults = {f"{speed_gbps}G: {and_list(over)}": [lower, upper]}
    for message, named in faults.items():
        path = ("links", name, "speed")
        related = [Related(f"{end.model.id} is named here", end.named_at) for end in named]
        bag.add(codes.NO_COMMON_BREAKOUT, message, path, hint="choose a speed that both ends list", related=related)


def _words(lanes: frozenset[int]) -> str:
    return or_list(f"{n} lanes" for n in sorted(lanes))


def settle_copper(group: LinkGroup, ends: Iterable[LinkEnd]) -> LinkGroup:
    """Return the group with what all of its switches can do over copper; a NIC follows the leaf."""
    lane_gbps = group.speed_gbps // group.lanes if group.lanes else 0
    switches = [(end.model, end.facts) for end in ends if isinstance(end.model, SwitchModel)]
    return group._replace(
        negotiates=all(facts.negotiates_copper for _, facts in switches),
        calibrated_m=_common(
            model.copper_m_by_lane_gbps.get(lane_gbps, ()) if facts.reads_calibration else ()
            for model, facts in switches
        ),
    )


def _common(each: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    first, *others = each
    return tuple(length for length in first if all(length in other for other in others))
