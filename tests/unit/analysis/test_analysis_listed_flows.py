"""Lists of flows: what they are read as, and every entry that the fabric cannot carry, at its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from analysis_fabrics import document, plan_of

from fabricgen.analysis.flows import Connection
from fabricgen.diagnostics import Bag
from fabricgen.intent.flows import load_flows
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.entropy.job import find_flows

DRAINED = {"host": "gpu-u001-h04", "state": "drained", "reason": "memory"}


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> FabricPlan:
    said = document("dell_z9864f")
    said["exceptions"] = [DRAINED]
    return plan_of(said, tmp_path_factory.mktemp("listed"))


def told(plan: FabricPlan, file: Path, text: str) -> list[tuple[str, int, str]]:
    """Code, line and message of every fault of a list."""
    file.write_text(text)
    bag = Bag()
    find_flows(plan, load_flows(file, bag), bag)
    return sorted((found.code, found.place.line if found.place else 0, found.message) for found in bag)


def test_entries_of_a_list(plan: FabricPlan, tmp_path: Path) -> None:
    file, bag = tmp_path / "flows.csv", Bag()
    file.write_text("src,dst,rail,qps\ngpu-u001-h01,gpu-u002-h01,3,2\ngpu-u001-h02,gpu-u002-h02,,\n")
    flows = find_flows(plan, load_flows(file, bag), bag)
    assert not [*bag]
    assert flows.connections == 1 + 8
    assert {kind: sum(passing.nics.values()) for kind, passing in flows.up.items()} == {
        Connection(1, 2): 1,
        Connection(): 8,
    }


def test_a_host_that_is_none_is_told(plan: FabricPlan, tmp_path: Path) -> None:
    found = told(plan, tmp_path / "flows.csv", "src,dst\ngpu-u001-h9,gpu-u002-h01\ngpu-u001-h01,spine-01\n")
    assert [(code, line) for code, line, _ in found] == [("FG-OUT-024", 2), ("FG-OUT-024", 3)]


def test_a_flow_without_a_path_is_told(plan: FabricPlan, tmp_path: Path) -> None:
    rows = ("gpu-u001-h01,gpu-u001-h01,", "gpu-u001-h01,gpu-u002-h01,8", "gpu-u001-h04,gpu-u002-h01,0")
    found = told(plan, tmp_path / "flows.csv", "\n".join(("src,dst,rail", *rows, "")))
    assert [(code, line) for code, line, _ in found] == [("FG-OUT-024", 2), ("FG-OUT-024", 3), ("FG-OUT-024", 4)]
    assert "drained: memory" in found[2][2]
