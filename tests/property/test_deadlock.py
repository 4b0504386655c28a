"""The analysis of deadlocks says what the brute force over every link and failure says."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from fabricgen.analysis.deadlock.analysis import analyze_deadlock
from fabricgen.analysis.deadlock.turns import plan_rules
from fabricgen.checks.forwarding_rules import find_valleys, read_rules
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.views.policy import DENY, DESCENDED, LOWER, PERMIT, UPPER, RoutePolicy, Statement
from tests.acceptance.run import INVENTORIES, plan_of
from tests.property.buffer_graph import Graph, Habits
from tests.property.deadlock_sites import PLANTED, SOUND, Site
from tests.property.routed_fabrics import LONG, SHARES, judge_share

SMALL = ("quickstart", "dual-plane", "dual-tor", "irregular", "two-halls")
"""Inventories of which every state of two failures is computed."""
_SIDES = [(side, way) for side in (UPPER, LOWER) for way in ("IN", "OUT")]
PATIENCE = 1_500_000 if LONG else 150_000
"""Links to look at in all states of a random fabric, for all its rails: a second or two of brute force, or ten."""


def judged(plan: FabricPlan) -> int | None:
    """Return how many failures the analysis needs for a cycle; None if it certifies that there is none."""
    found = analyze_deadlock(plan, read_rules(plan))
    return found.cycles[0].losses if found.cycles else None


@pytest.mark.parametrize("name", [*SMALL, "tor-25", "meta-llama3-24k"])
def test_the_rendered_policies_have_no_valley(name: str) -> None:
    plan = plan_of(INVENTORIES / name)
    assert read_rules(plan) == plan_rules(plan)


def test_a_policy_that_forgets_the_mark_or_lets_it_pass_has_a_valley() -> None:
    pairs = [(RoutePolicy(f"{side}_{way}", side, way == "IN", False, (), {}), side, way) for side, way in _SIDES]
    deny = Statement(10, "descended", DENY, "", DESCENDED, "", False, False, {})
    let = Statement(20, "fabric", PERMIT, "FABRIC", "", "", False, False, {})
    told = {
        (UPPER, "IN"): (replace(let, adds=DESCENDED),),
        (UPPER, "OUT"): (deny, let),
        (LOWER, "IN"): (deny, let),
        (LOWER, "OUT"): (let,),
    }
    tier = {(side, way == "IN"): replace(policy, statements=told[side, way]) for policy, side, way in pairs}
    unmarked = {**tier, (UPPER, True): replace(tier[UPPER, True], statements=(let,))}
    open_out = {**tier, (UPPER, False): replace(tier[UPPER, False], statements=(let,))}
    open_in = {**tier, (LOWER, True): replace(tier[LOWER, True], statements=(let, deny))}
    assert find_valleys([tier, tier, tier]) == frozenset()
    assert find_valleys([unmarked, tier, tier]) == {0}
    assert find_valleys([tier, open_out, open_in]) == {1}
    assert find_valleys([open_out, tier, open_in]) == frozenset()


@pytest.mark.parametrize("name", SMALL)
def test_the_verdict_on_an_inventory_is_that_of_brute_force(name: str) -> None:
    plan = plan_of(INVENTORIES / name)
    assert judged(plan) == Graph(plan, Habits()).cyclic_after()


@pytest.mark.parametrize("share", range(SHARES))
def test_the_verdict_on_a_random_fabric_is_that_of_brute_force(share: int) -> None:
    judge_share(share, judge_verdict)


def judge_verdict(plan: FabricPlan) -> None:
    """Require the same number of failures, as far as brute force gets in time."""
    graph, found = Graph(plan, Habits()), judged(plan)
    if not plan.contract.lossless:
        assert found is None
        return
    limit = next((limit for limit in (2, 1) if graph.price(limit) <= PATIENCE), 0)
    assert graph.cyclic_after(limit) == (found if found is not None and found <= limit else None)


@pytest.mark.parametrize("site", PLANTED, ids=lambda site: site.name)
def test_a_planted_deadlock_is_found_with_as_many_failures_as_brute_force_needs(site: Site, tmp_path: Path) -> None:
    plan = site.plan(tmp_path)
    found = analyze_deadlock(plan, site.rules)
    assert found.cycles
    assert found.cycles[0].losses == Graph(plan, site.habits).cyclic_after()


@pytest.mark.parametrize("site", SOUND, ids=lambda site: site.name)
def test_a_sound_site_is_certified_as_brute_force_finds_no_cycle(site: Site, tmp_path: Path) -> None:
    plan = site.plan(tmp_path)
    assert analyze_deadlock(plan, site.rules).cycles == ()
    assert Graph(plan, site.habits).cyclic_after(1) is None
