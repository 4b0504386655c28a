"""Distribution of the busiest link: against every assignment and against the exact one."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import ceil

import pytest

from fabricgen.physics.ecmp import MaxLoad, approximate_max_load, busiest_link, exact_max_load, largest_of


@pytest.mark.parametrize(("flows", "links"), [(7, 3), (5, 5), (3, 1), (1, 9), (9, 2)])
def test_against_every_assignment(flows: int, links: int) -> None:
    """Expectation, percentile and every probability, link by link."""
    loads = sorted(max(Counter(choice).values()) for choice in product(range(links), repeat=flows))
    found = busiest_link(flows, links)
    assert found.figure == "exact"
    assert found.expected == pytest.approx(sum(loads) / len(loads))
    assert found.quantile(0.99) == loads[ceil(0.99 * len(loads)) - 1]
    assert [found.probability(load) for load in range(flows + 1)] == pytest.approx(
        [sum(each <= load for each in loads) / len(loads) for load in range(flows + 1)]
    )


@pytest.mark.parametrize(("flows", "links"), [(512, 60), (1000, 16), (1024, 3), (1024, 5), (1024, 64), (1024, 1024)])
def test_the_approximation_is_near_the_exact_distribution(flows: int, links: int) -> None:
    exact, near = exact_max_load(flows, links), approximate_max_load(flows, links)
    assert near.expected == pytest.approx(exact.expected, rel=1e-3)
    assert near.quantile(0.99) == pytest.approx(exact.quantile(0.99), rel=0.02)


def test_the_largest_of_independent_groups() -> None:
    """Two groups of two links with two flows each: both are even with probability 1/4."""
    one = busiest_link(2, 2)
    both = largest_of([(one, 2)])
    assert (both.probability(1), both.probability(2)) == (pytest.approx(0.25), 1)
    assert both.expected == pytest.approx(1.75)
    mixed = largest_of([(one, 1), (MaxLoad(3, ()), 1)])
    assert (mixed.expected, mixed.quantile(0.99)) == (3, 3)
    assert [largest_of([(it, 5)]).figure for it in (one, approximate_max_load(9, 2))] == ["exact", "approximation"]
