"""Waves of random fabrics and changes: canaries first, then no more at once than the steps let."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from fractions import Fraction

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.rollout import RolloutLimits, Step
from fabricgen.platforms.reading.semantics import DISRUPTIONS
from fabricgen.rollout.model import ChangedDevice, Wave, WaveKind
from fabricgen.rollout.waves import plan_waves
from tests.property.routed_fabrics import SHARES, judge_share

COUNTS: list[Step] = [1, 2, 3, 5, 8]
PARTS: list[Step] = [Fraction(1, 20), Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(1)]
Kinds = dict[str, tuple[str, str, str]]


@pytest.mark.parametrize("share", range(SHARES))
def test_random_changes_go_at_the_pace_of_the_intent(share: int) -> None:
    lots = random.Random(share)
    judge_share(share, lambda plan: judge_pace(plan, lots))


def judge_pace(plan: FabricPlan, lots: random.Random) -> None:
    steps = tuple(sorted(lots.sample(lots.choice([COUNTS, PARTS]), lots.randint(1, 3))))
    limits = RolloutLimits(floor=Fraction(0), canary=lots.randint(1, 2), steps=steps)
    kinds, hosts = draw_changes(plan, lots), hosts_of(plan)
    changes = [ChangedDevice(name, kind[2], is_host=name in hosts) for name, kind in kinds.items()]
    found = plan_waves(plan._replace(rollout=limits), changes, Bag())
    assert sorted(name for wave in found.waves for name in wave.devices) == sorted(kinds)
    by_kind: dict[WaveKind, list[Wave]] = defaultdict(list)
    for wave in found.waves:
        by_kind[WaveKind.hitless if wave.kind is WaveKind.canary else wave.kind].append(wave)
    for waves in by_kind.values():
        first, *others = waves
        assert is_canary(first, kinds, limits.canary), "the first wave holds more than a canary"
        most = max(step if isinstance(step, int) else max(1, int(step * len(kinds))) for step in steps)
        for wave in others:
            assert len(wave.devices) <= most or is_canary(wave, kinds, limits.canary)


def draw_changes(plan: FabricPlan, lots: random.Random) -> Kinds:
    """Some devices, each with its tier or host group, its platform and a disruption."""
    words = lots.sample(DISRUPTIONS, 3)
    tiers = {plan.device_name(each): plan.tiers[each.tier] for each in plan.switches()}
    kinds = {name: (tier.name, tier.platform, lots.choice(words)) for name, tier in tiers.items()}
    groups = {name: plan.hosts[number] for name, number in hosts_of(plan).items()}
    kinds |= {name: (group.name, group.os, lots.choice(words)) for name, group in groups.items()}
    return {name: kinds[name] for name in sorted(lots.sample(sorted(kinds), lots.randint(1, len(kinds))))}


def hosts_of(plan: FabricPlan) -> dict[str, int]:
    return {plan.host_name(host): host.group for host in plan.all_hosts()}


def is_canary(wave: Wave, kinds: Kinds, most: int) -> bool:
    return max(Counter(kinds[name] for name in wave.devices).values()) <= most
