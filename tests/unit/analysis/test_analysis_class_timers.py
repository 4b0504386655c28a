"""Time and timers of a class of failures: taken from those of its links, hosts and tiers."""

from __future__ import annotations

import json

import pytest
from analysis_fabrics import INVENTORIES, inventory_plan

from fabricgen.analysis.failure_classes import list_scopes
from fabricgen.analysis.recovery import list_recoveries, time_moved, timers_of
from fabricgen.analysis.timing import order_timers, worst_failover
from tests.command_line import run_here

FABRICS = ["quickstart", "dual-tor", "hpn7-pod", "meta-llama3-24k"]


@pytest.mark.parametrize("name", FABRICS)
def test_every_scope_has_a_time_and_a_timer(name: str) -> None:
    plan = inventory_plan(name)
    recoveries, worst = list_recoveries(plan, graceful=False), worst_failover(plan)
    assert worst is not None
    found = {scope: time_moved(plan, scope, recoveries) for scope in list_scopes(plan)}
    for scope, moved in found.items():
        assert moved is not None, scope
        assert moved.noticed_by
        if moved.silent_ms is not None:
            assert moved.dark_ms is not None
            assert moved.dark_ms <= moved.silent_ms
    between = {group.name for group in plan.links[1:]} | {tier.name for tier in plan.tiers[1:]}
    assert max(moved.silent_ms or 0 for scope, moved in found.items() if moved and scope in between) == (
        worst.seconds * 1000
    )


def test_a_leaf_takes_as_long_as_the_ports_of_its_hosts() -> None:
    for name in ("quickstart", "dual-tor"):
        plan = inventory_plan(name)
        recoveries = list_recoveries(plan, graceful=False)
        leaf, port = (time_moved(plan, scope, recoveries) for scope in ("leaf", "host-leaf"))
        assert leaf == port
        assert leaf is not None
        assert (leaf.dark_ms is None) == (not plan.hosts[0].bond)


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
    assert "TIMERS" not in table
