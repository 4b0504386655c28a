"""Drills of a lab and their verdicts; nothing fails here for real."""

from __future__ import annotations

from dataclasses import replace

from fabricgen.diagnostics import Bag
from fabricgen.lab.model.excerpt import Cut, apply_cut
from fabricgen.lab.verify.drill import Drilled, _judge, choose_faults, list_faults
from fabricgen.lab.verify.traffic import PacketLoss
from tests.unit.lab.fabrics import draft, lab_of, plan_of

NOTHING = PacketLoss(100, 0, 0, 0.0)


def test_a_fabric_with_two_spines_can_lose_one() -> None:
    faults = {fault.name: fault for fault in list_faults(lab_of("quickstart"))}
    assert list(faults) == ["link-down", "silent-drop", "switch-death", "drain"]
    assert faults["silent-drop"].detection_s == 0.9
    assert faults["drain"].lossless
    assert all("leaf-u001-r0" in (a.leaf, b.leaf) for a, b in faults["link-down"].pairs)


def test_a_fabric_with_one_spine_has_nothing_to_lose() -> None:
    blueprint = draft(apply_cut(plan_of("quickstart"), Cut((("spines", 1),))), "quickstart")
    bag = Bag()
    assert choose_faults(blueprint, [], bag) == []
    assert [found.code for found in bag] == ["FG-LAB-041"]


def test_a_drill_that_is_not_known_is_told() -> None:
    bag = Bag()
    assert choose_faults(lab_of("quickstart"), ["earthquake"], bag) == []
    ((code, message),) = [(found.code, found.message) for found in bag]
    assert code == "FG-LAB-041"
    assert "earthquake" in message
    assert "drain" in message


def test_losses_are_judged_by_what_was_planned() -> None:
    drop, *_, drain = list_faults(lab_of("quickstart"))[1:]
    assert not list(_judge(drop, NOTHING, PacketLoss(100, 40, 4, 0.9), NOTHING))
    assert "0.9 s to notice" in next(iter(_judge(drop, NOTHING, PacketLoss(100, 40, 4, 9.0), NOTHING))).reason
    assert "before anything failed" in next(iter(_judge(drop, PacketLoss(100, 1, 1, 0.1), NOTHING, NOTHING))).reason
    assert "none should be" in next(iter(_judge(drain, NOTHING, PacketLoss(100, 1, 1, 0.1), NOTHING))).reason


def test_a_drill_is_a_row_and_a_result() -> None:
    fault = list_faults(lab_of("quickstart"))[1]
    drilled = Drilled(replace(fault, note="noticed by BFD"), PacketLoss(100, 40, 4, 0.9), NOTHING, (), 5.0)
    assert drilled.to_row()["lost"] == 40
    result = drilled.to_result()
    assert result.passed
    assert "lost 40" in result.note


def test_a_neighbour_without_bfd_leaves_it_to_the_hold_timer() -> None:
    blueprint = lab_of("quickstart")
    nodes = tuple(
        replace(node, interfaces=tuple(replace(end, watched=end.peer != "leaf-u001-r0") for end in node.interfaces))
        for node in blueprint.nodes
    )
    drop = next(fault for fault in list_faults(replace(blueprint, nodes=nodes)) if fault.name == "silent-drop")
    assert (drop.detection_s, drop.note) == (9, "noticed by the hold timer")
