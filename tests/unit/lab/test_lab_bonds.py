"""Bonds of hosts in a lab's blueprint: a route over every cable, announced while the cable works."""

from __future__ import annotations

from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag
from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.model.planned import Drafter
from fabricgen.lab.verify.drill import list_faults
from fabricgen.lab.verify.predict import FailedParts, predict
from fabricgen.lab.verify.reach import list_endpoints, routers_between
from tests.acceptance.test_lab_bonded import FABRIC, ROUTED

LEAF, TWIN = "leaf-u001-1", "leaf-u001-2"


def drafted(folder: Path, fabric: str) -> Blueprint:
    (folder / "fabric.yaml").write_text(fabric, encoding="utf-8")
    made = compile_inventory(folder, (), Bag())
    bag = Bag()
    blueprint = Drafter(made.plan, made.platforms or {}, bag).draft("test")
    assert not bag.has_errors, list(bag)
    assert any("LACP" in found.message for found in bag)
    return blueprint


@pytest.fixture(scope="module")
def blueprint(tmp_path_factory: pytest.TempPathFactory) -> Blueprint:
    return drafted(tmp_path_factory.mktemp("bonded"), FABRIC)


def test_a_host_has_its_address_on_every_cable_and_a_next_hop_over_each(blueprint: Blueprint) -> None:
    host = blueprint.hosts[0]
    assert len(host.interfaces) == 16
    first, second = host.interfaces[:2]
    assert first.addresses == second.addresses
    assert {first.peer, second.peer} == {LEAF, TWIN}
    (route,) = [line for line in host.commands if first.name in line]
    assert route.count("nexthop") == 2
    assert second.name in route


def test_leafs_announce_hosts_and_spines_use_both(blueprint: Blueprint) -> None:
    leaf = blueprint.node(LEAF)
    announced = [end for end in leaf.interfaces if end.announces]
    assert len(announced) == 8
    for end in announced:
        assert f"ip route {end.announces[0]} {end.name}" in leaf.config
        assert f"  network {end.announces[0]}" in leaf.config
    assert "maximum-paths 2\n" in blueprint.node("spine-01").config
    hops = predict(blueprint).interfaces["spine-01"][announced[0].announces[0]]
    assert {blueprint.node("spine-01").interface(name).peer for name in hops} == {LEAF, TWIN}


def test_a_lost_cable_leaves_the_twin(blueprint: Blueprint) -> None:
    end = next(end for end in blueprint.node(LEAF).interfaces if end.announces)
    left = predict(blueprint, FailedParts(links=frozenset({(LEAF, end.name)})))
    spine = blueprint.node("spine-01")
    assert {spine.interface(name).peer for name in left.interfaces[spine.name][end.announces[0]]} == {TWIN}
    assert {blueprint.node(LEAF).interface(name).peer for name in left.interfaces[LEAF][end.announces[0]]} == {
        "spine-01", "spine-02",
    }  # fmt: skip


def test_the_death_of_a_leaf_is_offered_and_its_hosts_stay_in_reach(blueprint: Blueprint) -> None:
    faults = {fault.name: fault for fault in list_faults(blueprint)}
    assert faults["leaf-death"].failures == FailedParts(nodes=frozenset({LEAF}))
    assert all(any(LEAF in nic.leafs for nic in pair) for pair in faults["leaf-death"].pairs)
    whole = predict(blueprint)
    near, *_, far = list_endpoints(blueprint)
    assert near.leafs == (LEAF, TWIN)
    assert routers_between(blueprint, whole, near, far) == 3


def test_a_routed_bond_is_announced_by_the_rendered_configuration_while_its_cable_works(tmp_path: Path) -> None:
    blueprint = drafted(tmp_path, ROUTED)
    leaf, twin = blueprint.node(LEAF), blueprint.node(TWIN)
    ends = [end for end in leaf.interfaces if end.announces]
    assert len(ends) == 8
    assert [end.addresses for end in ends] == [end.addresses for end in twin.interfaces if end.announces]
    assert all(end.announces == end.addresses for end in ends), "the lower address of a /31 is the leaf's"
    assert "ip route 172.16.0.0/28 blackhole" in leaf.config
    assert leaf.config.count("ip route ") == 1, "the lab adds none"
    assert "  redistribute connected route-map HOSTS" in leaf.config
    spine = predict(blueprint, FailedParts(links=frozenset({(LEAF, ends[0].name)}))).interfaces["spine-01"]
    assert {blueprint.node("spine-01").interface(name).peer for name in spine[ends[0].announces[0]]} == {TWIN}
    assert len(spine[ends[1].announces[0]]) == 2
