"""A name leads back to the host or switch that bears it, whatever the pattern."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.names import find_host, find_switch

INVENTORIES = Path(__file__).parents[3] / "inventories"
PATTERNS = ["p{pod}{unit}{host}", "{group}1{unit:03}0{host}", "u{unit}-{host:02}-{unit}", "{host}.{unit:04}"]
SWITCHES = ["l{unit}{group}{plane}{index}", "{plane}-{unit}-r{rail}x{index:02}", "r{rail}.{index}.{unit}.{plane}"]


def planned(name: str) -> FabricPlan:
    compiled = compile_inventory(INVENTORIES / name, (), Bag(), today=date(2026, 11, 1))
    assert compiled is not None
    assert compiled.plan is not None
    return compiled.plan


@pytest.mark.parametrize("name", ["quickstart", "irregular", "dual-tor", "dual-plane"])
def test_every_name_leads_back(name: str) -> None:
    plan = planned(name)
    assert [find_host(plan, plan.host_name(host)) for host in plan.all_hosts()] == [*plan.all_hosts()]
    assert [find_switch(plan, plan.device_name(switch)) for switch in plan.switches()] == [*plan.switches()]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_numbers_side_by_side_are_told_apart_by_trying(pattern: str) -> None:
    plan = planned("quickstart")
    plan = plan._replace(hosts=tuple(replace(group, name_pattern=pattern) for group in plan.hosts))
    for host in plan.all_hosts():
        found = find_host(plan, plan.host_name(host))
        assert found is not None
        assert plan.host_name(found) == plan.host_name(host)


@pytest.mark.parametrize("pattern", SWITCHES)
def test_patterns_of_switches_are_solved(pattern: str) -> None:
    plan = planned("dual-plane")
    plan = plan._replace(tiers=(plan.tiers[0]._replace(name_pattern=pattern),))
    for switch in plan.switches():
        found = find_switch(plan, plan.device_name(switch))
        assert found is not None
        assert plan.device_name(found) == plan.device_name(switch)


@pytest.mark.parametrize(
    "name", ["", "gpu-u001", "gpu-u099-h01", "gpu-u001-h99", "gpu-u1-h1", "gpu-u001-h01x", "{host}"]
)
def test_other_names_lead_nowhere(name: str) -> None:
    plan = planned("quickstart")
    assert find_host(plan, name) is None
    assert find_switch(plan, name) is None


def test_what_is_absent_has_no_name() -> None:
    assert find_host(planned("irregular"), "gpu-u003-h02") is None
