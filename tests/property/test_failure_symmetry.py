"""Loads, widths and reachability by classes of symmetry are those of a fabric that is worked through link by link."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, Phase, given, note, seed, settings

from fabricgen.analysis.cell_graph import Outage
from fabricgen.analysis.cells import Partition
from fabricgen.analysis.fabric_load import FabricLoad, measure_load
from fabricgen.analysis.failure_classes import list_classes
from fabricgen.analysis.failure_pairs import list_pairs
from fabricgen.analysis.nic_traffic import NicTraffic
from fabricgen.analysis.symmetry import Symmetry
from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import FabricPlan
from tests.property.explicit_fabric import Element, ExplicitFabric, Outcome
from tests.property.generated.files import OVERLAY, write_inventory
from tests.property.generated.vocabulary import Drawn, intents
from tests.sampling import EVERYTHING

SHARES = 8
EXAMPLES = int(os.environ.get("FABRICGEN_EXAMPLES", "200" if EVERYTHING else "16")) // SHARES
"""Fabrics of each share."""
FIRST_SEED = int(os.environ.get("FABRICGEN_SEED", "1"))
ELEMENTS = 3
"""Elements that fail in each fabric, one at a time; then two together."""


@pytest.mark.parametrize("share", range(SHARES))
def test_random_fabrics_are_those_of_brute_force(share: int) -> None:
    @seed(FIRST_SEED + share)
    @settings(
        max_examples=EXAMPLES,
        deadline=None,
        database=None,
        print_blob=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(intents(("sonic",)))
    def judge(drawn: Drawn) -> None:
        note(json.dumps(drawn.data))
        with TemporaryDirectory() as folder:
            write_inventory(Path(folder), drawn.data, drawn.overlay)
            made = compile_inventory(Path(folder), (OVERLAY,) if drawn.overlay else (), Bag())
        assert made is not None
        assert made.plan is not None
        judge_plan(made.plan, random.Random(share))

    judge()


@pytest.mark.parametrize("name", ["quickstart", "dual-plane", "dual-tor", "irregular"])
def test_inventories_are_those_of_brute_force(name: str) -> None:
    made = compile_inventory(Path(__file__).parents[2] / "inventories" / name, (), Bag())
    assert made is not None
    assert made.plan is not None
    judge_plan(made.plan, random.Random(name))


def judge_plan(plan: FabricPlan, lots: random.Random) -> None:
    fabric = ExplicitFabric(plan)
    elements = fabric.elements()
    judge_outage(plan, fabric, ())
    for element in lots.sample(elements, min(ELEMENTS, len(elements))):
        judge_outage(plan, fabric, (element,))
    judge_outage(plan, fabric, tuple(lots.sample(elements, 2)))


def judge_outage(plan: FabricPlan, fabric: ExplicitFabric, failed: tuple[Element, ...]) -> None:
    symmetry = Symmetry(plan)
    singled_out = symmetry.irregular().joined(symmetry.singled_out(failed))
    found = measure_load(NicTraffic(symmetry), singled_out, Outage(frozenset(failed)))
    expected = Outcome(fabric, failed).carry()
    assert loads_of(found) == expected_loads(plan, expected), failed
    assert {tuple(width) for width in found.widths.values()} == expected_widths(expected), failed
    arriving = Counter[Fraction]()
    for reach in found.pairs.values():
        arriving[reach.arriving] += reach.pairs
    assert arriving == expected_pairs(fabric, expected), failed


def loads_of(found: FabricLoad) -> Counter[tuple[int, Fraction, Fraction]]:
    counted = Counter[tuple[int, Fraction, Fraction]]()
    for load in found.links.values():
        counted[load.speed_gbps, load.up / load.links, load.down / load.links] += load.links
    return counted


def expected_loads(plan: FabricPlan, outcome: Outcome) -> Counter[tuple[int, Fraction, Fraction]]:
    fabric, up, down = outcome.fabric, outcome.up, outcome.down
    links = [(plan.links[fabric.ends[name][1].tier].speed_gbps, name) for name in outcome.links]
    ports = [port for some in fabric.ports.values() for port in some if outcome.works(port)]
    named = [*links, *((port.gbps, port.id) for port in ports)]
    return Counter((gbps, up.get(name, Fraction(0)), down.get(name, Fraction(0))) for gbps, name in named)


def expected_widths(outcome: Outcome) -> set[tuple[int, bool, int]]:
    return {(device.tier, upwards, links) for (*_, device, upwards), links in outcome.widths.items()}


def expected_pairs(fabric: ExplicitFabric, outcome: Outcome) -> Counter[Fraction]:
    return Counter(
        outcome.arriving.get((one, other, rail), Fraction(0))
        for one, rail in fabric.ports
        for other, same in fabric.ports
        if one != other and rail == same
    )


def test_classes_hold_every_element() -> None:
    for name in ("quickstart", "dual-plane", "dual-tor", "irregular"):
        made = compile_inventory(Path(__file__).parents[2] / "inventories" / name, (), Bag())
        assert made is not None
        assert made.plan is not None
        symmetry = Symmetry(made.plan)
        classes = list_classes(Partition(symmetry, symmetry.irregular()))
        counted = Counter(type(each.element) for each in classes for _ in range(each.size))
        assert counted == Counter(type(each) for each in ExplicitFabric(made.plan).elements())
        pairs = list(list_pairs(symmetry, [each.scope for each in classes]))
        every = sum(each.size for each in classes)
        assert sum(pair.size for pair in pairs) == every * (every - 1) // 2
