"""Predictions of single failures in the names of a lab, held against the lab's own; nothing fails here for real."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from fabricgen.analysis.failures import Failures, Widths
from fabricgen.analysis.symmetry import Symmetry
from fabricgen.diagnostics import Bag
from fabricgen.lab.failures.elements import Failure, draw, list_failures
from fabricgen.lab.failures.names import Names
from fabricgen.lab.failures.origin import find_plan
from fabricgen.lab.failures.prediction import Predicted
from fabricgen.lab.failures.widths import compare_widths
from fabricgen.lab.model.excerpt import Cut, apply_cut
from fabricgen.lab.verify import predict as lab
from fabricgen.lab.verify.observe import Routes
from fabricgen.plan.model.identity import DeviceId, LinkId
from fabricgen.plan.model.links import HostLink
from tests.sampling import FRESH, sampled
from tests.unit.lab.fabrics import compiled, draft, plan_of

FABRICS = ["quickstart", "dual-tor", "dual-plane"]


@cache
def prepared(name: str) -> tuple[Names, Failures, list[Failure]]:
    """A fabric with its failures."""
    plan = plan_of(name)
    names, failures = Names(plan, draft(plan, name)), Failures(Symmetry(plan))
    return names, failures, list_failures(names, failures)


def of_lab(names: Names, failure: Failure) -> lab.Failures:
    """The same failure for the lab's own prediction."""
    if isinstance(failure.element, DeviceId):
        return lab.Failures(nodes=frozenset({failure.name}))
    return lab.Failures(links=frozenset({names.ends[failure.element].upper}))


@pytest.mark.parametrize("name", FABRICS)
def test_every_failure_that_is_counted_is_one_that_can_be_caused(name: str) -> None:
    names, failures, found = prepared(name)
    assert Counter(each.alike.key for each in found) == {each.key: each.size for each in failures.single()}
    assert len({each.name for each in found}) == len(found)
    assert len(names.ends) == len(names.blueprint.wires)


@pytest.mark.parametrize("name", FABRICS)
def test_two_predictions_of_routing_agree(name: str) -> None:
    """One works on classes of a plan, the other walks the cables of the lab."""
    names, failures, found = prepared(name)
    for failure in sampled(found, 8, f"{FRESH} {name}"):
        predicted = Predicted(names, failures, failure).routes()
        walked = lab.predict(names.blueprint, of_lab(names, failure)).interfaces
        prefixes = {prefix for routes in predicted.values() for prefix in routes}
        for device, routes in predicted.items():
            own = {prefix: hops for prefix, hops in walked[device].items() if prefix in prefixes}
            assert routes == own, (failure.name, device)


@pytest.mark.parametrize("name", FABRICS)
def test_figures_of_a_class_are_those_of_each_of_its_members(name: str) -> None:
    names, failures, found = prepared(name)
    planned = used_of(names, Predicted(names, failures))
    for failure in sampled(found, 8, f"{FRESH} {name}"):
        predicted = Predicted(names, failures, failure)
        assert predicted.effect is not None
        loads = predicted.single.loads()
        assert max(max(gbps) / speed_of(names, link) for link, gbps in loads.items()) == predicted.effect.after
        widths = compare_widths(names.blueprint, planned, used_of(names, predicted))
        assert fewer(widths) == fewer(predicted.effect.widths), failure.name


def used_of(names: Names, predicted: Predicted) -> dict[str, Routes]:
    """Routes by which traffic is sent."""
    return {
        device: {prefix: hops for prefix, hops in routes.items() if prefix in names.prefixes}
        for device, routes in predicted.routes().items()
    }


def speed_of(names: Names, identity: LinkId) -> int:
    link = names.ends[identity].link
    plan = names.plan
    return (plan.hosts[link.host.group].link if isinstance(link, HostLink) else plan.links[link.number]).speed_gbps


def fewer(widths: Widths) -> Widths:
    return {place: (planned, left) for place, (planned, left) in widths.items() if left < planned}


def test_a_lot_has_one_of_each_class_and_the_same_seed_draws_the_same() -> None:
    found = prepared("dual-tor")[2]
    lot = draw(found, 6, "seed")
    assert lot == draw(found, 6, "seed")
    assert len(lot) == len(set(lot)) == 6
    assert {each.alike.key for each in lot} == {each.alike.key for each in found}
    assert draw(found, 0, "seed") == draw(found, len(found), "seed") == found
    assert draw(found, 6, "other") != lot


def test_a_lab_of_another_inventory_is_refused() -> None:
    plan, specs, bag = plan_of("quickstart"), compiled("quickstart").platforms or {}, Bag()
    assert find_plan(plan, specs, draft(plan, "quickstart"), bag) == plan
    assert not list(bag)
    part = apply_cut(plan, Cut((("spines", 1),)))
    assert find_plan(plan, specs, draft(part, "quickstart"), bag) is None
    assert [found.code for found in bag] == ["FG-LAB-044"]
    assert find_plan(part, specs, draft(part, "quickstart"), Bag()) == part


def test_a_fabric_that_is_not_worked_out_is_refused() -> None:
    plan, bag = plan_of("hpn7-pod"), Bag()
    part = apply_cut(plan, Cut((("units", 1), ("hosts_per_unit", 1))))
    assert find_plan(part, compiled("hpn7-pod").platforms or {}, draft(part, "hpn7-pod"), bag) is None
    ((code, message),) = [(found.code, found.message) for found in bag]
    assert code == "FG-LAB-045"
    assert "bond" in message
