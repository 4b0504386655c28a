"""Distribution of the load of the most loaded of several links."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod
from typing import NamedTuple

SETTLED = 1e-10
"""A distribution ends where the most loaded link exceeds a load with less probability than this."""
EXACT = "exact"
APPROXIMATE = "approximation"


class MaxLoad(NamedTuple):
    """Distribution of the largest load.

    Attributes:
        least: The smallest load that it can be, in units of the flows' sizes.
        at_most: Probability that no link has more than ``least``, ``least + 1``, …; 1 above the last.
        figure: ``exact`` or ``approximation``.
    """

    least: int
    at_most: tuple[float, ...]
    figure: str = EXACT

    @property
    def expected(self) -> float:
        """Return the expected load of the most loaded link."""
        return self.least + sum(1 - share for share in self.at_most)

    def quantile(self, share: float) -> int:
        """Return the load that the most loaded link does not exceed with this probability.

        Args:
            share: The probability, 0.99 for the 99th percentile.
        """
        return self.least + sum(probability < share for probability in self.at_most)

    def probability(self, load: int) -> float:
        """Return the probability that no link has more than a load."""
        place = load - self.least
        if place < 0:
            return 0.0
        return self.at_most[place] if place < len(self.at_most) else 1.0


def largest_of(loads: Iterable[tuple[MaxLoad, int]]) -> MaxLoad:
    """Return the distribution of the most loaded link of several groups that are hashed independently.

    Args:
        loads: Distribution of each kind of group, with the number of such groups; at least one.
    """
    kinds = list(loads)
    least = max(load.least for load, _ in kinds)
    end = max(load.least + len(load.at_most) for load, _ in kinds)
    at_most = tuple(
        prod(kind.probability(load) ** count for kind, count in kinds) for load in range(least, max(end, least))
    )
    figure = APPROXIMATE if any(load.figure == APPROXIMATE for load, _ in kinds) else EXACT
    return MaxLoad(least, at_most, figure)
