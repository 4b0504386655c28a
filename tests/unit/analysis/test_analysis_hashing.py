"""Polarisation of a planned fabric, held against following every hash value through it link by link."""

from __future__ import annotations

from dataclasses import replace

import pytest
from analysis_fabrics import inventory_plan

from fabricgen.analysis.hashing import HashStage, down_width, group_sets, hashing_stages
from fabricgen.analysis.timing import legal_pause, worst_failover
from fabricgen.physics.ecmp import GroupSet
from fabricgen.plan.model.cabling import downlinks, uplinks
from fabricgen.plan.model.fabric import FabricPlan


@pytest.fixture(scope="module")
def rail_1k() -> FabricPlan:
    return inventory_plan("rail-1k")


def test_equal_functions_leave_one_of_two_parallel_links(rail_1k: FabricPlan) -> None:
    assert [*hashing_stages(rail_1k, ["a", "b"])] == [HashStage(0, True, 32, 32, -1), HashStage(1, False, 2, 2, -1)]
    assert [*hashing_stages(rail_1k, ["a", "a"])][1] == HashStage(1, False, 2, 1, 0)


def test_equal_functions_against_every_hash_value(rail_1k: FabricPlan) -> None:
    """Next hops in link-major order, as routing sorts them by address: first link of every spine, then second links."""
    leaf, spine = rail_1k.tiers
    where = next(leaf.coordinates())
    hops = sorted(uplinks(rail_1k, leaf, where), key=lambda link: (link.lower_position % 2, link.lower_position))
    first = hops[0].upper
    back = [link for link in downlinks(rail_1k, spine, first) if link.lower == where]
    chosen = {back[value % len(back)] for value in range(10 * len(hops)) if hops[value % len(hops)].upper == first}
    assert len(chosen) == 1


def test_groups_of_a_spine_are_one_per_leaf_it_may_get(rail_1k: FabricPlan) -> None:
    leaf, spine = rail_1k.tiers
    assert group_sets(rail_1k, leaf) == [GroupSet(32, 2)]
    assert down_width(rail_1k, spine) == 2
    assert GroupSet(2, 64 + 1) in group_sets(rail_1k, spine)


def test_failover_counts_bfd_only_where_both_ends_run_it(rail_1k: FabricPlan) -> None:
    assert worst_failover(rail_1k).seconds == pytest.approx(0.9)
    spine = rail_1k.tiers[1]
    spine = spine._replace(routing=replace(spine.routing, bfd_lower=False))
    assert worst_failover(rail_1k._replace(tiers=(rail_1k.tiers[0], spine))).seconds == 9.0


def test_legal_pause_drains_two_buffers(rail_1k: FabricPlan) -> None:
    pause = legal_pause(rail_1k)
    drained_ms = 2 * 173_268_640 * 8 / 400e9 * 1000
    assert pause.milliseconds == pytest.approx(drained_ms + 65535 * 512 / 400e9 * 1000)
