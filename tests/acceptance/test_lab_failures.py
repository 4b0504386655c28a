"""Every single failure of a fabric on real daemons, against what ``analyze failures`` predicts, without LACP."""

from __future__ import annotations

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.lab.stages import find_lab
from tests.acceptance.laboratory import alone as alone
from tests.acceptance.laboratory import running
from tests.acceptance.run import INVENTORIES
from tests.failures_in_labs import Bench, LabOfPlan
from tests.unit.lab.fabrics import plan_of


@pytest.mark.nightly
@pytest.mark.parametrize("name", ["quickstart", "dual-tor"])
def test_a_fabric_fails_as_predicted(name: str) -> None:
    with running(INVENTORIES / name, "fail") as up:
        blueprint = find_lab(up.name, Bag())
        bench = Bench(LabOfPlan(plan_of(name), blueprint))
        assert all(bench.whole.arrived.values())
        found = [line for failure in bench.names.list_failures() for line in bench.compare(failure)]
    assert found == []
