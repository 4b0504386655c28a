"""Next hops of ``forwarding`` for cells are those of ``deadlock.routes`` switch by switch, but for ties."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

import pytest
from analysis_fabrics import inventory_plan

from fabricgen.analysis.cells import PLANE, Element, Partition, SingledOut, Symmetry
from fabricgen.analysis.deadlock.region import HostRail, Region, build_region, list_destinations
from fabricgen.analysis.deadlock.routes import FailureState, next_hops
from fabricgen.analysis.deadlock.turns import plan_rules
from fabricgen.analysis.forwarding import CellGraph, Outage, Routes, route
from fabricgen.plan.model.cabling import down_links, up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId

FABRICS = [
    ("quickstart", ()),
    ("irregular", ()),
    ("dual-plane", ()),
    ("dual-tor", ()),
    ("dual-tor", ("irregular",)),
    ("two-halls", ()),
    ("hpn7-cluster", ("sample",)),
    ("megascale", ("sample",)),
    ("meta-ai-zone", ("two-zones",)),
]
"""Two and three tiers, planes, pairs of leafs, stripes, drained and absent devices, moved cables."""

Choice = Mapping[DeviceId, frozenset[DeviceId]]
"""Next switches of every switch that has some."""


def by_cells(plan: FabricPlan, destination: HostRail, failed: frozenset[Element]) -> Choice:
    """Return what ``forwarding`` chooses: the route to the host before that to its block."""
    symmetry, planes = Symmetry(plan), range(plan.tiers[0].counts.plane)
    places = symmetry.irregular().joined(symmetry.host_alone(destination.host, destination.rail))
    places = places.joined(symmetry.singled_out([*failed, *destination.twins]))
    places = places.joined(SingledOut(values=frozenset((PLANE, plane) for plane in planes)))
    partition, found = Partition(symmetry, places), dict[DeviceId, frozenset[DeviceId]]()
    for plane in planes:
        graph = CellGraph(partition, Outage(failed=failed), plane)
        for owners in (destination.twins, *((tuple(destination.access),) if destination.has_route else ())):
            working = [leaf for leaf in owners if leaf not in failed and leaf.where.plane == plane]
            routes = route(graph, {partition.key(leaf) for leaf in working}) if working else {}
            found |= {each: hops for each in plan.switches() if (hops := frozenset(over(graph, routes, each)))}
            found |= {leaf: frozenset() for leaf in working}
    return {device: hops for device, hops in found.items() if hops and device not in failed}


def over(graph: CellGraph, routes: Routes, device: DeviceId) -> Iterator[DeviceId]:
    key, plan = graph.partition.key, graph.plan
    chosen = routes.get(key(device))
    hops = {(hop.lower, hop.upper, hop.drained) for hop in chosen.hops} if chosen else set()
    for link in (*up_links(plan, device), *(down_links(plan, device) if device.tier else ())):
        ends = {link.lower_end, link.upper_end}
        works = not {*ends, link.id} & graph.outage.failed
        if works and (key(link.lower_end), key(link.upper_end), graph.is_drained(link)) in hops:
            yield (ends - {device}).pop()


def by_switches(plan: FabricPlan, region: Region, destination: HostRail, state: FailureState) -> Choice:
    chosen = next_hops(region, plan_rules(plan), destination, state)
    return {device: frozenset(hops) for device, hops in chosen.items() if hops}


def list_states(plan: FabricPlan, region: Region, to: HostRail) -> Iterator[tuple[FailureState, frozenset[Element]]]:
    """Yield failures in both forms: none, single switches, and all links of pairs, those at the destination first."""
    yield FailureState(), frozenset()
    switches = list(plan.switches())
    for each in switches[:: max(1, len(switches) // 6)]:
        yield FailureState(switches=frozenset([each])), frozenset([each])
    near, pairs = [pair for pair in region.links if pair[0] in to.twins], list(region.links)
    for pair in chain(near[:4], pairs[:: max(1, len(pairs) // 4)]):
        yield FailureState(pairs=frozenset([pair])), frozenset(link.id for link in region.links[pair])


@pytest.mark.sampled(4, of="name,overlays")
@pytest.mark.parametrize(("name", "overlays"), FABRICS, ids=str)
def test_both_choose_the_same_next_hops(name: str, overlays: tuple[str, ...]) -> None:
    plan = inventory_plan(name, *overlays)
    region = build_region(plan, (device for device in plan.switches() if not device.tier))
    for destination in list_destinations(plan):
        for state, failed in list_states(plan, region, destination):
            cells = by_cells(plan, destination, failed)
            alone = by_switches(plan, region, destination, state)
            assert alone or failed & {*destination.twins}, "a choice of nothing compares nothing"
            assert cells == alone, (destination.text(plan), state)
