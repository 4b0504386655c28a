"""Predicted forwarding of fabrics small enough to follow by hand."""

from __future__ import annotations

from dataclasses import replace

from fabricgen.lab.verify.predict import FailedParts, predict
from tests.unit.lab.fabrics import lab_of

BLOCK = "172.16.0.0/27"


def test_a_whole_fabric_uses_every_link() -> None:
    found = predict(lab_of("quickstart"))
    assert len(found.interfaces["leaf-u002-r0"][BLOCK]) == 16
    assert len(found.interfaces["spine-01"][BLOCK]) == 8
    assert found.hops["leaf-u002-r0"][BLOCK] == 2
    assert "10.255.0.2/32" not in found.interfaces["spine-01"], "a spine reaches another only through a valley"
    assert BLOCK not in found.interfaces["leaf-u001-r0"]


def test_a_spine_without_links_to_a_leaf_is_not_on_the_way_to_it() -> None:
    """No leaf climbs down and up again to mend it."""
    blueprint = lab_of("quickstart")
    leaf, other = blueprint.node("leaf-u001-r0"), blueprint.node("leaf-u002-r0")
    ends = frozenset((leaf.name, end.name) for end in leaf.interfaces if end.peer == "spine-01")
    found = predict(blueprint, FailedParts(links=ends))
    assert BLOCK not in found.interfaces["spine-01"]
    assert {other.interface(name).peer for name in found.interfaces[other.name][BLOCK]} == {"spine-02"}


def test_a_drained_spine_is_used_for_itself_only() -> None:
    blueprint = lab_of("quickstart")
    found = predict(blueprint, FailedParts(drained=frozenset({"spine-01"})))
    leaf = blueprint.node("leaf-u002-r0")
    assert {leaf.interface(name).peer for name in found.interfaces[leaf.name][BLOCK]} == {"spine-02"}
    assert {leaf.interface(name).peer for name in found.interfaces[leaf.name]["10.255.0.1/32"]} == {"spine-01"}


def test_twins_share_what_they_both_bring_in() -> None:
    """Two leafs with one prefix: who is not one of them uses both, and the twins do not use each other."""
    blueprint = lab_of("quickstart")
    twins = ("leaf-u001-r0", "leaf-u001-r4")
    nodes = tuple(
        replace(node, originates=(*node.originates, "192.0.2.0/24")) if node.name in twins else node
        for node in blueprint.nodes
    )
    twin = replace(blueprint, nodes=nodes)
    whole = predict(twin)
    assert len(whole.interfaces["spine-01"]["192.0.2.0/24"]) == 16
    assert "192.0.2.0/24" not in whole.interfaces[twins[0]]
    lost = predict(twin, FailedParts(nodes=frozenset({twins[0]})))
    assert len(lost.interfaces["spine-01"]["192.0.2.0/24"]) == 8
    assert BLOCK not in lost.interfaces["spine-01"]


def test_a_drained_link_carries_nothing_while_there_is_another() -> None:
    """It stays up; if it is all there is left, it is used."""
    blueprint = lab_of("quickstart")
    leaf = blueprint.node("leaf-u001-r0")
    up = next(end for end in leaf.interfaces if end.peer == "spine-01")
    ends = {(leaf.name, up.name), (up.peer, up.peer_interface)}
    nodes = tuple(
        replace(node, interfaces=tuple(replace(end, drained=(node.name, end.name) in ends) for end in node.interfaces))
        for node in blueprint.nodes
    )
    drained = replace(blueprint, nodes=nodes)
    assert up.name not in predict(drained).interfaces[leaf.name]["172.16.0.32/27"]
    assert len(predict(drained).interfaces["spine-01"][BLOCK]) == 7
    others = frozenset((leaf.name, end.name) for end in leaf.interfaces if end.neighbors and end != up)
    assert predict(drained, FailedParts(links=others)).interfaces[leaf.name]["172.16.0.32/27"] == {up.name}


def test_a_drained_device_does_not_tell_drained_neighbours_apart() -> None:
    """All that it hears has the lowest preference, whoever says so."""
    found = predict(lab_of("quickstart"), FailedParts(drained=frozenset({"spine-01", "leaf-u001-r0"})))
    assert len(found.interfaces["leaf-u001-r0"]["172.16.0.32/27"]) == 16
    assert len(found.interfaces["leaf-u001-r4"]["172.16.0.64/27"]) == 8
