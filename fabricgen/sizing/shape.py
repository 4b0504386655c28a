"""The smallest fabric that joins so many GPUs: one tier, else two, else three."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import ceil
from typing import NamedTuple

from fabricgen.sizing.radix import Radix, host_lanes, switch_link_lanes
from fabricgen.sizing.request import SizingRequest, SwitchModels, Unfit

_TRIES = 4
"""So many more units or pods than the fewest are tried: one more may leave fewer switches above them."""


class SizedShape(NamedTuple):
    """Counts of a fabric, all of them per plane where planes multiply.

    Attributes:
        units: Units of a pod; ``pods`` is 0 without a third tier.
        rails_per_leaf: Rails of a host on one leaf.
        leafs: Leafs of a unit.
        down: Downlinks of a leaf.
        spines: Spines of a pod, or of the fabric on two tiers; 0 on one. ``spine_pair`` links join each to each leaf.
        cores: Cores of the fabric. ``core_pair`` links join each to each spine that it meets.
        core_groups: Stripe groups of the cores; 1 where every spine meets every core.
    """

    per_unit: int
    units: int
    rails_per_leaf: int
    leafs: int
    down: int
    spines: int = 0
    spine_pair: int = 0
    pods: int = 0
    cores: int = 0
    core_pair: int = 0
    core_groups: int = 1

    @property
    def tiers(self) -> int:
        """Return how many tiers there are."""
        return 1 + bool(self.spines) + bool(self.cores)

    @property
    def all_units(self) -> int:
        """Units of the fabric."""
        return self.units * max(1, self.pods)

    @property
    def hosts(self) -> int:
        """Servers there is a place for."""
        return self.per_unit * self.all_units

    @property
    def leaf_up(self) -> int:
        """Uplinks of a leaf."""
        return self.spines * self.spine_pair

    @property
    def spine_down(self) -> int:
        """Downlinks of a spine."""
        return self.units * self.leafs * self.spine_pair

    @property
    def spine_up(self) -> int:
        """Uplinks of a spine."""
        return self.cores // self.core_groups * self.core_pair

    @property
    def core_down(self) -> int:
        """Downlinks of a core."""
        return max(1, self.pods) * (self.spines // self.core_groups) * self.core_pair

    @property
    def switches(self) -> tuple[int, ...]:
        """Switches of each tier, from the leaf up."""
        found = (self.all_units * self.leafs, max(1, self.pods) * self.spines, self.cores)
        return found[: self.tiers]


class Sizer:
    """Finds the smallest fabric of one request on one choice of switches."""

    def __init__(self, request: SizingRequest, boxes: SwitchModels, lanes: tuple[int, int, int]) -> None:
        """Count ports; ``lanes`` are those of host links, of links above the leafs, and of those above the spines."""
        host, low, high = (
            (request.speed_gbps, lanes[0]),
            (request.uplink_gbps, lanes[1]),
            (request.uplink_gbps, lanes[2]),
        )
        self.request = request
        self.leaf, self.spine = Radix(boxes.leaf, host, low), Radix(boxes.spine, low, high)
        self.core = Radix(boxes.core, high, high)
        self.hosts = request.hosts

    def smallest(self) -> SizedShape | None:
        """Return the smallest shape; None if three tiers do not hold the GPUs."""
        one = self._one_tier()
        if one is not None:
            return one
        return self._best(self._two_tiers()) or self._best(self._three_tiers())

    def most_hosts(self) -> int:
        """Return about how many servers three tiers hold at most."""
        leafs = self.request.rails // self._rails_whole() * self.request.leafs_per_group
        return self._hosts_on(self._most_down()) * (self._most_leafs() // leafs) * max(0, self.core.most_down(0))

    def _rails_whole(self) -> int:
        """Rails of a host on one leaf where nothing asks for more."""
        return self.request.rails if self.request.whole_hosts else 1

    def _best(self, found: Iterator[SizedShape]) -> SizedShape | None:
        """The fewest switches, then the fewest links above the leafs, then the fewest servers too many."""
        return min(found, key=lambda one: (sum(one.switches), one.leaf_up * one.switches[0], one.hosts), default=None)

    def _one_tier(self) -> SizedShape | None:
        """All NICs of a plane on one leaf; the two of a pair need spines to meet."""
        request, per_unit = self.request, self._fill(self.hosts)
        down = per_unit * request.rails
        alone = request.leafs_per_group == 1 and per_unit <= (request.per_unit or per_unit)
        return SizedShape(per_unit, 1, request.rails, 1, down) if alone and self.leaf.fits(down, 0) else None

    def _two_tiers(self) -> Iterator[SizedShape]:
        most = self._most_down()
        for rails in self._rails_per_leaf(most):
            for per_unit, units in self._units(self.hosts, most, rails):
                plan = self._below(per_unit, units, rails)
                for spines in range(2, self._uplinks(plan.down) + 1):
                    made = plan._replace(spines=spines, spine_pair=ceil(self._uplinks(plan.down) / spines))
                    if self.leaf.fits(made.down, made.leaf_up) and self.spine.fits(made.spine_down, 0):
                        yield made
                        break

    def _three_tiers(self) -> Iterator[SizedShape]:
        most, rails = self._most_down(), self._rails_whole()
        leafs = self.request.rails // rails * self.request.leafs_per_group
        in_pod = max(1, self._most_leafs() // leafs) * self._hosts_on(most)
        if self.request.pod_gpus:
            in_pod = min(in_pod, self.request.pod_gpus // self.request.server.gpus)
        fewest = ceil(self.hosts / in_pod) if in_pod else 1
        for pods in range(max(2, fewest), max(2, fewest) + (1 if self.request.pod_gpus else _TRIES)):
            for per_unit, units in self._units(ceil(self.hosts / pods), most, rails):
                plan = self._below(per_unit, units, rails)._replace(pods=pods)
                yield from self._pods(plan)

    def _pods(self, plan: SizedShape) -> Iterator[SizedShape]:
        """Pods of the fewest spines that leave room for links to the cores."""
        uplinks = self._uplinks(plan.down)
        for spines in range(2, uplinks + 1):
            made = plan._replace(spines=spines, spine_pair=ceil(uplinks / spines))
            if not self.leaf.fits(made.down, made.leaf_up) or not self.spine.fits(made.spine_down, 1):
                continue
            joined = self._best(self._cores(made))
            if joined is not None:
                yield joined
                return

    def _cores(self, pods: SizedShape) -> Iterator[SizedShape]:
        """Cores that meet every spine, or in groups the spines of one number."""
        needed = ceil(Fraction(pods.spine_down) / self.request.pod_ratio)
        room = self.core.most_down(0)
        for groups in (1, pods.spines):
            ends = pods.pods * pods.spines // groups
            for width in range(max(1 if groups > 1 else 2, ceil(Fraction(needed * ends, max(room, 1)))), needed + 1):
                made = pods._replace(cores=groups * width, core_groups=groups, core_pair=ceil(needed / width))
                if made.core_down <= room and self.spine.fits(made.spine_down, made.spine_up):
                    yield made
                    break

    def _below(self, per_unit: int, units: int, rails: int) -> SizedShape:
        leafs = self.request.rails // rails * self.request.leafs_per_group
        return SizedShape(per_unit, units, rails, leafs, per_unit * rails)

    def _rails_per_leaf(self, most: int) -> list[int]:
        """One rail per leaf; as many more as leave all servers in one unit."""
        request = self.request
        if request.whole_hosts:
            return [request.rails]
        hosts = self._fill(self.hosts)
        if request.per_unit and request.per_unit < hosts:
            return [1]
        fitting = [n for n in range(1, request.rails + 1) if request.rails % n == 0 and hosts * n <= most]
        return fitting[-1:] or [1]

    def _units(self, hosts: int, most: int, rails: int) -> Iterator[tuple[int, int]]:
        """(hosts of a unit, units): the fewest units, and some more of them."""
        limit = min(self.request.per_unit or most, most // rails)
        limit -= limit % self.request.domain
        if limit < 1:
            return
        if self.request.per_unit:
            yield limit, ceil(hosts / limit)
            return
        fewest = ceil(hosts / limit)
        for units in range(fewest, fewest + _TRIES):
            per_unit = self._fill(ceil(hosts / units))
            if per_unit <= limit:
                yield per_unit, ceil(hosts / per_unit)

    def _fill(self, hosts: int) -> int:
        """Whole NVLink domains."""
        return -(-hosts // self.request.domain) * self.request.domain

    def _hosts_on(self, down: int) -> int:
        """Hosts whose rails fit on so many downlinks of a leaf, at most those of a unit."""
        hosts = down // self._rails_whole()
        return min(hosts, self.request.per_unit) if self.request.per_unit else hosts

    def _uplinks(self, down: int) -> int:
        """Uplinks that keep a leaf within its ratio; two at least, one for each of two spines."""
        request = self.request
        return max(2, ceil(Fraction(down * request.speed_gbps, request.uplink_gbps) / request.ratio))

    def _most_down(self) -> int:
        """Downlinks of a leaf that is full within its ratio."""
        return _largest(lambda down: self.leaf.fits(down, self._uplinks(down)), self.leaf.most_down(0))

    def _most_leafs(self) -> int:
        """Leafs below a spine that is full within the ratio of pods."""
        ratio = self.request.pod_ratio
        return _largest(lambda down: self.spine.fits(down, ceil(Fraction(down) / ratio)), self.spine.most_down(0))


def _largest(fits: Callable[[int], bool], most: int) -> int:
    """The largest number up to ``most`` that fits; what is smaller than one that fits does so too."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if fits(middle) else (low, middle - 1)
    return low


def find_lanes(request: SizingRequest, boxes: SwitchModels) -> tuple[int, int, int] | Unfit:
    """Return the lanes of host links, of links above the leafs and of those above the spines, or why there are none."""
    found: list[int] = []
    for lanes in (
        host_lanes(request.nic, boxes.leaf, request.speed_gbps),
        switch_link_lanes(boxes.leaf, boxes.spine, request.uplink_gbps),
        switch_link_lanes(boxes.spine, boxes.core, request.uplink_gbps),
    ):
        if isinstance(lanes, Unfit):
            return lanes
        found.append(lanes)
    return found[0], found[1], found[2]
