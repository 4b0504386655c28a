"""Ways to spread a connection over equal links: how many flows each makes of its queue pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from fractions import Fraction
from math import ceil, lcm
from typing import NamedTuple

from fabricgen.analysis.flows import Connection
from fabricgen.physics.ecmp import MaxLoad, busiest_link

UNITS_MAX = 20_000
"""Sizes of flows are rounded so that a link has no more units on average."""


class HashMode(NamedTuple):
    """A way to spread.

    Attributes:
        name: Its column.
        queue_pairs: Flows that the hash tells apart in each connection; 0 for the queue pairs it has.
        balanced: Flows are not hashed: each is placed on the least loaded link.
        sprayed: Every packet takes another link.
    """

    name: str
    queue_pairs: int = 0
    balanced: bool = False
    sprayed: bool = False


class HashSpread(NamedTuple):
    """Load of the busiest of some links.

    Attributes:
        load: Its distribution, in units.
        unit: How much of a connection of weight 1 a unit is.
        flows: How many flows there are.
        links: Links over which they are hashed.
        mean: Mean load of a link, in units.
        sprayed: Every link gets the mean.
    """

    load: MaxLoad
    unit: Fraction
    flows: int
    links: int
    mean: Fraction
    sprayed: bool = False

    @property
    def ratio(self) -> float:
        """Return the expected load of the busiest link over the mean."""
        return 1.0 if self.sprayed else self.load.expected / float(self.mean)

    @property
    def ratio_p99(self) -> float:
        """Return the same for the 99th percentile."""
        return 1.0 if self.sprayed else self.load.quantile(0.99) / float(self.mean)


def flow_sizes(connections: Mapping[Connection, int], mode: HashMode, queue_pairs: int) -> Counter[Fraction]:
    """Return the flows of some connections: how many there are of each size.

    Args:
        connections: Number of connections of each kind, all above 0.
        mode: How they are spread.
        queue_pairs: Queue pairs of a connection that has no number of its own.
    """
    sizes: Counter[Fraction] = Counter()
    for kind, count in connections.items():
        pairs = mode.queue_pairs or kind.queue_pairs or queue_pairs
        sizes[Fraction(kind.weight, pairs)] += count * pairs
    return sizes


def common_unit(sizes: Collection[Fraction], mean_max: Fraction) -> Fraction:
    """Return the unit of which all sizes are whole numbers, or if a link had too many of it one that they are nearly.

    Args:
        sizes: Sizes of flows.
        mean_max: The largest mean load of a link.
    """
    if len({*sizes}) == 1:
        return next(iter(sizes))
    return max(Fraction(1, lcm(*(size.denominator for size in sizes))), mean_max / UNITS_MAX)


def spread_flows(sizes: Mapping[Fraction, int], links: int, mode: HashMode, unit: Fraction) -> HashSpread:
    """Return how flows load equal links.

    Args:
        sizes: How many there are of each size, all above 0.
        links: Equal links.
        mode: How they are spread.
        unit: Unit of sizes.
    """
    whole: Counter[int] = Counter()
    for size, count in sizes.items():
        whole[max(1, round(size / unit))] += count
    mean = Fraction(sum(size * count for size, count in whole.items()), links)
    return HashSpread(_load(whole, links, mode, mean), unit, sum(sizes.values()), links, mean, mode.sprayed)


def _load(sizes: Mapping[int, int], links: int, mode: HashMode, mean: Fraction) -> MaxLoad:
    if mode.sprayed:
        return MaxLoad(ceil(mean), ())
    if mode.balanced:
        largest = max(sizes)
        return MaxLoad(max(largest, ceil(mean / largest) * largest if len(sizes) == 1 else ceil(mean)), ())
    return busiest_link(sizes, links)
