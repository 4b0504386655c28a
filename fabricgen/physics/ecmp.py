"""ECMP: how unevenly hashing spreads flows over equal links, what an ASIC holds, and a field that it hashes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate
from math import ceil, exp, gcd, lcm, lgamma, log, prod, sqrt
from operator import mul
from typing import NamedTuple

from fabricgen.catalog.records import Asic
from fabricgen.physics import Refusal

NEGLIGIBLE = 1e-18
"""Weights below this part of the largest are left out; they are far below the last digit of any result."""


def exact_max_load(flows: int, links: int) -> MaxLoad:
    """Return the distribution of the number of flows on the most loaded link, exactly.

    Flows are equal and hashed independently and uniformly. With Poisson loads the links are independent, and given that
    the loads add up to ``flows`` they have the distribution wanted: the probability that no link has more than k flows
    is one coefficient of a power of the Poisson weights cut at k. Every term is positive, so nothing cancels: there are
    about nine digits. A thousand flows over 16 links take a fifth of a second.

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


_REACH = 14
"""Standard deviations above the mean beyond which a link's load is not followed."""


class _Cut(NamedTuple):
    """One link's load as far as it is not above some load: probability, mean, variance and skewness."""

    share: float
    mean: float
    variance: float
    skewness: float


def approximate_max_load(flows: int, links: int) -> MaxLoad:
    """Return the distribution of the number of flows on the most loaded link, nearly.

    The loads are those of independent links with Poisson loads, given that they add up to all there is. The
    probability that no link has more than k is that of independent links, times the density of the sum of their cut
    loads at the total over that of the uncut loads. Both densities are Edgeworth's, to the third moment. From 512 flows
    on the expected load is within 0.1 % of the exact one, and the 99th percentile within 2 %.

    Source:
        Levin, A Representation for Multinomial Cumulative Distribution Functions, Annals of Statistics 9 (1981),
        pages 1123 to 1126.
    """
    mean = flows / links
    least = ceil(mean)
    at_most: list[float] = []
    for cut in _cuts(mean, least):
        away = -cut.mean * sqrt(links / cut.variance)
        skewed = 1 + cut.skewness / (6 * sqrt(links)) * (away**3 - 3 * away)
        share = cut.share**links * sqrt(mean / cut.variance) * exp(-away * away / 2) * max(skewed, 0.0)
        at_most.append(min(max(share, at_most[-1] if at_most else 0.0), 1.0))
        if 1 - at_most[-1] < SETTLED:
            break
    return MaxLoad(least, tuple(at_most), APPROXIMATE)


def _cuts(mean: float, least: int) -> Iterator[_Cut]:
    """Yield a link's Poisson load cut at ``least``, ``least + 1`` and so on; means are relative to ``mean``."""
    highest = ceil(mean + _REACH * (sqrt(mean) + 1))
    loads = [exp(load * log(mean) - mean - lgamma(load + 1)) for load in range(highest + 1)]
    moments = zip(
        *(accumulate([share * (load - mean) ** power for load, share in enumerate(loads)]) for power in range(4)),
        strict=True,
    )
    for load, (share, first, second, third) in enumerate(moments):
        if load < least or share <= 0:
            continue
        middle = first / share
        variance = second / share - middle * middle
        if variance > 0:
            skew = third / share - 3 * middle * second / share + 2 * middle**3
            yield _Cut(share, middle, variance, skew / variance**1.5)


EXACT_FLOWS_MAX = 1024
"""Up to so many equal flows the distribution is exact; it takes a fifth of a second there."""
EXACT_PAIR_FLOWS_MAX = 16_384
"""The same for two links, where the distribution is cheap and the approximation weakest."""


@lru_cache(maxsize=4096)
def busiest_link(flows: int, links: int) -> MaxLoad:
    """Return the distribution of the load of the busiest of equal links, above 0, flows being hashed uniformly.

    It is exact for few flows, see ``EXACT_FLOWS_MAX``; else a close approximation.
    """
    if links == 1:
        return MaxLoad(flows, ())
    exact = flows <= (EXACT_PAIR_FLOWS_MAX if links == 2 else EXACT_FLOWS_MAX)
    return exact_max_load(flows, links) if exact else approximate_max_load(flows, links)


def max_over_mean(flows: int, links: int) -> float:
    """Return the expected load of the busiest link over the mean, for equal flows.

    Source:
        Gangidi et al., RDMA over Ethernet for Distributed AI Training at Meta Scale, SIGCOMM 2024: the max-mean ratio.
    """
    return busiest_link(flows, links).expected * links / flows


SETTLED = 1e-10
"""A distribution ends where the most loaded link exceeds a load with less probability than this."""
EXACT = "exact"
APPROXIMATE = "approximation"


class MaxLoad(NamedTuple):
    """Distribution of the largest load.

    Attributes:
        least: The smallest load that it can be, in flows.
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
        """Return the load that the most loaded link does not exceed with this probability, such as 0.99."""
        return self.least + sum(probability < share for probability in self.at_most)

    def probability(self, load: int) -> float:
        """Return the probability that no link has more than a load."""
        place = load - self.least
        if place < 0:
            return 0.0
        return self.at_most[place] if place < len(self.at_most) else 1.0


def largest_of(loads: Iterable[tuple[MaxLoad, int]]) -> MaxLoad:
    """Return the distribution of the most loaded link of some groups, of each kind so many, hashed independently."""
    kinds = list(loads)
    least = max(load.least for load, _ in kinds)
    end = max(load.least + len(load.at_most) for load, _ in kinds)
    at_most = tuple(
        prod(kind.probability(load) ** count for kind, count in kinds) for load in range(least, max(end, least))
    )
    figure = APPROXIMATE if any(load.figure == APPROXIMATE for load, _ in kinds) else EXACT
    return MaxLoad(least, at_most, figure)


def effective_next_hops(widths: Sequence[int]) -> tuple[int, ...]:
    """Next hops that each of several stages really uses if all hash with the same function, seed and fields.

    A stage that picks ``hash mod m`` leaves only flows with one remainder to the next. What the stages so far have in
    common with a stage's width is no choice any more: of m next hops, m / gcd(m, lcm of the widths before) remain.
    A stage is every place that hashes, in the order a packet passes them: a tier, and the bundle behind a next hop
    where parallel links are one. Parallel links that are next hops of their own belong to their tier's width.

    Source:
        Arithmetic of modulo hashing. The fault in the field: sonic-net/sonic-buildimage issue 17215; Qian et al.,
        Alibaba HPN (SIGCOMM 2024), section on hash polarisation.
    """
    used = []
    settled = 1
    for width in widths:
        used.append(width // gcd(width, settled))
        settled = lcm(settled, width)
    return tuple(used)


class GroupSet(NamedTuple):
    """Groups of one width that exist at the same time."""

    width: int
    groups: int


def widest_group(asic: Asic, *, dynamic: bool) -> int | None:
    """Next hops that one group can have; None if unpublished. One that balances by load (DLB, ARS) has its own limit.

    Source:
        The ASIC's file in the catalog (facebook/fboss hw/switch_asics).
    """
    return _least(asic.ecmp_width_max, asic.dlb_width_max) if dynamic else asic.ecmp_width_max


def refused_groups(asic: Asic, sets: Sequence[GroupSet], *, dynamic: bool) -> tuple[Refusal, ...]:
    """Return why an ASIC cannot hold these groups at the same time; unpublished limits are not checked.

    There is a group for each set of next hops that some prefix has, failures included. A refusal FG-RTE-012 each is for
    one too wide, too many of them and too many members in all; its facts have ``width``, ``groups`` or ``members``.
    """
    groups_max = _least(asic.ecmp_groups_max, asic.dlb_groups_max) if dynamic else asic.ecmp_groups_max
    held = (
        ("width", max((each.width for each in sets), default=0), widest_group(asic, dynamic=dynamic)),
        ("groups", sum(each.groups for each in sets), groups_max),
        ("members", sum(each.width * each.groups for each in sets), asic.ecmp_members_max),
    )
    return tuple(
        Refusal("FG-RTE-012", {"asic": asic.id, word: wanted, f"{word}_max": limit})
        for word, wanted, limit in held
        if limit is not None and wanted > limit
    )


def _least(*limits: int | None) -> int | None:
    return min((limit for limit in limits if limit is not None), default=None)


ROCE_UDP_PORT = 4791
"""Destination port of RoCE version 2 (IANA; InfiniBand annex A17)."""


class HashField(NamedTuple):
    """A user-defined field: the UDP destination port it applies to, offset from the UDP header, and length."""

    udp_port: int
    offset_bytes: int
    length_bytes: int


def roce_dest_qp_field(asic_vendor: str) -> HashField:
    """Return the position of the destination queue pair of RoCE version 2, for a maker as the catalog spells it.

    The base transport header follows eight bytes of UDP, and the queue pair is its sixth to eighth byte. NVIDIA's ASICs
    take the lower two of the three bytes.

    Source:
        InfiniBand Architecture Specification volume 1, base transport header; facebook/fboss 14ec47ec (2026-08-22),
        fboss/agent/test/utils/UdfTestUtils (offset 13, length 3; Chenab: 14 and 2).
    """
    return HashField(ROCE_UDP_PORT, 14, 2) if asic_vendor == "nvidia" else HashField(ROCE_UDP_PORT, 13, 3)
