"""Detection times of failures, per link, from the features of the platforms at both of its ends."""

from __future__ import annotations

import pytest
from analysis_fabrics import inventory_plan

from fabricgen.analysis.timing import list_detections
from fabricgen.tables.timers import list_timers


def test_bfd_needs_both_ends_of_a_link() -> None:
    sides = {
        tier.name: (tier.routing.bfd_lower, tier.routing.bfd_upper) for tier in inventory_plan("meta-llama3-24k").tiers
    }
    assert sides == {"leaf": (False, False), "spine": (False, True), "core": (True, False)}


def test_links_without_bfd_are_noticed_by_the_hold_timer() -> None:
    found = {each.link: (each.bfd, each.seconds) for each in list_detections(inventory_plan("meta-llama3-24k"))}
    assert found == {"leaf-spine": (False, 9.0), "spine-core": (True, pytest.approx(0.9))}


def test_the_timer_table_says_it_per_link_and_lists_bfd_only_where_it_runs() -> None:
    rows = list_timers(inventory_plan("meta-llama3-24k"), graceful=False)
    noticed = {row["scope"]: row["milliseconds"] for row in rows if row["timer"] == "silent neighbour noticed"}
    assert noticed == {"leaf-spine": 9000, "spine-core": 900}
    assert {row["scope"] for row in rows if row["layer"] == "BFD"} == {"spine", "core"}
    assert not [
        row for row in list_timers(inventory_plan("quickstart", "mixed-fboss"), graceful=False) if row["layer"] == "BFD"
    ]
