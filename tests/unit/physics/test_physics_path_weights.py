"""Weights of next hops: what FRR installs, and what the links that are left then carry."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fabricgen.physics.path_weights import (
    HUNDREDTHS,
    SCALED_254,
    SCALED_255,
    UNPUBLISHED,
    factor_with_weights,
    factor_without_weights,
    path_weights,
    weigh_rest,
    weighting_rule,
)

RULES = (HUNDREDTHS, SCALED_254, SCALED_255, UNPUBLISHED)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("lost", range(1, 8))
def test_weights_are_better_than_none_and_never_better_than_exact_ones(rule: str, lost: int) -> None:
    exact, plain = factor_with_weights(2 * 8, lost), factor_without_weights(8, lost)
    assert exact <= weigh_rest(8, lost, 2, 8, rule).load < plain


def test_exact_weights_spread_the_loss_over_all_links() -> None:
    assert (factor_without_weights(8, 4), factor_with_weights(16, 4)) == (2, Fraction(4, 3))
    assert weigh_rest(8, 4, 2, 8, UNPUBLISHED).load == factor_with_weights(16, 4)


def test_hundredths_are_too_coarse_for_many_next_hops() -> None:
    rest = weigh_rest(16, 1, 2, 16, HUNDREDTHS)
    assert rest.fewer == rest.full
    assert rest.load == factor_without_weights(16, 1)


def test_one_switch_alone_has_nothing_to_choose() -> None:
    assert weigh_rest(4, 1, 1, 4, HUNDREDTHS).load == factor_without_weights(4, 1)


@pytest.mark.parametrize("rule", RULES)
def test_no_next_hop_is_left_without_weight(rule: str) -> None:
    assert min(path_weights([(1, 1), (1000, 127)], rule)) >= 1
    few, many = path_weights([(1, 8), (1, 8)], rule)
    assert few == many


@pytest.mark.parametrize(
    ("version", "rule"),
    [
        ("8.4.4", HUNDREDTHS),
        ("8.5.4", HUNDREDTHS),
        ("10.0.1", SCALED_255),
        ("10.3", SCALED_254),
        ("10.5.4", SCALED_255),
    ],
)
def test_each_version_has_its_own_granularity(version: str, rule: str) -> None:
    assert weighting_rule(version) == rule


def test_scaled_weights_are_cut_down() -> None:
    assert path_weights([(3, 4), (4, 4)], SCALED_255) == (Fraction(191), Fraction(255))
