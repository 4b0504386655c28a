"""A host that fails takes its own pairs with it, and no others."""

from __future__ import annotations

import pytest
from analysis_fabrics import inventory_plan

from fabricgen.analysis.cells import Symmetry
from fabricgen.analysis.failures import PlanFailures, list_lost_hosts
from fabricgen.plan.model.links import host_links_of_host
from fabricgen.tables.lost_host_rows import lost_host_rows


@pytest.mark.parametrize("name", ["quickstart", "dual-tor", "dual-plane", "hpn7-pod", "irregular", "rail-8k"])
def test_every_host_is_in_a_class_and_only_its_own_pairs_are_cut(name: str) -> None:
    failures = PlanFailures(Symmetry(inventory_plan(name)))
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
    failures = PlanFailures(Symmetry(inventory_plan("quickstart")))
    plan = failures.symmetry.plan
    (row,) = lost_host_rows(failures)
    hosts, rails = plan.hosts[0].per_unit * plan.tiers[0].counts.unit, len(plan.hosts[0].rails)
    assert row["count"] == hosts
    assert row["ports_lost"] == rails
    assert row["leafs"] == rails // plan.hosts[0].rails_per_leaf
    assert row["pairs_of_the_host"] == 2 * (hosts - 1) * rails
    assert (row["other_pairs_cut"], row["links_with_more_load"]) == (0, 0)
