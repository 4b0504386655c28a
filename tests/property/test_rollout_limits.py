"""Waves of random fabrics keep their limits in every state."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Hashable, Iterator
from fractions import Fraction

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.plan.model.cabling import links_of_host
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.rollout import SCOPES, RolloutLimits
from fabricgen.rollout.model import ChangedDevice, Wave, WaveKind, WavePlan
from fabricgen.rollout.waves import plan_waves
from tests.acceptance.run import INVENTORIES, plan_of
from tests.property.outage_simulation import Simulation, states
from tests.property.routed_fabrics import SHARES, judge_share
from tests.sampling import EVERYTHING

FLOORS = [Fraction(text) for text in ("0", "1/4", "1/3", "1/2", "3/5", "2/3", "3/4", "9/10")]
PARTS = [Fraction(text) for text in ("1/4", "1/3", "1/2", "2/3", "1")]
DRAWS = 6 if EVERYTHING else 3
"""Limits that each fabric is tried with."""
STATES_MAX, SIZE_MAX = 10, 24
"""Members of a wave whose states are all searched, and switches of a fabric up to which every further failure is."""


@pytest.mark.parametrize("share", range(SHARES))
def test_random_fabrics_keep_their_limits(share: int) -> None:
    lots = random.Random(share)
    judge_share(share, lambda plan: judge_plan(plan, lots))


def judge_plan(plan: FabricPlan, lots: random.Random) -> None:
    simulation = Simulation(plan)
    for _ in range(DRAWS):
        judge_draw(draw_limits(plan, simulation, lots), simulation, lots)


def draw_limits(plan: FabricPlan, simulation: Simulation, lots: random.Random) -> FabricPlan:
    """Shares, and a floor: any one, or the highest that lets every switch leave."""
    shares = tuple((scope, lots.choice(PARTS)) for scope in SCOPES if not lots.randrange(4))
    highest = min(simulation.lowest([name]) for name in simulation.places)
    floor = highest if lots.randrange(3) and highest < 1 else lots.choice(FLOORS)
    return plan._replace(rollout=RolloutLimits(shares, floor))


def judge_draw(plan: FabricPlan, simulation: Simulation, lots: random.Random, *, everything: bool = False) -> str:
    names = list(simulation.places)
    some = lots.sample(names, lots.randint(1, len(names)))
    changed = sorted(names if everything or lots.randrange(2) else some)
    waves = plan_waves(plan, [ChangedDevice(name, "drain") for name in changed], Bag())
    judge = Judge(plan, simulation, changed)
    if waves is None:
        assert judge.is_impossible(), "refused, though every switch can leave alone"
        return "impossible"
    judge.look(waves, lots)
    judge.hang(waves)
    return "limits"


class Judge:
    """The limits of a plan, counted from names and cables."""

    def __init__(self, plan: FabricPlan, simulation: Simulation, changed: list[str]) -> None:
        self.plan, self.simulation, self.changed = plan, simulation, changed
        self.limits = plan.rollout
        self.units: dict[str, Hashable] = {}
        self.pairs: set[frozenset[str]] = set()
        self._read_hosts()

    def _read_hosts(self) -> None:
        """Leafs of which a host depends, and leafs that stand in for each other."""
        plan, lame = self.plan, self.simulation.drained
        for host in plan.all_hosts():
            if plan.exceptions.of(host) and plan.exceptions.of(host).state:  # type: ignore[union-attr]
                continue
            moves = plan.hosts[host.group].bond or plan.hosts[host.group].spread
            nics: dict[int, set[str]] = defaultdict(set)
            for link in links_of_host(plan, host):
                if not plan.exceptions.is_absent(link.upper_end):
                    nics[link.rail].add(plan.device_name(link.upper_end))
            for leafs in nics.values():
                for leaf in leafs:
                    others = leafs - lame - {leaf} if moves else set()
                    if others:
                        self.pairs.add(frozenset({leaf, *others}))
                    else:
                        self.units[leaf] = self.simulation.places[leaf][1:4]

    def groups(self) -> Iterator[tuple[Hashable, int, set[str]]]:
        """Every group with the most of it that may be out."""
        found: dict[Hashable, set[str]] = defaultdict(set)
        for name, place in self.simulation.places.items():
            scope = self.plan.tiers[place.tier].scope
            pattern = [link.pattern for link in self.plan.links[1 : place.tier + 1]]
            keys: dict[str, Hashable] = {"tier": place.tier, "plane": place.plane}
            if all(each == "stripe_rail" for each in pattern):
                keys["rail"] = place.group
            if scope in ("unit", "pod"):
                keys["pod"] = place[1:3]
            for word, share in self.limits.out_max:
                if word in keys:
                    found[word, keys[word], share].add(name)
        for key, members in found.items():
            yield key, int(key[2] * len(members)), members  # type: ignore[index]
        for pair in self.pairs:
            yield pair, 1, set(pair)

    def apart(self) -> list[dict[str, Hashable]]:
        """Classes of changed switches of which one at a time is out."""
        planes = {name: self.simulation.places[name].plane for name in self.changed}
        alone = {name: unit for name, unit in self.units.items() if name in self.changed}
        words = dict(self.limits.out_max)
        return [*([] if "plane" in words else [planes]), *([] if words else [alone])]

    def is_impossible(self) -> bool:
        """A switch cannot leave even alone."""
        if any(not most and members & set(self.changed) for _, most, members in self.groups()):
            return True
        return any(self.simulation.lowest([name]) < self.limits.floor for name in self.changed)

    def look(self, waves: WavePlan, lots: random.Random) -> None:
        """Hold every wave against every limit, and every state of it against the floor."""
        assert sorted(name for wave in waves.waves for name in wave.devices) == self.changed
        for wave in waves.waves:
            assert wave.kind is WaveKind.drain
            out = set(wave.devices)
            for key, most, members in self.groups():
                assert len(out & members) <= most, key
            for classes in self.apart():
                assert len({classes[name] for name in out if name in classes}) <= 1
            lowest = self.simulation.lowest(out)
            assert lowest >= waves.limits.floor
            counts = self.plan.tiers[0].counts
            if counts.zone * counts.pod == 1:
                assert lowest == wave.bandwidth
            assert lowest >= wave.bandwidth
            self._search(out, waves.limits.floor)
        self._fail_one_more(lots.choice(waves.waves))

    def hang(self, waves: WavePlan) -> None:
        """Switches that the plan calls behind another are those that climb to its tier over it alone."""
        places, climb = self.simulation.places, self.simulation.climb
        tops = {leaf: {upper for _, upper in climb(leaf)} for leaf in self.simulation.leafs}
        tops |= {name: {upper for _, upper in climb(name)} for name in {each for ups in tops.values() for each in ups}}
        hanging = {
            (only.pop(), lower)
            for lower, uppers in tops.items()
            for tier in {places[upper].tier for upper in uppers}
            if len(only := {upper for upper in uppers if places[upper].tier == tier}) == 1
        }
        told = {(each.device, each.user.partition(", ")[0]) for each in waves.stranded if places[each.device].tier}
        assert told == {(upper, lower) for upper, lower in hanging if upper in self.changed}

    def _fail_one_more(self, wave: Wave) -> None:
        """Every switch and every link that fails besides; pods that are alike are out together for the planner."""
        if len(self.simulation.places) > SIZE_MAX:
            return
        least = self.simulation.lowest_after_one_more(wave.devices)
        counts = self.plan.tiers[0].counts
        if counts.zone * counts.pod == 1:
            assert least == wave.n_minus_1.share
        assert least >= wave.n_minus_1.share
        if wave.n_minus_1.switch:
            assert self.simulation.lowest({*wave.devices, wave.n_minus_1.switch}) >= wave.n_minus_1.share

    def _search(self, out: set[str], floor: Fraction) -> None:
        """Every state on the way; leafs are no part of any other pair, so what is above them is enough."""
        uppers = {name for name in out if self.simulation.places[name].tier}
        if len(uppers) <= STATES_MAX:
            assert all(self.simulation.lowest(state) >= floor for state in states(uppers))


SMALL = ("dual-plane", "dual-tor", "irregular", "quickstart", "rail-only", "two-halls")
"""Inventories of which every pair of leafs is followed link by link."""


@pytest.mark.parametrize("name", SMALL)
def test_every_switch_of_a_small_inventory_changes_within_the_limits(name: str) -> None:
    plan = plan_of(INVENTORIES / name)
    simulation = Simulation(plan)
    highest = min(simulation.lowest([each]) for each in simulation.places)
    plan = plan._replace(rollout=RolloutLimits(floor=min(plan.rollout.floor, highest)))
    assert judge_draw(plan, simulation, random.Random(name), everything=True) == "limits"


def test_a_state_below_the_floor_is_found() -> None:
    assert sorted(map(sorted, states(["a", "b"]))) == [[], ["a"], ["a", "b"], ["b"]]
