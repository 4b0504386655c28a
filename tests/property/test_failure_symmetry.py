"""Loads, widths and reachability by classes of symmetry are those of a fabric that is worked through link by link."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from fractions import Fraction

import pytest

from fabricgen.analysis.cells import Partition, Symmetry
from fabricgen.analysis.fabric_load import FabricLoad, measure_load
from fabricgen.analysis.failure_classes import class_key, list_classes
from fabricgen.analysis.failures import list_pairs
from fabricgen.analysis.forwarding import Outage
from fabricgen.analysis.nic_traffic import NicTraffic
from fabricgen.plan.model.fabric import FabricPlan
from tests.acceptance.run import INVENTORIES, plan_of
from tests.property.class_members import wrong_links, wrong_receivers
from tests.property.explicit_fabric import Element, ExplicitFabric, Outcome
from tests.property.routed_fabrics import LONG, SHARES, judge_share

ELEMENTS = 3
"""Elements that fail in each fabric, one at a time; then two together."""
MEMBERS_MAX = 60 if LONG else 30
"""Elements up to which every one of them fails, and is held against the one that stands for its class."""


@pytest.mark.parametrize("share", range(SHARES))
def test_random_fabrics_are_those_of_brute_force(share: int) -> None:
    lots = random.Random(share)
    judge_share(share, lambda plan: judge_plan(plan, lots))


@pytest.mark.sampled(2, of="name")
@pytest.mark.parametrize("name", ["quickstart", "dual-plane", "dual-tor", "irregular"])
def test_inventories_are_those_of_brute_force(name: str) -> None:
    judge_plan(plan_of(INVENTORIES / name), random.Random(name))


def judge_plan(plan: FabricPlan, lots: random.Random) -> None:
    fabric = ExplicitFabric(plan)
    elements = fabric.elements()
    judge_outage(plan, fabric, ())
    for element in lots.sample(elements, min(ELEMENTS, len(elements))):
        judge_outage(plan, fabric, (element,))
    judge_outage(plan, fabric, tuple(lots.sample(elements, 2)))
    if len(elements) <= MEMBERS_MAX:
        judge_classes(plan, fabric)


def judge_classes(plan: FabricPlan, fabric: ExplicitFabric) -> None:
    """Let every element fail: what comes of it is what the loss of the one that stands for it does."""
    symmetry = Symmetry(plan)
    partition = Partition(symmetry, symmetry.irregular())
    members: defaultdict[object, list[Element]] = defaultdict(list)
    for element in fabric.elements():
        members[class_key(partition, element)].append(element)
    classes = list_classes(partition)
    assert {each.key: each.size for each in classes} == {key: len(some) for key, some in members.items()}
    for each in classes:
        assert each.element in members[each.key]
        found = measured(plan, (each.element,))[1]
        for element in members[each.key]:
            agree(plan, fabric, found, Outcome(fabric, (element,)).carry())


def measured(plan: FabricPlan, failed: tuple[Element, ...]) -> tuple[Partition, FabricLoad]:
    symmetry = Symmetry(plan)
    singled_out = symmetry.irregular().joined(symmetry.singled_out(failed))
    found = measure_load(NicTraffic(symmetry), singled_out, Outage(frozenset(failed)))
    return Partition(symmetry, singled_out), found


def judge_outage(plan: FabricPlan, fabric: ExplicitFabric, failed: tuple[Element, ...]) -> None:
    partition, found = measured(plan, failed)
    outcome = Outcome(fabric, failed).carry()
    agree(plan, fabric, found, outcome)
    assert list(wrong_links(partition, found, outcome)) == []
    assert list(wrong_receivers(partition, found, outcome)) == []


def agree(plan: FabricPlan, fabric: ExplicitFabric, found: FabricLoad, outcome: Outcome) -> None:
    """Require the same loads, widths and parts that arrive, each as often."""
    assert loads_of(found) == expected_loads(plan, outcome), outcome.failed
    widths = {(device.tier, upwards, links) for (*_, device, upwards), links in outcome.widths.items()}
    assert widths_of(found) == widths, outcome.failed
    arriving = Counter[Fraction]()
    for reach in (reach for received in found.received.values() for reach in received.pairs.values()):
        arriving[reach.arriving] += reach.pairs
    assert arriving == expected_pairs(fabric, outcome), outcome.failed


def loads_of(found: FabricLoad) -> Counter[tuple[int, Fraction, Fraction]]:
    counted = Counter[tuple[int, Fraction, Fraction]]()
    for load in found.links.values():
        counted[load.speed_gbps, load.up / load.links, load.down / load.links] += load.links
    return counted


def widths_of(found: FabricLoad) -> set[tuple[int, bool, int]]:
    widths = (width for received in found.received.values() for width in received.widths.values())
    return {(width.device.tier, width.upwards, width.links) for width in widths}


def expected_loads(plan: FabricPlan, outcome: Outcome) -> Counter[tuple[int, Fraction, Fraction]]:
    fabric, up, down = outcome.fabric, outcome.up, outcome.down
    links = [(plan.links[fabric.ends[name][1].tier].speed_gbps, name) for name in outcome.links]
    ports = [port for some in fabric.ports.values() for port in some if outcome.works(port)]
    named = [*links, *((port.gbps, port.id) for port in ports)]
    return Counter((gbps, up.get(name, Fraction(0)), down.get(name, Fraction(0))) for gbps, name in named)


def expected_pairs(fabric: ExplicitFabric, outcome: Outcome) -> Counter[Fraction]:
    return Counter(
        outcome.arriving.get((one, other, rail), Fraction(0))
        for one, rail in fabric.ports
        for other, same in fabric.ports
        if one != other and rail == same
    )


def test_classes_hold_every_element() -> None:
    for name in ("quickstart", "dual-plane", "dual-tor", "irregular"):
        plan = plan_of(INVENTORIES / name)
        symmetry = Symmetry(plan)
        classes = list_classes(Partition(symmetry, symmetry.irregular()))
        counted = Counter(type(each.element) for each in classes for _ in range(each.size))
        assert counted == Counter(type(each) for each in ExplicitFabric(plan).elements())
        pairs = list(list_pairs(symmetry, [each.scope for each in classes]))
        every = sum(each.size for each in classes)
        assert sum(pair.size for pair in pairs) == every * (every - 1) // 2
