"""Forwarding tables that are not as planned, and what is said of them; the tables are made up."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.verify import forwarding
from fabricgen.lab.verify.forwarding import check_valleys, check_widths
from fabricgen.lab.verify.observe import Routes
from fabricgen.lab.verify.predict import predict
from tests.unit.lab.fabrics import lab_of

BLOCK = "172.16.0.0/27"


def planned() -> tuple[Blueprint, dict[str, Routes]]:
    """A fabric and tables that are exactly as planned."""
    blueprint = lab_of("quickstart")
    return blueprint, {name: dict(routes) for name, routes in predict(blueprint).interfaces.items()}


def test_tables_as_planned() -> None:
    blueprint, routes = planned()
    prediction = predict(blueprint)
    assert check_widths(blueprint, prediction, routes).passed


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


@pytest.mark.parametrize("bare", [False, True], ids=["numbered", "without addresses"])
def test_a_valley_that_waits_in_bgp_is_told(bare: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """It forwards nothing yet: a shorter path is better, until that fails.

    Where links have no addresses, paths name the neighbour's link-local address, sessions the own interface.
    """
    blueprint, _ = planned()
    prediction = predict(blueprint)
    neighbour = next(end for end in blueprint.node("spine-01").interfaces if end.peer == "leaf-u002-r0")
    if bare:
        nodes = []
        for node in blueprint.nodes:
            ends = (replace(end, addresses=(), neighbors=(end.name,)) for end in node.interfaces if end.neighbors)
            nodes.append(replace(node, interfaces=tuple(ends)))
        blueprint = replace(blueprint, nodes=tuple(nodes))
    peer = "fe80::2" if bare else neighbour.neighbors[0]
    routes = {BLOCK: [{"peerId": peer, "path": "4200000003 4199999999 4200000001"}]}
    answers = {
        "show bgp neighbors json": {neighbour.name: {"bgpNeighborAddr": peer}},
        "show bgp ipv4 unicast json": {"routes": routes},
    }
    monkeypatch.setattr(
        forwarding, "ask_routing", lambda _, node, command: answers.get(command, {}) if node.name == "spine-01" else {}
    )
    (finding,) = check_valleys(blueprint, prediction).findings
    assert (finding.device, finding.link.split()[0]) == ("spine-01", neighbour.name)
    assert "valley" in finding.reason
