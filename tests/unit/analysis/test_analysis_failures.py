"""Failures of whole fabrics against what follows from their counts; a lost host takes its own pairs with it alone."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from analysis_fabrics import INVENTORIES, inventory_plan

from fabricgen.analysis.cells import Symmetry
from fabricgen.analysis.failures import Effect, PlanFailures, list_lost_hosts, measure_reachability
from fabricgen.plan.model.cabling import host_links_of_host
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.failure_rows import lost_host_rows
from tests.command_line import run_here


def effects(plan: FabricPlan, scope: str) -> list[Effect]:
    failures = PlanFailures(Symmetry(plan))
    return [failures.effect(each) for each in failures.single([scope])]


@pytest.mark.parametrize("name", ["quickstart", "rail-1k", "rail-8k"])
def test_a_lost_spine_leaves_the_others_its_share(name: str) -> None:
    plan = inventory_plan(name)
    (lost,) = effects(plan, "spine")
    spines = plan.tiers[1].size
    assert lost.size == spines
    assert lost.worst.now / lost.worst.planned == Fraction(spines, spines - 1)
    assert lost.widths[0, True] == (spines * plan.links[1].per_pair, (spines - 1) * plan.links[1].per_pair)
    assert not lost.cut
    assert lost.bandwidth == min(Fraction(1), 1 / lost.worst.now)


@pytest.mark.parametrize("name", ["quickstart", "rail-8k"])
def test_a_lost_port_cuts_its_nic_off_from_every_other_of_the_rail(name: str) -> None:
    plan = inventory_plan(name)
    (lost,) = effects(plan, "host-leaf")
    hosts = plan.hosts[0].per_unit * plan.tiers[0].counts.unit
    assert lost.size == hosts * len(plan.hosts[0].rails)
    assert lost.cut == {0: 2 * (hosts - 1)}
    assert lost.bandwidth == 0


def test_a_bond_over_two_leafs_halves_and_cuts_nothing() -> None:
    plan = inventory_plan("dual-tor")
    for scope in ("leaf", "host-leaf"):
        (lost,) = effects(plan, scope)
        assert not lost.cut
        assert not lost.reduced
        assert lost.bandwidth == Fraction(1, 2)


def test_a_bond_over_planes_loses_what_senders_put_into_the_plane() -> None:
    plan = inventory_plan("hpn7-pod")
    (lost,) = effects(plan, "host-leaf")
    hosts = plan.hosts[0].per_unit * plan.tiers[0].counts.unit
    assert lost.reduced == {0: hosts - 1}
    assert lost.arriving == Fraction(1, plan.tiers[0].counts.plane)


@pytest.mark.parametrize("name", ["quickstart", "hpn7-pod", "dual-tor"])
def test_flows_are_lost_where_pairs_lose_traffic(name: str) -> None:
    failures = PlanFailures(Symmetry(inventory_plan(name)))
    for each in failures.single():
        effect = failures.effect(each)
        reach = measure_reachability(failures, effect)
        assert bool(reach.lost) == bool(effect.cut or effect.reduced)
        assert reach.with_a_path == reach.pairs - sum(effect.cut.values())
        assert reach.hit >= reach.lost


def test_two_failures_show_what_stays_lost() -> None:
    words = ("analyze", str(INVENTORIES / "dual-tor"), "failures", "--pairs", "host-leaf", "--format", "json")
    shown = json.loads(run_here(*words).stdout)
    cut = {row["class"]: row["pairs_cut"] for row in shown["failures"]}
    for row in shown["reachability"]:
        assert row["pairs"] - row["pairs_with_a_path"] == cut[row["class"]]
        assert row["flows_hit_pct"] is None
    assert {row["class"] for row in shown["reachability"]} == {number for number, pairs in cut.items() if pairs}


def test_links_of_every_class_are_listed_for_programs() -> None:
    shown = json.loads(run_here("analyze", str(INVENTORIES / "quickstart"), "failures", "--format", "json").stdout)
    for row in shown["failures"]:
        links = [each for each in shown["links"] if each["class"] == row["class"]]
        more = [each["load"] for each in links if each["load"] > each["planned_load"]]
        assert row["load"] == max(more, default=None)


def test_pairs_are_every_two_of_the_scopes() -> None:
    plan = inventory_plan("quickstart")
    words = ("analyze", str(INVENTORIES / "quickstart"), "failures", "--pairs", "spine,leaf-spine", "--format", "json")
    shown = json.loads(run_here(*words).stdout)
    elements = plan.tiers[1].size + plan.tiers[0].size * plan.links[1].width * plan.links[1].per_pair
    assert sum(row["count"] for row in shown["failures"]) == elements * (elements - 1) // 2


@pytest.mark.parametrize("scopes", ["rails", ",", "spine,spines"])
def test_unknown_scopes_are_a_usage_error_with_the_known_ones(scopes: str) -> None:
    done = run_here("analyze", str(INVENTORIES / "quickstart"), "failures", "--pairs", scopes).exits(2)
    assert "leaf, spine, host-leaf, leaf-spine" in " ".join(done.stderr.split())


def test_pairs_are_of_failures_only() -> None:
    run_here("analyze", str(INVENTORIES / "quickstart"), "capacity", "--pairs", "spine").exits(2)


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
