"""Load of each link group: which flows meet which equal links, in how many places, and what the busiest link gets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, lcm, log, sqrt
from typing import NamedTuple, TypeVar

from fabricgen.analysis.flows import Connection, Flows, Passing, is_bonded
from fabricgen.analysis.hashing import HashStage
from fabricgen.analysis.placement import Scope, live_uplinks, scope_of_switch
from fabricgen.physics.ecmp import MaxLoad, busiest_link
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates
from fabricgen.plan.model.topology import Tier

UNITS_MAX = 20_000
"""Sizes of flows are rounded so that a link has no more units on average."""


class HashMode(NamedTuple):
    """A way to spread.

    Attributes:
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
    """Return how many flows of each size connections make; those without queue pairs of their own have so many."""
    sizes: Counter[Fraction] = Counter()
    for kind, count in connections.items():
        pairs = mode.queue_pairs or kind.queue_pairs or queue_pairs
        sizes[Fraction(kind.weight, pairs)] += count * pairs
    return sizes


def common_unit(sizes: Collection[Fraction], mean_max: Fraction) -> Fraction:
    """Return the unit of which all sizes are whole numbers, or nearly if a link had too many of it on average."""
    if len({*sizes}) == 1:
        return next(iter(sizes))
    return max(Fraction(1, lcm(*(size.denominator for size in sizes))), mean_max / UNITS_MAX)


def spread_flows(sizes: Mapping[Fraction, int], links: int, mode: HashMode, unit: Fraction) -> HashSpread:
    """Return how flows load equal links: how many there are of each size, in a unit."""
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


NIC = -1
"""Number that stands for the NICs where others are those of tiers."""
P = TypeVar("P", bound=Hashable)
Connections = tuple[tuple[Connection, int], ...]
KINDS_MAX = 12
"""Of so many kinds of places, those that are probably the busiest, the distribution is worked out."""


class LinkPlaces(NamedTuple):
    """Places of a link group that are alike: what is hashed there, over how many links, and how many there are."""

    connections: Connections
    links: int
    places: int

    @property
    def guess(self) -> float:
        """Return about how much the busiest link gets, to put kinds in order."""
        total = sum(kind.weight * count for kind, count in self.connections)
        largest = max(kind.weight for kind, _ in self.connections)
        return total / self.links + sqrt(2 * largest * total / self.links * log(self.links + 1))


class LinkLoad(NamedTuple):
    """Flows of one collective on one link group in one direction.

    Attributes:
        tier: Number of the tier whose scopes are meant; ``NIC`` for hosts.
        upwards: Whether they leave these scopes upwards; else they come down to them.
        kinds: Kinds of places with flows, the busiest first.
        links: Links of such a place; ``LinkPlaces.links`` is how many of them polarisation leaves.
        stage: The choice; None where a NIC chooses, or nothing does.
    """

    link: str
    tier: int
    upwards: bool
    kinds: tuple[LinkPlaces, ...]
    links: int
    speed_gbps: int
    stage: HashStage | None

    def spreads(self, mode: HashMode, queue_pairs: int) -> list[tuple[HashSpread, int]]:
        """Return the load of each kind of place, in one unit, and how many such places there are; the worst first.

        A connection without queue pairs of its own has so many.
        """
        kinds = self.kinds[:KINDS_MAX]
        sizes = [flow_sizes(dict(kind.connections), mode, queue_pairs) for kind in kinds]
        means = (
            Fraction(sum(size * count for size, count in each.items())) / kind.links
            for each, kind in zip(sizes, kinds, strict=True)
        )
        unit = common_unit([size for each in sizes for size in each], max(means))
        found = [
            (spread_flows(each, kind.links, mode, unit), kind.places) for each, kind in zip(sizes, kinds, strict=True)
        ]
        return sorted(found, key=lambda each: -each[0].load.expected)


def load_links(plan: FabricPlan, flows: Flows, stages: Sequence[HashStage]) -> Iterator[LinkLoad]:
    """Yield every link group with its flows, upwards and downwards, from the hosts up."""
    chosen = {(stage.tier, stage.upwards): stage for stage in stages}
    for upwards, passing in ((True, flows.up), (False, flows.down)):
        yield from _host_loads(plan, passing, upwards)
    for tier in plan.tiers[:-1]:
        group, links = plan.links[tier.number + 1], _links_by_scope(plan, tier)
        for upwards, passing in ((True, flows.up), (False, flows.down)):
            stage = chosen[tier.number if upwards else tier.number + 1, upwards]
            kinds: Counter[tuple[Connections, int]] = Counter()
            places = {kind: _of_tier(found.scopes, tier.number) for kind, found in passing.items()}
            for scope, met in _by_place(places).items():
                for layer in filter(None, links.get(scope, ())):
                    kinds[met, max(1, layer * stage.used // stage.planned)] += 1
            regular = max((layer for layers in links.values() for layer in layers), default=0)
            yield LinkLoad(group.name, tier.number, upwards, _ordered(kinds), regular, group.speed_gbps, stage)


def _host_loads(plan: FabricPlan, passing: Mapping[Connection, Passing], upwards: bool) -> Iterator[LinkLoad]:
    """NICs: the ports of a bond are equal links; others have queue pairs of their own."""
    by_group: dict[int, Counter[tuple[Connections, int]]] = {}
    for (host, _), met in _by_place({kind: found.nics for kind, found in passing.items()}).items():
        group = plan.hosts[host.group]
        by_group.setdefault(host.group, Counter())[met, group.nic_ports if group.bond else 1] += 1
    for number, kinds in sorted(by_group.items()):
        ordered, group = _ordered(kinds), plan.hosts[number]
        yield LinkLoad(group.link.name, NIC, upwards, ordered, ordered[0].links, group.link.speed_gbps, None)


def _of_tier(scopes: Counter[Scope], number: int) -> Counter[Coordinates]:
    return Counter({scope: count for (tier, scope), count in scopes.items() if tier == number and count})


def _by_place(passing: Mapping[Connection, Counter[P]]) -> dict[P, Connections]:
    """Connections of each place."""
    found: dict[P, Connections] = {}
    for kind, places in sorted(passing.items()):
        for place, count in places.items():
            found[place] = (*found.get(place, ()), (kind, count))
    return found


def _ordered(kinds: Mapping[tuple[Connections, int], int]) -> tuple[LinkPlaces, ...]:
    found = (LinkPlaces(met, links, places) for (met, links), places in kinds.items())
    return tuple(sorted(found, key=lambda kind: -kind.guess))


def _links_by_scope(plan: FabricPlan, tier: Tier) -> dict[Coordinates, tuple[int, ...]]:
    """Live uplinks of each layer of each scope of a tier, see ``copies``."""
    links = plan.links[tier.number + 1]
    striped, bonded = plan.links[1].pattern == "stripe_index", is_bonded(plan)
    found: dict[Coordinates, Counter[tuple[int, ...]]] = {}
    for where in tier.coordinates():
        layer = (where.plane, where.index) if not tier.number else (where.plane, where.group if striped else 0)
        count = live_uplinks(plan, tier, where, links.width * links.per_pair)
        layers = found.setdefault(scope_of_switch(plan, tier, where), Counter())
        layers[() if bonded else layer] += count
    return {scope: tuple(layers.values()) for scope, layers in found.items()}
