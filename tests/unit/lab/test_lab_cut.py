"""A cut leaves out and moves nothing."""

from __future__ import annotations

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.lab.model.excerpt import Cut, apply_cut, choose_cut, describe_cut, list_dimensions, measure, parse_cut
from tests.unit.lab.fabrics import draft, plan_of


@pytest.mark.parametrize("text", ["units", "units=0", "units=2,units=2", "cores=2", "spines=17", "hosts_per_unit=33"])
def test_what_is_wrong_with_a_cut_is_told(text: str) -> None:
    bag = Bag()
    parse_cut(text, plan_of("rail-1k"), bag)
    assert [found.code for found in bag] == ["FG-LAB-020"]


def test_what_stays_keeps_its_numbers() -> None:
    """Every device of the cut has the AS number, the addresses and the cables that it has in the whole fabric."""
    plan = plan_of("rail-1k")
    cut = parse_cut("units=2,hosts_per_unit=1,spines=4", plan, Bag())
    whole, part = draft(plan, "rail-1k"), draft(apply_cut(plan, cut), "rail-1k")
    assert (len(part.switches), len(part.hosts)) == (2 * 8 + 4, 2)
    assert (len(part.nodes), len(part.wires)) == measure(plan, cut)
    assert set(part.wires) < set(whole.wires)
    for node in part.nodes:
        same = whole.node(node.name)
        assert (node.asn, node.loopbacks, node.originates) == (same.asn, same.loopbacks, same.originates)
        assert set(node.interfaces) <= set(same.interfaces)


@pytest.mark.nightly
def test_what_stays_keeps_its_policies() -> None:
    """The routing configuration of the cut is that of the whole fabric without the neighbours that are gone."""
    plan = plan_of("rail-1k")
    part = draft(apply_cut(plan, Cut((("spines", 4),))), "rail-1k").node("leaf-u001-r0")
    whole = draft(plan, "rail-1k").node("leaf-u001-r0")
    gone = [line for line in whole.config.splitlines() if line not in part.config.splitlines()]
    assert all(line.startswith(" neighbor 10.") for line in gone)
    assert [line for line in part.config.splitlines() if line not in whole.config.splitlines()] == []


def test_a_cut_says_what_it_no_longer_proves() -> None:
    plan = plan_of("rail-1k")
    notes = describe_cut(plan, parse_cut("units=2,spines=4,hosts_per_unit=32", plan, Bag()))
    assert len(notes) == 2
    assert "2 of 4" in notes[0]
    assert "ECMP" in notes[1]


def test_a_chosen_cut_fits_and_is_told() -> None:
    """Hosts go first, then units, then spines; nothing goes where all fits."""
    plan, bag = plan_of("rail-8k"), Bag()
    assert choose_cut(plan, bag, lambda nodes, links: True) == Cut()
    assert len(bag) == 0
    for most in (9_000, 1_500, 400, 100):
        cut = choose_cut(plan, bag, lambda nodes, links, most=most: links <= most)
        assert measure(plan, cut)[1] <= most
        assert cut.keep[0] == ("hosts_per_unit", 1)
    assert {found.code for found in bag} == {"FG-LAB-022"}
    assert list(list_dimensions(plan)) == ["units", "hosts_per_unit", "spines"]
