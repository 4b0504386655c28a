"""State expected of devices, against the lab's own walk over the cables, which shares no code with it."""

from __future__ import annotations

import pytest

from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.model.planned import linux_name
from fabricgen.lab.verify.predict import predict
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.state.expected import Expectations, Expected
from tests.unit.lab.fabrics import draft, plan_of

FABRICS = ("quickstart", "irregular", "dual-tor", "dual-plane")


def switches(plan: FabricPlan) -> list[Expected]:
    found = Expectations(plan)
    return [found.switch(device) for device in plan.switches()]


@pytest.mark.parametrize("name", FABRICS)
def test_widths_are_those_of_a_walk_over_every_cable(name: str) -> None:
    plan = plan_of(name)
    walked = predict(draft(plan, name)).interfaces
    compared = 0
    for device in switches(plan):
        for width in device.widths:
            for prefix in width.prefixes:
                hops = walked[device.name].get(prefix, frozenset())
                assert len(hops) == width.next_hops, (device.name, prefix)
                compared += 1
    assert compared


@pytest.mark.parametrize("name", FABRICS)
def test_sessions_and_cables_are_those_of_the_lab(name: str) -> None:
    plan = plan_of(name)
    blueprint: Blueprint = draft(plan, name)
    for device in switches(plan):
        node = blueprint.node(device.name)
        theirs = {(peer, end.name, end.peer_asn, end.watched) for end in node.interfaces for peer in end.neighbors}
        ours = {(each.neighbor, linux_name(each.port), each.asn, each.watched) for each in device.sessions}
        # The lab calls a neighbour without address by the name of the port in Linux.
        assert {(linux_name(neighbor), *rest) for neighbor, *rest in ours} == theirs
        cables = {(linux_name(link.port), link.peer, linux_name(link.peer_port)) for link in device.links}
        assert cables == {(end.name, end.peer, end.peer_interface) for end in node.interfaces}


def test_both_ends_of_a_cable_expect_each_other() -> None:
    plan = plan_of("quickstart")
    found = Expectations(plan)
    devices = [found.of(name) for name in found.names]
    ends = {(each.name, link.port): link for each in devices if each for link in each.links}
    assert len(ends) == 2 * (64 + 64)
    for (name, port), link in ends.items():
        other = ends[link.peer, link.peer_port]
        assert (other.peer, other.peer_port) == (name, port)
        assert port in other.peer_names
        assert other.speed_gbps == link.speed_gbps


def test_switch_may_be_heard_by_the_alias_of_its_port() -> None:
    leaf = Expectations(plan_of("quickstart")).of("leaf-u001-r0")
    link = next(link for link in leaf.links if link.peer == "spine-01")
    assert len(link.peer_names) == 2


def test_no_expectation_of_a_stranger() -> None:
    assert Expectations(plan_of("quickstart")).of("toaster") is None
