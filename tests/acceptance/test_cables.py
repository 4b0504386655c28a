"""Forty mistakes of cabling in a fabric of 1,024 GPUs, planted in the texts of LLDP of all its devices."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from fabricgen.device.lower import Lowering
from fabricgen.plan.model.fabric import FabricPlan
from tests.acceptance.run import INVENTORIES
from tests.command_line import Done, run_here
from tests.unit.lab.fabrics import plan_of
from tests.unit.state.collected import platforms_of
from tests.unit.state.lldp_texts import TEXTS, Cables, End, aliases_of, cables_of, connect, hear, swap, unplug

EACH = 10
Planted = set[frozenset[End]]
"""Ports that take part in each mistake."""


@pytest.fixture(scope="module")
def plan() -> FabricPlan:
    return plan_of("rail-1k")


def dark_ports(plan: FabricPlan, cables: Cables) -> list[End]:
    lowering = Lowering(plan)
    leafs = [found for found in map(lowering.lower_switch, plan.switches()) if found.cls.role == "leaf"]
    ends = [End(leaf.hostname, shape.name) for leaf in leafs for shape in leaf.cls.ports]
    return [end for end in ends if end not in cables]


def plant(plan: FabricPlan, cables: Cables, random: Random) -> Planted:
    """Plant ten of each kind, no two at one cable."""
    lower = [end for end in cables if end.device.startswith("leaf")]
    random.shuffle(lower)
    dark = dark_ports(plan, cables)
    random.shuffle(dark)
    planted: Planted = set()
    for _ in range(EACH):
        one, other = lower.pop(), lower.pop()
        planted.add(frozenset((one, other, cables[one], cables[other])))
        swap(cables, one, other)
    for _ in range(EACH):
        end = lower.pop()
        planted.add(frozenset((end, unplug(cables, end))))
    for _ in range(EACH):
        end = lower.pop()
        own = next(port for port in dark if port.device == end.device)
        planted.add(move(cables, end, own, dark))
    for _ in range(EACH):
        end = lower.pop()
        foreign = next(port for port in dark if port.device != end.device)
        planted.add(move(cables, end, foreign, dark))
    return planted


def move(cables: Cables, end: End, to: End, dark: list[End]) -> frozenset[End]:
    far = unplug(cables, end)
    connect(cables, far, to)
    dark.remove(to)
    return frozenset((end, far, to))


def check(plan: FabricPlan, cables: Cables, folder: Path) -> Done:
    platforms, aliases = platforms_of(plan), aliases_of(plan)
    for name, heard in hear(cables, aliases).items():
        (folder / f"{name}.txt").write_text(TEXTS[platforms[name]](heard))
    return run_here("cables", "check", INVENTORIES / "rail-1k", folder, "--format", "json")


def test_forty_planted_mistakes_are_all_named_and_no_other(plan: FabricPlan, tmp_path: Path) -> None:
    cables = cables_of(plan)
    planted = plant(plan, cables, Random(14))
    found = json.loads(check(plan, cables, tmp_path).exits(3).stdout)["faults"]
    named = {frozenset(End(*port.split(" ")) for port in fault["ports"].split(", ")) for fault in found}
    assert named == planted
    kinds = Counter(fault["mistake"] for fault in found)
    assert kinds == {"swapped": EACH, "missing": EACH, "wrong port": EACH, "wrong device": EACH}
    places = [fault["place"] for fault in found]
    assert places == sorted(places)
