"""Order of timers and recovery by kind of failure: as the rules report it, and consistent with each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from analysis_fabrics import compiled, document, plan_of

from fabricgen.analysis.recovery import FailureKind, Recovery, list_recoveries
from fabricgen.analysis.timing import list_detections, order_timers, worst_failover
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.timer_order import list_order

MODEL = "dell_z9864f"
FAULTS: dict[str, dict[str, Any]] = {
    "FG-RTE-017": {"collectives": {"timeout_exponent": 14}},
    "FG-HST-056": {"collectives": {"timeout_exponent": 25}},
    "FG-QOS-070": {"lossless": {"watchdog": {"detection_ms": 300, "restoration_ms": 300}}},
}
"""Rule to what an intent says that it reports."""


def faulty(changes: dict[str, Any], folder: Path) -> tuple[FabricPlan, set[str]]:
    """Return the plan of a changed document, and the codes of its diagnostics."""
    made, bag = compiled(document(MODEL) | changes, folder)
    assert made.plan is not None
    return made.plan, {diagnostic.code for diagnostic in bag}


def of_kind(recoveries: list[Recovery], kind: FailureKind) -> list[Recovery]:
    return [each for each in recoveries if each.kind is kind]


@pytest.mark.parametrize("code", FAULTS)
def test_a_pair_in_the_wrong_order_is_what_its_rule_reports(code: str, tmp_path: Path) -> None:
    plan, codes = faulty(FAULTS[code], tmp_path)
    assert code in codes
    assert code in {pair.code for pair in order_timers(plan, graceful=True) if not pair.holds}


def test_a_pair_in_order_is_not_reported(tmp_path: Path) -> None:
    plan, codes = faulty({}, tmp_path)
    pairs = order_timers(plan, graceful=True)
    assert all(pair.holds for pair in pairs)
    assert {pair.code for pair in pairs if pair.code} == {*FAULTS, "FG-QOS-019"}
    assert not codes & {*FAULTS, "FG-QOS-019"}


def test_pairs_are_in_the_order_of_their_timers(tmp_path: Path) -> None:
    pairs = order_timers(plan_of(document(MODEL), tmp_path), graceful=False)
    assert [pair.shorter_ms for pair in pairs] == sorted(pair.shorter_ms for pair in pairs)
    assert all(pair.reason and pair.least >= 1 for pair in pairs)
    assert "graceful restart" not in {pair.longer for pair in pairs}


def test_nothing_is_watched_where_nothing_is_lossless(tmp_path: Path) -> None:
    plan = plan_of(document(MODEL, mode="ecn_only", reason="losses are repaired"), tmp_path)
    assert not [pair for pair in order_timers(plan, graceful=False) if "watchdog" in pair.longer]


def test_silence_takes_as_long_as_the_worst_failover(tmp_path: Path) -> None:
    plan = plan_of(document(MODEL), tmp_path)
    found, worst = list_recoveries(plan, graceful=False), worst_failover(plan)
    assert worst is not None
    for kind in (FailureKind.LINK_SILENT, FailureKind.SWITCH_STUCK):
        assert max(each.healed_ms or 0 for each in of_kind(found, kind)) == worst.seconds * 1000
        assert [each.noticed_ms for each in of_kind(found, kind)] == [e.seconds * 1000 for e in list_detections(plan)]
    for kind in (FailureKind.LINK_DOWN, FailureKind.SWITCH_DEAD):
        assert {each.healed_ms for each in of_kind(found, kind)} == {0}
    assert {each.kind for each in found} == set(FailureKind)


def test_a_leaf_that_restarts_gracefully_loses_nothing(tmp_path: Path) -> None:
    plan = plan_of(document(MODEL), tmp_path)
    for graceful, healed in ((True, {"leaf": 0, "spine": 0}), (False, {"leaf": None, "spine": 0})):
        found = of_kind(list_recoveries(plan, graceful=graceful), FailureKind.DAEMON_RESTART)
        assert {each.scope: each.healed_ms for each in found} == healed


def test_a_nic_port_without_a_bond_is_healed_by_the_library_only(tmp_path: Path) -> None:
    (alone,) = of_kind(list_recoveries(plan_of(document(MODEL), tmp_path), graceful=False), FailureKind.NIC_PORT_DEAD)
    assert (alone.healed_ms, alone.margin) == (None, None)
    assert alone.noticed_ms == alone.budget_ms


@pytest.mark.parametrize(("library", "extra_ms"), [("nccl", 0), ("vccl", 25_000)])
def test_a_library_that_fails_over_starts_when_retries_end(library: str, extra_ms: int, tmp_path: Path) -> None:
    asked = {"library": library, "fault_tolerance": True, "timeout_exponent": 18}
    plan, _ = faulty({"collectives": asked}, tmp_path)
    (found,) = of_kind(list_recoveries(plan, graceful=False), FailureKind.NIC_PORT_DEAD)
    assert found.healed_ms == found.budget_ms + extra_ms
    assert found.margin is None


def test_rows_say_what_the_records_say(tmp_path: Path) -> None:
    plan = plan_of(document(MODEL), tmp_path)
    rows = list_order(plan, graceful=False)
    assert [row["holds"] for row in rows["timer_order"]] == [pair.holds for pair in order_timers(plan, graceful=False)]
    assert [row["failure"] for row in rows["recovery"]] == [
        each.kind.value for each in list_recoveries(plan, graceful=False)
    ]
