"""Fabrics that are built wrong from the start, on real daemons: swapped cables, an AS number plan with valleys."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag
from fabricgen.lab.lifecycle import state
from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.model.planned import Drafter
from fabricgen.lab.stages import bring_up
from fabricgen.lab.verify.all_checks import judge
from fabricgen.lab.verify.findings import LabFinding
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.manifest.spec import PlatformSpec
from tests.acceptance.laboratory import alone as alone
from tests.acceptance.laboratory import small_inventory
from tests.waiting import PATIENCE_S

MARKS = ("route-map LOWER_IN deny 10\n match community DESCENDED\nexit\n",
         "route-map UPPER_OUT deny 10\n match community DESCENDED\nexit\n",
         " match ip address prefix-list OWN\n")  # fmt: skip
LISTS = re.compile(r"^ +neighbor \S+ prefix-list FROM_\S+ in\n", re.MULTILINE)
"""Lines that keep a route from above from going up again, besides AS numbers."""


pytestmark = pytest.mark.nightly


def small_plan(folder: Path) -> tuple[FabricPlan, Mapping[str, PlatformSpec]]:
    made = compile_inventory(small_inventory(folder), (), Bag())
    return made.plan, made.platforms


def trusting(folder: Path, name: str, *, shared: bool) -> Blueprint:
    """A fabric that trusts its AS numbers alone: spines share one, which holds valleys off, or each has its own."""
    plan, platforms = small_plan(folder)
    if not shared:
        asn = plan.tiers[1].layout.asn
        apart = asn._replace(base=asn.base - 100, strides=asn.strides._replace(index=1))
        spines = plan.tiers[1]._replace(layout=plan.tiers[1].layout._replace(asn=apart))
        plan = plan._replace(tiers=(plan.tiers[0], spines))
    blueprint = Drafter(plan, platforms, Bag()).draft(f"{name}{os.getpid()}")
    nodes = []
    for node in blueprint.nodes:
        config = node.config
        for mark in MARKS:
            config = config.replace(mark, "")
        config = LISTS.sub("", config)
        assert not node.config or config != node.config
        nodes.append(replace(node, config=config))
    return replace(blueprint, nodes=tuple(nodes))


def findings_of(blueprint: Blueprint, patience_s: float = 60) -> dict[str, tuple[LabFinding, ...]]:
    """Boot a lab, hold it against its plan, take it away; one that is built wrong is never as planned."""
    bag = Bag()
    try:
        assert bring_up(blueprint, bag, lambda *_: None, patience_s=patience_s), list(bag)
        return {result.name: result.findings for result in judge(blueprint, blueprint, lambda *_: None)}
    finally:
        state.erase(blueprint.lab)


@pytest.mark.parametrize("shared", [True, False])
def test_valleys_are_found(shared: bool, tmp_path: Path) -> None:
    found = findings_of(trusting(tmp_path, "asn", shared=shared), PATIENCE_S if shared else 60)
    if shared:
        assert not any(found.values()), found
        return
    assert found["sessions"] == (), "the sessions are as planned; the plan is what is wrong"
    assert {finding.device for finding in found["no valleys"]} == {"spine-01", "spine-02"}
    first = found["no valleys"][0]
    assert "to leaf-u00" in first.link
    assert "a valley is offered from below" in first.reason


def test_swapped_cables_are_found(tmp_path: Path) -> None:
    """Two leafs are plugged into each other's port of a spine."""
    blueprint = Drafter(*small_plan(tmp_path), Bag()).draft(f"swap{os.getpid()}")
    at = {wire.a: number for number, wire in enumerate(blueprint.wires) if wire.b == "spine-01"}
    one, two = at["leaf-u001-r0"], at["leaf-u002-r0"]
    wires = list(blueprint.wires)
    wires[one] = replace(wires[one], b_interface=blueprint.wires[two].b_interface)
    wires[two] = replace(wires[two], b_interface=blueprint.wires[one].b_interface)
    found = findings_of(replace(blueprint, wires=tuple(wires)))
    planned = blueprint.wires[one]
    link = f"{planned.b_interface} to {planned.a} {planned.a_interface}"
    assert LabFinding("spine-01", link, f"the cable leads to leaf-u002-r0 {planned.a_interface}") in found["cabling"]
    assert len(found["cabling"]) == 4
    silent = {(finding.device, finding.link) for finding in found["sessions"] if "state" in finding.reason}
    assert ("spine-01", link) in silent
    assert len(silent) == 4


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("router bgp", "nonsense here\nrouter bgp", "Unknown command[4]: nonsense here"),
        ("neighbor LOWER activate", "neighbor UNDEFINED activate", "neighbor UNDEFINED activate"),
    ],
)
def test_a_refused_line_is_named_and_nothing_is_left(old: str, new: str, said: str, tmp_path: Path) -> None:
    blueprint = Drafter(*small_plan(tmp_path), Bag()).draft(f"no{os.getpid()}")
    spine = blueprint.node("spine-01")
    wrong = replace(spine, config=spine.config.replace(old, new, 1))
    bag = Bag()
    nodes = tuple(wrong if node is spine else node for node in blueprint.nodes)
    assert not bring_up(replace(blueprint, nodes=nodes), bag, lambda *_: None)
    ((code, message),) = [(found.code, found.message) for found in bag]
    assert code == "FG-LAB-010"
    assert "spine-01" in message
    assert said in message
    assert blueprint.lab not in state.list_labs()
