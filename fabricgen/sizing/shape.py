"""The smallest fabric that joins so many GPUs, by the links its switches have room for: one, two or three tiers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate
from math import ceil
from typing import NamedTuple

from fabricgen.catalog.host_records import NicModel
from fabricgen.catalog.records import SwitchModel
from fabricgen.diagnostics.words import and_list, or_list
from fabricgen.plan.planner.ports import lanes_in_common, mode_for, switch_lanes
from fabricgen.sizing.request import SizingRequest, SwitchModels, Unfit


class Radix:
    """Links of a switch model with one speed on each side: uplinks take cages from the last one, downlinks the rest."""

    def __init__(self, model: SwitchModel, down: tuple[int, int], up: tuple[int, int]) -> None:
        """Count the links of every cage; a link is its speed, Gb/s, and its lanes."""
        self.model = model
        self.down_of_cage, self.up_of_cage = _links(model, *down), _links(model, *up)
        self._first = [0, *accumulate(self.down_of_cage)]

    def cages(self, side: Sequence[int], links: int) -> int | None:
        """Return how many cages, those without such links apart, some links take; None if there are too few."""
        taken = 0
        for count in side:
            if links <= 0:
                break
            taken, links = taken + (count > 0), links - count
        return taken if links <= 0 else None

    def most_down(self, uplinks: int) -> int:
        """Return how many downlinks are left beside some uplinks; -1 if the uplinks alone do not fit."""
        free, passed_over = len(self.up_of_cage), 0
        while uplinks > 0 and free:
            free -= 1
            uplinks -= self.up_of_cage[free]
            if not self.up_of_cage[free]:
                passed_over += self.down_of_cage[free]
        return -1 if uplinks > 0 else self._first[free] + passed_over

    def fits(self, downlinks: int, uplinks: int) -> bool:
        """Return whether the switch has so many ports on both sides."""
        return downlinks <= self.most_down(uplinks)


def _links(model: SwitchModel, speed_gbps: int, lanes: int) -> list[int]:
    """Links of that speed in each cage, as planning counts them."""
    found = []
    for cage in model.cages:
        if not cage.service:
            mode = mode_for(cage, speed_gbps, lanes)
            found.append(len(mode.ports) if mode else int(not cage.modes))
    return found


def host_lanes(nic: NicModel, leaf: SwitchModel, speed_gbps: int) -> int | Unfit:
    """Return the lanes of a link between a NIC and a leaf, or why there is none."""
    of_nic, of_leaf = frozenset(nic.lanes_by_gbps.get(speed_gbps, ())), switch_lanes(leaf, speed_gbps)
    return _common((nic.id, of_nic), (leaf.id, of_leaf), speed_gbps, leaf)


def switch_link_lanes(lower: SwitchModel, upper: SwitchModel, speed_gbps: int) -> int | Unfit:
    """Return the lanes of a link between two switches, or why there is none."""
    ends = [(model.id, switch_lanes(model, speed_gbps)) for model in (lower, upper)]
    return _common(ends[0], ends[1], speed_gbps, lower)


def speeds_of(model: SwitchModel) -> list[int]:
    """Return the speeds that a switch runs, Gb/s, the fastest first."""
    found = {cage.native_gbps for cage in model.cages if not cage.service and not cage.modes}
    for cage in model.cages:
        if not cage.service:
            found |= {mode.ports[0].speed_gbps for mode in cage.modes if len({*mode.ports}) == 1}
    return sorted(found, reverse=True)


def _common(
    one: tuple[str, frozenset[int]], other: tuple[str, frozenset[int]], speed_gbps: int, model: SwitchModel
) -> int | Unfit:
    hint = f"another speed or model; {model.id} runs {', '.join(f'{speed}G' for speed in speeds_of(model))}"
    for name, lanes in (one, other):
        if not lanes:
            return Unfit(f"{name} does not run {speed_gbps}G", hint)
    fewest = lanes_in_common(one[1], other[1])
    if fewest is not None:
        return fewest
    ends = and_list(f"{name} over {_or(lanes)} lanes" for name, lanes in (one, other))
    return Unfit(f"{speed_gbps}G has no lane count in common: {ends}", hint)


def _or(lanes: frozenset[int]) -> str:
    return or_list(map(str, sorted(lanes)))


_TRIES = 4
"""So many more units or pods than the fewest are tried: one more may leave fewer switches above them."""


class SizedShape(NamedTuple):
    """Counts of a fabric, all of them per plane where planes multiply.

    Attributes:
        units: Units of a pod; ``pods`` is 0 without a third tier.
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
