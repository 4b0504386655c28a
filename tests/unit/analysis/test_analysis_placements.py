"""Placements of a job held against each other, and the time that each level of the fabric takes."""

from __future__ import annotations

from math import isclose

import pytest
from analysis_fabrics import document, plan_of

from fabricgen.analysis.demand import analyze_demand, compare_placements
from fabricgen.analysis.placement import free_hosts
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.workload import Message, Workload
from fabricgen.tables.capacity import list_placements, list_times

ORDER = ("tensor", "pipeline", "data")


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> FabricPlan:
    """Four units of four hosts: 128 GPUs."""
    said = document("dell_z9864f") | {"units": {"count": 4, "max": 4}}
    return plan_of(said, tmp_path_factory.mktemp("placements"))


def ring(data: int, **keys: object) -> Workload:
    """Gradients of eight rings, and activations of the layers."""
    said = (("activations", "tensor", 4), ("gradients", "data", 1))
    messages = tuple(Message(name, "all_reduce", over, 1e9, times) for name, over, times in said)
    return Workload("ring", 8, 1, data, 1, ORDER, messages, 1.0, 80)._replace(**keys)


def test_what_leaves_a_domain_is_the_same_and_turns_higher(plan: FabricPlan) -> None:
    one_per_unit = tuple([*free_hosts(plan)][::4])
    found = {placed.placement: placed for placed in compare_placements(plan, ring(4, placed=one_per_unit))}
    assert [*found] == ["given", "rail-aware", "random"]
    assert [placed.units for placed in found.values()][:2] == [4, 1]
    turning = {name: placed.demand.traffic[1].turning_bytes for name, placed in found.items()}
    assert turning["rail-aware"][1] == 0
    assert turning["given"][0] == 0
    assert len({round(sum(volumes)) for volumes in turning.values()}) == 1


def test_a_random_placement_is_the_same_in_every_run_and_between_the_others(plan: FabricPlan) -> None:
    first, second = (next(p for p in compare_placements(plan, ring(8)) if p.placement == "random") for _ in range(2))
    assert first.demand.traffic == second.demand.traffic
    assert first.units > 2


def test_a_job_without_a_placement_has_none_that_is_given(plan: FabricPlan) -> None:
    assert [placed.placement for placed in compare_placements(plan, ring(8))] == ["rail-aware", "random"]
    assert [*compare_placements(plan, ring(1000))] == []


def test_times_name_the_bottleneck_and_what_computing_hides(plan: FabricPlan) -> None:
    found = analyze_demand(plan, ring(16, overlap_s=0.01))
    rows = {str(row["level"]): row for row in list_times(plan, found, {"gpu": 900})}
    inside = 4 * 2 * 1e9 * 7 / 8
    assert isclose(float(str(rows["scale-up"]["time_s"])), inside / 450e9, rel_tol=1e-4)
    nic = 2 * 1e9 * 15 / 16 * 8 / (400e9 * 0.8)
    assert isclose(float(str(rows["host-leaf"]["time_s"])), nic, rel_tol=1e-4)
    assert isclose(float(str(rows["host-leaf"]["exposed_s"])), nic - 0.01, rel_tol=1e-4)
    assert [name for name, row in rows.items() if row["bottleneck"] == "yes"] == ["host-leaf"]


def test_nvlink_of_no_public_rate_has_no_time(plan: FabricPlan) -> None:
    found = analyze_demand(plan, ring(16))
    row = next(row for row in list_times(plan, found, {"gpu": 0}) if row["level"] == "scale-up")
    assert (row["time_s"], row["exposed_s"], row["bottleneck"]) == (None, None, "no")
    assert row["because"]


def test_rows_of_placements_add_up(plan: FabricPlan) -> None:
    found = analyze_demand(plan, ring(16))
    rows = [*list_placements(plan, found)]
    assert len({sum(int(str(row[f"{level}_bytes"])) for level in ("nvlink", "leaf", "spine")) for row in rows}) == 1
