"""Detection times, order of timers and recovery by kind of failure: as the rules report them, and consistent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from analysis_fabrics import INVENTORIES, compiled, document, inventory_plan, plan_of

from fabricgen.analysis.failure_classes import list_scopes
from fabricgen.analysis.recovery import FailureKind, Recovery, list_recoveries, time_moved, timers_of
from fabricgen.analysis.timing import list_detections, order_timers, worst_failover
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.timers import list_timers
from tests.command_line import run_here


def test_bfd_needs_both_ends_of_a_link() -> None:
    sides = {t.name: (t.routing.bfd_lower, t.routing.bfd_upper) for t in inventory_plan("meta-llama3-24k").tiers}
    assert sides == {"leaf": (False, False), "spine": (False, True), "core": (True, False)}


def test_links_without_bfd_are_noticed_by_the_hold_timer() -> None:
    found = {each.link: (each.bfd, each.seconds) for each in list_detections(inventory_plan("meta-llama3-24k"))}
    assert found == {"leaf-spine": (False, 9.0), "spine-core": (True, pytest.approx(0.9))}


def test_the_timer_table_says_it_per_link_and_lists_bfd_only_where_it_runs() -> None:
    rows = list_timers(inventory_plan("meta-llama3-24k"), {})
    noticed = {row["scope"]: row["milliseconds"] for row in rows if row["timer"] == "silent neighbour noticed"}
    assert noticed == {"leaf-spine": 9000, "spine-core": 900}
    assert {row["scope"] for row in rows if row["layer"] == "BFD"} == {"spine", "core"}
    rows = list_timers(inventory_plan("quickstart", "mixed-fboss"), {})
    assert not [row for row in rows if row["layer"] == "BFD"]


MODEL = "dell_z9864f"
FAULTS: dict[str, dict[str, Any]] = {
    "FG-RTE-017": {"collectives": {"timeout_exponent": 14}},
    "FG-RTE-105": {"routing": {"timers": {"keepalive_s": 4}}},
    "FG-HST-056": {"collectives": {"timeout_exponent": 25}},
    "FG-QOS-018": {"lossless": {"watchdog": {"detection_ms": 300, "restoration_ms": 300}}},
}
"""Rule to what an intent says that it reports."""


def faulty(changes: dict[str, Any], folder: Path) -> tuple[FabricPlan, set[str]]:
    """Return the plan of a changed document, and the codes of its diagnostics."""
    made, bag = compiled(document(MODEL) | changes, folder)
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
    for kind in (FailureKind.LINK_SILENT, FailureKind.SWITCH_STUCK):
        assert max(each.healed_ms or 0 for each in of_kind(found, kind)) == worst.seconds * 1000
        assert [each.noticed_ms for each in of_kind(found, kind)] == [e.seconds * 1000 for e in list_detections(plan)]
    for kind in (FailureKind.LINK_DOWN, FailureKind.SWITCH_DEAD):
        assert {each.healed_ms for each in of_kind(found, kind)} == {0}
    assert {each.kind for each in found} == set(FailureKind)


def test_recovery_follows_the_timers_of_the_intent(tmp_path: Path) -> None:
    """Without BFD it takes the hold time, and one advertisement interval at each of two switches (RFC 4271 9.2.1.1)."""
    plan, codes = faulty({"routing": {"bfd": "off", "timers": {"hold_s": 30, "advertisement_s": 2}}}, tmp_path)
    found = list_recoveries(plan, graceful=False)
    for kind, healed in ((FailureKind.LINK_SILENT, 34_000), (FailureKind.LINK_DOWN, 4_000)):
        assert {each.healed_ms for each in of_kind(found, kind)} == {healed}
    assert "FG-RTE-017" in codes


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


FABRICS = ["quickstart", "dual-tor", "hpn7-pod", "meta-llama3-24k"]


@pytest.mark.parametrize("name", FABRICS)
def test_every_scope_has_a_time_and_a_timer(name: str) -> None:
    plan = inventory_plan(name)
    recoveries, worst = list_recoveries(plan, graceful=False), worst_failover(plan)
    found = {scope: time_moved(plan, scope, recoveries) for scope in list_scopes(plan)}
    for moved in found.values():
        assert moved.noticed_by
        if moved.silent_ms is not None:
            assert moved.dark_ms <= moved.silent_ms
    between = {group.name for group in plan.links[1:]} | {tier.name for tier in plan.tiers[1:]}
    assert max(m.silent_ms or 0 for scope, m in found.items() if m and scope in between) == worst.seconds * 1000


def test_a_leaf_takes_as_long_as_the_ports_of_its_hosts() -> None:
    for name in ("quickstart", "dual-tor"):
        plan = inventory_plan(name)
        recoveries = list_recoveries(plan, graceful=False)
        leaf, port = (time_moved(plan, scope, recoveries) for scope in ("leaf", "host-leaf"))
        assert leaf == port
        assert (leaf.dark_ms is None) == (not plan.hosts[0].bond)


@pytest.mark.parametrize(("overlays", "times"), [((), (100, 3000)), (("lacp",), (None, None))])
def test_a_lost_host_port_heals_or_not(overlays: tuple[str, ...], times: tuple[float | None, float | None]) -> None:
    """In a VLAN nothing is known to end the ARP entry that a leaf announces; a dead leaf announces nothing."""
    plan = inventory_plan("dual-tor", *overlays)
    recoveries = list_recoveries(plan, graceful=False)
    leaf, port = (time_moved(plan, scope, recoveries) for scope in ("leaf", "host-leaf"))
    assert (port.dark_ms, port.silent_ms) == times
    assert (leaf.dark_ms, leaf.silent_ms) == (100, 3000)


@pytest.mark.parametrize("name", FABRICS)
def test_timers_of_all_scopes_are_all_timers(name: str) -> None:
    """Each pair matters to some failure, and keeps its place in the order; a NIC port involves no routing."""
    plan = inventory_plan(name)
    pairs = order_timers(plan, graceful=True)
    of_scopes = {scope: timers_of(plan, scope, pairs) for scope in list_scopes(plan)}
    assert {pair for found in of_scopes.values() for pair in found} == set(pairs)
    for found in of_scopes.values():
        assert found == [pair for pair in pairs if pair in found]
        assert "retry budget" in {pair.longer for pair in found}
    ports = {pair.shorter for group in plan.hosts for pair in of_scopes[group.link.name]}
    assert not {shorter for shorter in ports if shorter.startswith(("BGP", "BFD"))}
    assert ("LACP detection" in ports) == any(group.bond for group in plan.hosts)


def test_every_class_is_printed_with_its_time_and_its_timers() -> None:
    data = json.loads(run_here("analyze", str(INVENTORIES / "dual-tor"), "failures", "--format", "json").stdout)
    timers = data["timers"]
    for row in data["failures"]:
        own = [each for each in timers if each["class"] == row["class"]]
        assert own
        assert [each["shorter_ms"] for each in own] == sorted(each["shorter_ms"] for each in own)
        assert row["moved_ms"] is not None
        assert row["silent_moved_ms"] > row["moved_ms"]
        assert row["silent_noticed_by"]
    table = run_here("analyze", str(INVENTORIES / "dual-tor"), "failures").stdout
    assert "silent_moved_ms" in table
    assert "≥ 0 " in table
    assert "TIMERS" not in table
