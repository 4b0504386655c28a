"""Load of each link group: which flows meet which equal links, in how many places, and what the busiest link gets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, log, sqrt
from typing import NamedTuple

from fabricgen.analysis.flows import Flows, Passing, is_bonded
from fabricgen.analysis.hashing import HashStage
from fabricgen.analysis.placement import live_uplinks, scope_of_switch
from fabricgen.physics.ecmp import MaxLoad, busiest_link
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates
from fabricgen.plan.model.topology import Tier


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
        load: Its distribution, in flows.
        unit: How much of a connection a flow is.
        mean: Mean load of a link, in flows.
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


def spread_flows(flows: int, links: int, mode: HashMode, unit: Fraction) -> HashSpread:
    """Return how equal flows load equal links; one is ``unit`` of a connection."""
    mean = Fraction(flows, links)
    hashed = not (mode.sprayed or mode.balanced)
    load = busiest_link(flows, links) if hashed else MaxLoad(ceil(mean), ())
    return HashSpread(load, unit, flows, links, mean, mode.sprayed)


NIC = -1
"""Number that stands for the NICs where others are those of tiers."""
KINDS_MAX = 12
"""Of so many kinds of places, those that are probably the busiest, the distribution is worked out."""


class LinkPlaces(NamedTuple):
    """Places of a link group that are alike: connections hashed in each, over how many links, and how many places."""

    connections: int
    links: int
    places: int

    @property
    def guess(self) -> float:
        """Return about how much the busiest link gets, to put kinds in order."""
        mean = self.connections / self.links
        return mean + sqrt(2 * mean * log(self.links + 1))


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
        """Return the load of each kind of place, and how many such places there are; the worst first.

        A connection has so many queue pairs if the mode does not tell apart another number of flows.
        """
        pairs = mode.queue_pairs or queue_pairs
        found = [
            (spread_flows(kind.connections * pairs, kind.links, mode, Fraction(1, pairs)), kind.places)
            for kind in self.kinds[:KINDS_MAX]
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
            kinds: Counter[tuple[int, int]] = Counter()
            for (number, scope), met in passing.scopes.items():
                for layer in filter(None, links.get(scope, ()) if number == tier.number and met else ()):
                    kinds[met, max(1, layer * stage.used // stage.planned)] += 1
            regular = max((layer for layers in links.values() for layer in layers), default=0)
            yield LinkLoad(group.name, tier.number, upwards, _ordered(kinds), regular, group.speed_gbps, stage)


def _host_loads(plan: FabricPlan, passing: Passing, upwards: bool) -> Iterator[LinkLoad]:
    """NICs: the ports of a bond are equal links; others have queue pairs of their own."""
    by_group: dict[int, Counter[tuple[int, int]]] = {}
    for (host, _), met in passing.nics.items():
        group = plan.hosts[host.group]
        by_group.setdefault(host.group, Counter())[met, group.nic_ports if group.bond else 1] += 1
    for number, kinds in sorted(by_group.items()):
        ordered, group = _ordered(kinds), plan.hosts[number]
        yield LinkLoad(group.link.name, NIC, upwards, ordered, ordered[0].links, group.link.speed_gbps, None)


def _ordered(kinds: Mapping[tuple[int, int], int]) -> tuple[LinkPlaces, ...]:
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
