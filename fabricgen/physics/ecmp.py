"""ECMP arithmetic: how unevenly hashing spreads equal flows over equal links, exactly."""

from __future__ import annotations

from math import ceil, exp, lgamma, log
from operator import mul
from typing import NamedTuple

from fabricgen.physics.max_load import SETTLED, MaxLoad

NEGLIGIBLE = 1e-18
"""Weights below this part of the largest are left out; they are far below the last digit of any result."""


def exact_max_load(flows: int, links: int) -> MaxLoad:
    """Return the distribution of the number of flows on the most loaded link, exactly.

    Flows are equal and hashed independently and uniformly. With Poisson loads the links are independent, and given that
    the loads add up to ``flows`` they have the distribution wanted: the probability that no link has more than k flows
    is one coefficient of a power of the Poisson weights cut at k. Every term is positive, so nothing cancels.

    Args:
        flows: Flows, above 0.
        links: Equal links, above 0.

    Returns:
        Loads in flows; probabilities to about nine digits. A thousand flows over 16 links take a fifth of a second.

    Source:
        Mitzenmacher and Upfal, Probability and Computing, theorem 5.6: loads are Poisson given their sum.
    """
    mean = flows / links
    weights = [exp(i * log(mean) - mean - lgamma(i + 1)) for i in range(flows + 1)]
    total = exp(flows * log(flows) - flows - lgamma(flows + 1))
    least = ceil(mean)
    at_most: list[float] = []
    for load in range(least, flows):
        at_most.append(min(_sum_weight(weights[: load + 1], links, flows) / total, 1.0))
        if 1 - at_most[-1] < SETTLED:
            break
    return MaxLoad(least, tuple(at_most))


class _Series(NamedTuple):
    """Coefficients from degree ``first`` upwards."""

    first: int
    weights: list[float]


def _sum_weight(weights: list[float], links: int, flows: int) -> float:
    """Coefficient of degree ``flows`` in the ``links``-th power of a polynomial."""
    single = _trimmed(0, weights)
    half = _Series(0, [1.0])
    for bit in f"{links // 2:b}" if links > 1 else "":
        half = _product(half, half)
        if bit == "1":
            half = _product(half, single)
    other = _product(half, single) if links % 2 else half
    first = max(half.first, flows - other.first - len(other.weights) + 1)
    last = min(half.first + len(half.weights), flows - other.first + 1)
    if first >= last:
        return 0.0
    matching = other.weights[flows - other.first - last + 1 : flows - other.first - first + 1]
    return float(sum(map(mul, half.weights[first - half.first : last - half.first], reversed(matching))))


def _product(one: _Series, two: _Series) -> _Series:
    """The product of two polynomials, negligible ends cut off."""
    long, short = (one, two) if len(one.weights) >= len(two.weights) else (two, one)
    width = len(short.weights)
    backwards = short.weights[::-1]
    weights = []
    for degree in range(len(long.weights) + width - 1):
        start = max(degree - width + 1, 0)
        weights.append(sum(map(mul, long.weights[start : degree + 1], backwards[start - degree + width - 1 :])))
    return _trimmed(long.first + short.first, weights)


def _trimmed(first: int, weights: list[float]) -> _Series:
    """A series without the negligible weights at either end."""
    least = max(weights) * NEGLIGIBLE
    kept = [at for at, weight in enumerate(weights) if weight > least]
    return _Series(first + kept[0], weights[kept[0] : kept[-1] + 1]) if kept else _Series(first, [0.0])
