"""A host that fails takes its own pairs with it, and no others."""

from __future__ import annotations

import pytest

from fabricgen.analysis.failures import PlanFailures
from fabricgen.analysis.lost_hosts import list_lost_hosts
from fabricgen.analysis.symmetry import Symmetry
from fabricgen.api import compile_inventory
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.links import host_links_of_host
from fabricgen.tables.lost_host_rows import lost_host_rows
from tests.acceptance.run import INVENTORIES


def failures_of(name: str) -> PlanFailures:
    made = compile_inventory(INVENTORIES / name, (), Bag())
    assert made is not None
    assert made.plan is not None
    return PlanFailures(Symmetry(made.plan))


@pytest.mark.parametrize("name", ["quickstart", "dual-tor", "dual-plane", "hpn7-pod", "irregular", "rail-8k"])
def test_every_host_is_in_a_class_and_only_its_own_pairs_are_cut(name: str) -> None:
    failures = failures_of(name)
    plan = failures.symmetry.plan
    found = list(list_lost_hosts(failures))
    serving = [host for host in plan.all_hosts() if host.host < plan.hosts[host.group].per_unit]
    out = {host for host, change in plan.exceptions.hosts.items() if change.state}
    assert sum(each.size for each in found) == len(set(serving) - out)
    for each in found:
        assert each.others_cut == 0
        assert each.effect.bandwidth == 0
        assert 0 < each.ports <= len(list(host_links_of_host(plan, each.host)))
        assert each.effect.after <= each.effect.before


def test_rows_count_what_goes_with_a_host() -> None:
    failures = failures_of("quickstart")
    plan = failures.symmetry.plan
    (row,) = lost_host_rows(failures)
    hosts, rails = plan.hosts[0].per_unit * plan.tiers[0].counts.unit, len(plan.hosts[0].rails)
    assert row["count"] == hosts
    assert row["ports_lost"] == rails
    assert row["leafs"] == rails // plan.hosts[0].rails_per_leaf
    assert row["pairs_of_the_host"] == 2 * (hosts - 1) * rails
    assert (row["other_pairs_cut"], row["links_with_more_load"]) == (0, 0)
