"""Published fabrics come out as published."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path

from fabricgen.api import compile_inventory
from fabricgen.device.lower import Lowering
from fabricgen.device.model import Switch
from fabricgen.diagnostics import Bag, Severity
from fabricgen.plan.model.fabric import DeviceId, FabricPlan
from fabricgen.plan.model.numbering import Coordinates

REPOSITORY = Path(__file__).parents[2]


@cache
def plan() -> FabricPlan:
    """The Llama 3 cluster: "The Llama 3 Herd of Models", section 3.3.1; Gangidi et al., SIGCOMM 2024, section 3."""
    bag = Bag()
    compiled = compile_inventory(REPOSITORY / "inventories/meta-llama3-24k", (), bag)
    assert [d.message for d in bag if d.severity is Severity.ERROR] == []
    assert compiled is not None
    assert compiled.plan is not None
    return compiled.plan


def first(tier: int) -> Switch:
    """The first switch of a tier."""
    return Lowering(plan()).lower_switch(DeviceId(tier, Coordinates()))


def test_eight_pods_of_3072_gpus() -> None:
    hosts = list(plan().all_hosts())
    assert sum(plan().hosts[host.group].gpus for host in hosts) == 24576
    assert sum(8 for host in hosts if host.where.pod == 0) == 3072
    assert [tier.size for tier in plan().tiers] == [8 * 192, 8 * 16, 28]


def test_a_rack_switch_is_not_oversubscribed_and_a_pod_is_one_to_seven() -> None:
    leaf, spine = first(0), first(1)
    sides = {name: sum(port.shape.side == name for port in spine.ports) for name in ("down", "up")}
    assert sides == {"down": 192, "up": 28}
    assert round(Fraction(sides["down"], sides["up"])) == 7
    assert sum(port.shape.side == "down" for port in leaf.ports) == sum(port.shape.side == "up" for port in leaf.ports)


def test_the_aggregation_tier_is_full_and_uses_every_switch_of_a_pod() -> None:
    core = first(2)
    assert len(core.ports) == 128
    assert core.cls.routing.max_paths == 16
    assert {port.shape.fec for port in (*core.ports, *first(1).ports, *first(0).ports)} == {"rs"}
