"""Forwarding tables that are not as planned, and what is said of them; the tables are made up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.verify import forwarding
from fabricgen.lab.verify.forwarding import check_paths, check_valleys, check_widths
from fabricgen.lab.verify.observe import Routes
from fabricgen.lab.verify.predict import FailedParts, predict
from tests.unit.lab.fabrics import draft, plan_of

BLOCK = "172.16.0.0/27"


def planned() -> tuple[Blueprint, dict[str, Routes]]:
    """A fabric and tables that are exactly as planned."""
    blueprint = draft(plan_of("quickstart"), "quickstart")
    return blueprint, {name: dict(routes) for name, routes in predict(blueprint).interfaces.items()}


def test_tables_as_planned() -> None:
    blueprint, routes = planned()
    prediction = predict(blueprint)
    assert check_widths(blueprint, prediction, routes).passed
    found = check_paths(blueprint, prediction, routes)
    assert found.passed
    assert found.examined == 48


@pytest.mark.parametrize(
    ("hops", "said"),
    [
        (frozenset(), "0 next hops in the kernel, planned are 16"),
        (frozenset({"Ethernet504"}), "1 next hops in the kernel, planned are 16; missing are"),
        (None, "0 next hops in the kernel, planned are 16"),
    ],
)
def test_a_width_that_is_not_planned(hops: frozenset[str] | None, said: str) -> None:
    blueprint, routes = planned()
    if hops is None:
        del routes["leaf-u002-r0"][BLOCK]
    else:
        routes["leaf-u002-r0"][BLOCK] = hops
    (finding,) = check_widths(blueprint, predict(blueprint), routes).findings
    assert (finding.device, finding.link) == ("leaf-u002-r0", BLOCK)
    assert said in finding.reason


def test_a_route_that_is_not_planned() -> None:
    blueprint, routes = planned()
    routes["spine-01"]["0.0.0.0/0"] = frozenset({"Ethernet0"})
    (finding,) = check_widths(blueprint, predict(blueprint), routes).findings
    assert "does not have" in finding.reason
    assert "leaf-u001-r0" in finding.reason


def test_a_valley_is_named_device_by_device() -> None:
    """A spine that lost a leaf goes down to another leaf and up again."""
    blueprint, routes = planned()
    down = next(end.name for end in blueprint.node("spine-01").interfaces if end.peer == "leaf-u002-r4")
    routes["spine-01"][BLOCK] = frozenset({down})
    found = check_paths(blueprint, predict(blueprint), routes).findings
    assert any("a valley: spine-01 > leaf-u002-r4 > spine-0" in finding.reason for finding in found)


def test_a_loop_and_a_hole_are_named() -> None:
    blueprint, routes = planned()
    up = frozenset(end.name for end in blueprint.node("leaf-u002-r0").interfaces if end.peer == "spine-01")
    down = frozenset(end.name for end in blueprint.node("spine-01").interfaces if end.peer == "leaf-u002-r0")
    routes["leaf-u002-r0"][BLOCK], routes["spine-01"][BLOCK] = up, down
    found = check_paths(blueprint, predict(blueprint), routes).findings
    assert any("valley" in finding.reason or "loops" in finding.reason for finding in found)
    del routes["spine-01"][BLOCK]
    found = check_paths(blueprint, predict(blueprint), routes).findings
    assert any(finding.reason.startswith("spine-01 has no route") for finding in found)


def test_a_longer_path_is_told() -> None:
    blueprint, routes = planned()
    prediction = predict(blueprint)
    prediction.hops["leaf-u002-r0"][BLOCK] = 1
    (finding,) = check_paths(blueprint, prediction, routes).findings
    assert finding.reason == "paths of 2 links, planned are 1"


def test_a_valley_that_waits_in_bgp_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """It forwards nothing yet: a shorter path is better, until that fails."""
    blueprint, _ = planned()
    prediction = predict(blueprint, FailedParts())
    neighbour = next(end for end in blueprint.node("spine-01").interfaces if end.peer == "leaf-u002-r0")
    offers = {BLOCK: [{"peerId": neighbour.neighbors[0], "path": "4200000003 4199999999 4200000001"}]}
    monkeypatch.setattr(forwarding, "ask_routing", lambda _, node, __: {"routes": offers if "01" in node.name else {}})
    (finding,) = check_valleys(blueprint, prediction).findings
    assert finding.device == "spine-01"
    assert finding.link.startswith(neighbour.name)
    assert "valley" in finding.reason


def test_a_valley_over_a_link_without_addresses_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Paths name the neighbour's link-local address, sessions the own interface."""
    blueprint, _ = planned()
    prediction = predict(blueprint, FailedParts())
    bare = [
        replace(
            node,
            interfaces=tuple(
                replace(end, addresses=(), neighbors=(end.name,)) if end.neighbors else end for end in node.interfaces
            ),
        )
        for node in blueprint.nodes
    ]
    neighbour = next(end for end in blueprint.node("spine-01").interfaces if end.peer == "leaf-u002-r0")
    offers = {BLOCK: [{"peerId": "fe80::2", "path": "4200000003 4199999999 4200000001"}]}
    answers = {
        "show bgp neighbors json": {neighbour.name: {"bgpNeighborAddr": "fe80::2"}},
        "show bgp ipv4 unicast json": {"routes": offers},
    }
    monkeypatch.setattr(
        forwarding,
        "ask_routing",
        lambda _, node, command: answers.get(command, {}) if node.name == "spine-01" else {},
    )
    (finding,) = check_valleys(replace(blueprint, nodes=tuple(bare)), prediction).findings
    assert (finding.device, finding.link.split()[0]) == ("spine-01", neighbour.name)
