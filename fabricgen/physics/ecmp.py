"""ECMP arithmetic: how unevenly hashing spreads flows over equal links."""

from __future__ import annotations

from math import ceil, exp, lgamma, log, sqrt
from operator import mul
from typing import NamedTuple

from fabricgen.physics.refusal import Refusal

EXACT_FLOWS_MAX = 4096
"""Beyond this the exact distribution takes seconds; `approximate_max_load` serves there."""

NEGLIGIBLE = 1e-18
"""Weights below this part of the largest are left out; they are far below the last digit of any result."""

SETTLED = 1e-10
"""The sum ends where the most loaded link exceeds a load with less probability than this."""


def expected_max_load(flows: int, links: int) -> float | Refusal:
    """Expected number of flows on the most loaded link, exactly.

    Flows are equal and hashed independently and uniformly. With Poisson loads the links are independent, and given that
    the loads add up to ``flows`` they have the distribution wanted: the probability that no link has more than k flows
    is one coefficient of a power of the Poisson weights cut at k. Every term is positive, so nothing cancels.

    Args:
        flows: Flows, above 0.
        links: Equal links, above 0.

    Returns:
        Flows, to about nine digits; or the refusal FG-RTE-020 above ``EXACT_FLOWS_MAX`` flows. A thousand flows over
        16 links take a third of a second.

    Source:
        Mitzenmacher and Upfal, Probability and Computing, theorem 5.6: loads are Poisson given their sum.
    """
    if flows > EXACT_FLOWS_MAX:
        return Refusal("FG-RTE-020", {"flows": flows, "flows_max": EXACT_FLOWS_MAX})
    mean = flows / links
    weights = [exp(i * log(mean) - mean - lgamma(i + 1)) for i in range(flows + 1)]
    total = exp(flows * log(flows) - flows - lgamma(flows + 1))
    least = ceil(mean)
    expected = float(least)
    for load in range(least, flows):
        exceeded = 1 - _sum_weight(weights[: load + 1], links, flows) / total
        if exceeded < SETTLED:
            break
        expected += exceeded
    return expected


def approximate_max_load(flows: int, links: int) -> float:
    """Expected load of the most loaded link, for very many flows (``flows`` far above ``links * ln(links)``).

    A few percent too high in the range where the exact figure is within reach.

    Source:
        Raab and Steger, Balls into Bins: A Simple and Tight Analysis (RANDOM 1998), theorem 1.
    """
    mean = flows / links
    return mean + sqrt(2 * mean * log(links))


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
