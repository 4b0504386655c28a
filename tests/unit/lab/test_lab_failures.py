"""Single failures by the analysis, which works on classes, and by the lab's walk over cables; nothing fails."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from fabricgen.lab.verify.predict import predict
from tests.failures_in_labs import LabOfPlan
from tests.sampling import FRESH, sampled
from tests.unit.lab.fabrics import draft, plan_of

FABRICS = ["quickstart", "dual-tor", "dual-plane"]


@cache
def prepared(name: str) -> LabOfPlan:
    plan = plan_of(name)
    return LabOfPlan(plan, draft(plan, name))


@pytest.mark.parametrize("name", FABRICS)
def test_every_failure_that_is_counted_is_one_that_can_be_caused(name: str) -> None:
    names = prepared(name)
    found = names.list_failures()
    assert Counter(each.alike.key for each in found) == {each.key: each.size for each in names.failures.single()}
    assert len({each.name for each in found}) == len(found)
    assert len(names.ends) == len(names.blueprint.wires)


@pytest.mark.parametrize("name", FABRICS)
def test_next_hops_that_a_failure_leaves_are_those_of_its_class(name: str) -> None:
    names = prepared(name)
    planned = predict(names.blueprint).interfaces
    for failure in sampled(names.list_failures(), 8, f"{FRESH} {name}"):
        walked = predict(names.blueprint, names.of_lab(failure)).interfaces
        effect = names.failures.effect(failure.alike)
        fewer = {place: (before, left) for place, (before, left) in effect.widths.items() if left < before}
        assert names.widths(planned, walked) == fewer, failure.name
