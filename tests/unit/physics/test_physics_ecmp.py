"""ECMP: load distribution, polarisation and what ASICs take."""

from __future__ import annotations

from math import lcm

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped_switches import switch

from fabricgen.physics.ecmp import (
    EXACT_FLOWS_MAX,
    GroupSet,
    busiest_link,
    effective_next_hops,
    exact_max_load,
    max_over_mean,
    refused_groups,
    widest_group,
)


@given(flows=st.integers(1, 80), links=st.integers(1, 40))
def test_bounds_of_the_expected_load(flows: int, links: int) -> None:
    load, more = exact_max_load(flows, links).expected, exact_max_load(flows + 1, links).expected
    assert max(1, flows / links) - 1e-9 <= load <= flows + 1e-9
    assert load <= more <= load + 1


def test_few_equal_flows_are_exact_and_many_are_near() -> None:
    assert busiest_link(EXACT_FLOWS_MAX, 16) == exact_max_load(EXACT_FLOWS_MAX, 16)
    many = busiest_link(2 * EXACT_FLOWS_MAX, 16)
    assert many.figure == "approximation"
    assert many.expected == pytest.approx(exact_max_load(2 * EXACT_FLOWS_MAX, 16).expected, rel=1e-3)
    assert max_over_mean(1, 16) == 16


@given(widths=st.lists(st.integers(1, 12), min_size=1, max_size=4))
def test_polarisation_against_every_hash(widths: list[int]) -> None:
    """Follow every hash value and count, per place reached, which next hops are ever taken."""
    reached: dict[tuple[int, ...], set[int]] = {}
    for value in range(lcm(*widths)):
        taken = tuple(value % width for width in widths)
        for stage, hop in enumerate(taken):
            reached.setdefault(taken[:stage], set()).add(hop)
    by_stage = tuple({len(hops) for place, hops in reached.items() if len(place) == s} for s in range(len(widths)))
    assert tuple({used} for used in effective_next_hops(widths)) == by_stage


def test_group_limits_of_an_asic() -> None:
    asic = switch("dell_z9864f").asic
    assert (widest_group(asic, dynamic=False), widest_group(asic, dynamic=True)) == (4096, 64)
    assert refused_groups(asic, [GroupSet(64, 128)], dynamic=True) == ()
    refused = {
        "width": refused_groups(asic, [GroupSet(65, 1)], dynamic=True),
        "groups": refused_groups(asic, [GroupSet(8, 100), GroupSet(4, 29)], dynamic=True),
        "members": refused_groups(asic, [GroupSet(100, 640), GroupSet(1, 1)], dynamic=False),
    }
    assert all([word in each.facts for each in found] == [True] for word, found in refused.items())
    every = refused_groups(asic, [GroupSet(5000, 5000)], dynamic=False)
    assert {word for each in every for word in refused if word in each.facts} == set(refused)


def test_limits_nobody_published_are_not_checked() -> None:
    asic = switch("dell_z9864f").asic._replace(
        ecmp_width_max=None, ecmp_groups_max=None, ecmp_members_max=None, dlb_width_max=None, dlb_groups_max=None
    )
    assert widest_group(asic, dynamic=True) is None
    assert refused_groups(asic, [GroupSet(10_000, 10_000)], dynamic=True) == ()
