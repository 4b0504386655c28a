"""Distribution of the busiest link: against every assignment, against the exact one, and for flows of several sizes."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import ceil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fabricgen.physics.ecmp import (
    ENUMERATED_FLOWS_MAX,
    MaxLoad,
    approximate_max_load,
    busiest_link,
    exact_max_load,
    largest_of,
)


def every_maximum(sizes: dict[int, int], links: int) -> list[int]:
    """The largest load of every equally likely assignment, in ascending order."""
    flows = [size for size, count in sizes.items() for _ in range(count)]
    found = []
    for choice in product(range(links), repeat=len(flows)):
        loads = [0] * links
        for link, size in zip(choice, flows, strict=True):
            loads[link] += size
        found.append(max(loads))
    return sorted(found)


@pytest.mark.parametrize(
    ("sizes", "links"),
    [({1: 7}, 3), ({3: 5}, 5), ({1: 4, 3: 3}, 4), ({2: 6, 5: 1, 7: 1}, 3), ({1: 3}, 1), ({4: 1}, 9), ({1: 9}, 2)],
)
def test_against_every_assignment(sizes: dict[int, int], links: int) -> None:
    """Expectation, percentile and every probability, link by link."""
    loads, found = every_maximum(sizes, links), busiest_link(sizes, links)
    assert found.figure == "exact"
    assert found.expected == pytest.approx(sum(loads) / len(loads))
    assert found.quantile(0.99) == loads[ceil(0.99 * len(loads)) - 1]
    assert [found.probability(load) for load in range(sum(sizes.values()) + 1)] == pytest.approx(
        [sum(each <= load for each in loads) / len(loads) for load in range(sum(sizes.values()) + 1)]
    )


@pytest.mark.parametrize(("flows", "links"), [(512, 60), (1000, 16), (1024, 3), (1024, 5), (1024, 64), (1024, 1024)])
def test_the_approximation_is_near_the_exact_distribution(flows: int, links: int) -> None:
    exact, near = exact_max_load(flows, links), approximate_max_load({1: flows}, links)
    assert near.expected == pytest.approx(exact.expected, rel=1e-3)
    assert near.quantile(0.99) == pytest.approx(exact.quantile(0.99), rel=0.02)


@given(sizes=st.dictionaries(st.integers(1, 9), st.integers(1, 60), min_size=1, max_size=4), links=st.integers(2, 24))
def test_bounds_of_flows_of_several_sizes(sizes: dict[int, int], links: int) -> None:
    found, total = busiest_link(sizes, links), sum(size * count for size, count in sizes.items())
    least = max(total / links, *sizes)
    assert least - 1e-9 <= found.expected
    assert found.expected <= found.quantile(0.99) + 0.01 * total
    assert list(found.at_most) == sorted(found.at_most)
    doubled = busiest_link({2 * size: count for size, count in sizes.items()}, links)
    assert doubled.expected == pytest.approx(2 * found.expected)


def test_several_sizes_meet_where_counting_ends_and_the_approximation_begins() -> None:
    sizes = {1: ENUMERATED_FLOWS_MAX - 2, 2: 2}
    assert approximate_max_load(sizes, 4).expected == pytest.approx(busiest_link(sizes, 4).expected, rel=0.03)


def test_the_largest_of_independent_groups() -> None:
    """Two groups of two links with two flows each: both are even with probability 1/4."""
    one = busiest_link({1: 2}, 2)
    both = largest_of([(one, 2)])
    assert (both.probability(1), both.probability(2)) == (pytest.approx(0.25), 1)
    assert both.expected == pytest.approx(1.75)
    mixed = largest_of([(one, 1), (MaxLoad(3, ()), 1)])
    assert (mixed.expected, mixed.quantile(0.99)) == (3, 3)
    assert Counter(largest_of([(each, 5)]).figure for each in (one, approximate_max_load({1: 9}, 2))) == {
        "exact": 1,
        "approximation": 1,
    }
