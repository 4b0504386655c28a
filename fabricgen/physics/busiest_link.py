"""Load of the busiest of several equal links over which flows are hashed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import gcd

from fabricgen.physics.ecmp import exact_max_load
from fabricgen.physics.ecmp_many import approximate_max_load
from fabricgen.physics.max_load import MaxLoad

EXACT_FLOWS_MAX = 1024
"""Up to so many equal flows the distribution is exact; it takes a fifth of a second there."""
EXACT_PAIR_FLOWS_MAX = 16_384
"""The same for two links, where the distribution is cheap and the approximation weakest."""
ENUMERATED_FLOWS_MAX = 8
"""Up to so many flows of several sizes every way to place them is counted."""


def busiest_link(sizes: Mapping[int, int], links: int) -> MaxLoad:
    """Return the distribution of the load of the busiest link; flows are hashed independently and uniformly.

    Args:
        sizes: Number of flows of each size, all above 0; sizes are whole numbers of some unit.
        links: Equal links, above 0.

    Returns:
        Exact for few flows, see ``EXACT_FLOWS_MAX`` and ``ENUMERATED_FLOWS_MAX``; else a close approximation.
    """
    unit = gcd(*sizes)
    found = _busiest(tuple(sorted((size // unit, count) for size, count in sizes.items())), links)
    return found if unit == 1 else _scaled(found, unit)


def max_over_mean(flows: int, links: int) -> float:
    """Return the expected load of the busiest link over the mean, for equal flows.

    Source:
        Gangidi et al., RDMA over Ethernet for Distributed AI Training at Meta Scale, SIGCOMM 2024: the max-mean ratio.
    """
    return busiest_link({1: flows}, links).expected * links / flows


@lru_cache(maxsize=4096)
def _busiest(sizes: tuple[tuple[int, int], ...], links: int) -> MaxLoad:
    flows = sum(count for _, count in sizes)
    if links == 1:
        return MaxLoad(sum(size * count for size, count in sizes), ())
    if len(sizes) == 1 and flows <= (EXACT_PAIR_FLOWS_MAX if links == 2 else EXACT_FLOWS_MAX):
        return exact_max_load(flows, links)
    if flows <= ENUMERATED_FLOWS_MAX:
        return _enumerated([size for size, count in sizes for _ in range(count)], links)
    return approximate_max_load(dict(sizes), links)


def _enumerated(sizes: list[int], links: int) -> MaxLoad:
    """Place every flow on every link; links are alike, so only the loads that occur count."""
    found: dict[tuple[int, ...], float] = {(): 1.0}
    for size in sizes:
        placed: dict[tuple[int, ...], float] = {}
        for loads, share in found.items():
            for at in range(min(len(loads) + 1, links)):
                chance = share / links if at < len(loads) else share * (links - len(loads)) / links
                after = tuple(sorted((*loads[:at], (loads[at] if at < len(loads) else 0) + size, *loads[at + 1 :])))
                placed[after] = placed.get(after, 0.0) + chance
        found = placed
    least, most = min(loads[-1] for loads in found), sum(sizes)
    at_most = [sum(share for loads, share in found.items() if loads[-1] <= load) for load in range(least, most)]
    return MaxLoad(least, tuple(min(share, 1.0) for share in at_most))


def _scaled(load: MaxLoad, unit: int) -> MaxLoad:
    """Return the same distribution in a unit so many times smaller."""
    at_most = tuple(share for share in load.at_most for _ in range(unit))
    return load._replace(least=load.least * unit, at_most=at_most)
