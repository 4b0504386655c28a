"""A running lab beside the fabric as it is intended now: what it lacks, what it has besides, what runs otherwise."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.lab.model.blueprint import Blueprint, LabNode
from fabricgen.lab.model.excerpt import Cut, apply_cut
from fabricgen.lab.stages import redraft
from fabricgen.lab.verify import all_checks as side
from fabricgen.lab.verify.findings import LabFinding
from tests.unit.lab.fabrics import compiled, draft, lab_of, plan_of

LEAF, SPINE, HOST = "leaf-u001-r0", "spine-01", "gpu-u001-h01"


@pytest.fixture(scope="module")
def blueprint() -> Blueprint:
    return lab_of("quickstart")


@pytest.fixture(autouse=True)
def _addresses(blueprint: Blueprint, monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels that have the addresses of the inventory as it is in the repository."""
    there = {node.name: node for node in blueprint.nodes}
    monkeypatch.setattr(side, "read_addresses", lambda _, node: addresses_of(there[node.name]))


def addresses_of(node: LabNode) -> side.Addresses:
    return {"lo": {*node.loopbacks}, **{end.name: {*end.addresses} for end in node.interfaces}}


def changed(blueprint: Blueprint, node: LabNode) -> Blueprint:
    return replace(blueprint, nodes=tuple(node if each.name == node.name else each for each in blueprint.nodes))


def test_a_lab_that_is_as_intended_is_judged_whole(blueprint: Blueprint) -> None:
    fitting, result = side.fit(blueprint, blueprint)
    assert (fitting, result.findings, result.examined > 500) == (blueprint, (), True)


def test_devices_that_one_side_lacks_are_named_once_and_their_cables_not(blueprint: Blueprint) -> None:
    part = draft(apply_cut(plan_of("quickstart"), Cut((("spines", 1),))), "quickstart")
    fitting, result = side.fit(blueprint, part)
    assert result.findings == (LabFinding("spine-02", "", "intended, and not in the lab"),)
    assert {end.peer for node in fitting.nodes for end in node.interfaces if end.peer.startswith("spine")} == {SPINE}
    _, result = side.fit(part, blueprint)
    assert result.findings == (LabFinding("spine-02", "", "in the lab, and not intended"),)


def test_cables_and_addresses_that_differ_are_named_and_no_packet_is_sent_from_them(blueprint: Blueprint) -> None:
    host = blueprint.node(HOST)
    first, second, *others = host.interfaces
    moved = replace(first, peer_interface="Ethernet999")
    renumbered = replace(second, addresses=("172.31.0.1/31",))
    fitting, result = side.fit(changed(blueprint, replace(host, interfaces=(moved, renumbered, *others))), blueprint)
    assert [(finding.link, finding.reason) for finding in result.findings] == [
        (f"{first.name} to {first.peer} Ethernet999", "intended, and not in the lab"),
        (f"{first.name} to {first.peer} {first.peer_interface}", "in the lab, and not intended"),
        (f"{second.name} to {second.peer} {second.peer_interface}", "has no address 172.31.0.1/31"),
    ]
    left = fitting.node(HOST).interfaces
    assert [end.name for end in left] == [end.name for end in host.interfaces[1:]]
    assert left[0].addresses == ()


def test_daemons_that_run_otherwise_are_named_with_the_line(
    blueprint: Blueprint, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {node.name: node.config for node in blueprint.speakers}
    monkeypatch.setattr(side, "_read_running", lambda _, node: texts[node.name])
    assert side.check_configuration(blueprint).findings == ()
    texts[LEAF] = re.sub(r"maximum-paths \d+", "maximum-paths 3", texts[LEAF])
    texts[SPINE] = ""
    found = {finding.device: finding for finding in side.check_configuration(blueprint).findings}
    assert found.keys() == {LEAF, SPINE}
    assert (found[LEAF].link, "maximum-paths" in found[LEAF].reason) == ("router bgp", True)
    assert found[SPINE].reason == "its daemons do not show their configuration"


def test_a_lab_is_drafted_again_with_its_own_cut_root_and_overlays(blueprint: Blueprint) -> None:
    running = replace(blueprint, cut="spines=1", root="/frr10", overlays=("frr",), catalogs=("/models",))
    bag = Bag()
    found = redraft(plan_of("quickstart"), compiled("quickstart").platforms or {}, running, bag)
    assert not list(bag), "what the lab does not prove was said when it came up"
    assert (found.cut, found.root, found.overlays, found.catalogs) == ("spines=1", "/frr10", ("frr",), ("/models",))
    assert "spine-02" not in {node.name for node in found.nodes}
    assert redraft(plan_of("quickstart"), {}, replace(running, cut="spines=9"), bag) is None
    assert [item.code for item in bag] == ["FG-LAB-020"]
