"""Sums by kinds of switches and ports equal a count over every port of every switch."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given

from fabricgen.analysis.buffers import analyze_buffers
from fabricgen.device.lower import Lowering
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.buffers import account_buffers
from tests.acceptance.run import plan_of
from tests.meta.declarations import REPOSITORY
from tests.property.generated.dice import by_lot
from tests.property.generated.files import OVERLAY, write_inventory
from tests.property.generated.irregular import all_exceptions, carry_out
from tests.property.generated.model import Model
from tests.property.generated.records import Data, speed
from tests.property.generated.vocabulary import Drawn, intents

Ports = Counter[tuple[str, str, int, float, int]]
"""Ports with a link by tier, link group, speed, length of the cable and MTU."""

FABRICS = 50
PLATFORMS = (("sonic",), ("frr",), ("eos",), ("fboss",), ("eos", "sonic", "frr", "cumulus_nvue"))
COUNTED = ("irregular", "two-halls", "tor-25", "dual-tor", "dual-plane")


def shown(plan: FabricPlan) -> Ports:
    """Ports as kinds of switches have them, each kind as often as there are switches of it."""
    found: Ports = Counter()
    for use in analyze_buffers(plan):
        for group in use.ports:
            found[use.tier, group.link, group.speed_gbps, group.length_m, group.mtu_bytes] += group.now * use.switches
    return +found


def configured(plan: FabricPlan) -> tuple[Ports, Counter[str]]:
    """Ports, and bytes of headroom by tier, port by port as each switch is configured."""
    lowering, ports, headroom = Lowering(plan), Counter(), Counter()
    for device in plan.switches():
        cls = lowering.lower_switch(device).cls
        for shape in (shape for shape in cls.ports if shape.used):
            ports[cls.tier, shape.link, shape.speed_gbps, shape.length_m, shape.mtu_bytes] += 1
            headroom[cls.tier] += shape.headroom.xoff_bytes * len(cls.contract.lossless) if shape.headroom else 0
    return ports, headroom


def carried_out(data: Data) -> Ports:
    """Ports of a fabric whose exceptions somebody carries out cable by cable; nothing of the product is used."""
    model, ports = Model(data), Counter()
    for cable in carry_out(model, all_exceptions(model)):
        for end in (cable.a, cable.b):
            if end in model.switches:
                gbps = speed(data["links"][cable.link])
                ports[model.switches[end].tier, cable.link, gbps, float(cable.length_m), cable.mtu] += 1
    return ports


def judge(plan: FabricPlan) -> None:
    ports, headroom = configured(plan)
    assert shown(plan) == ports
    totals = {row["tier"]: row for row in account_buffers(plan, 4.0).sections["tiers"]}
    assert {tier: row["headroom_now_bytes"] for tier, row in totals.items()} == {t: headroom[t] for t in totals}
    assert sum(row["ports_now"] for row in totals.values()) == ports.total()
    assert sum(row["switches"] for row in totals.values()) == sum(1 for _ in plan.switches())


@pytest.mark.parametrize("name", COUNTED)
def test_sums_of_an_inventory_are_those_of_its_ports(name: str) -> None:
    judge(plan_of(REPOSITORY / "inventories" / name))


@pytest.mark.sampled(2, of="platforms")
@pytest.mark.parametrize("platforms", PLATFORMS, ids="+".join)
def test_sums_of_random_fabrics_are_those_of_brute_force(platforms: tuple[str, ...]) -> None:
    @by_lot(PLATFORMS.index(platforms), FABRICS // len(PLATFORMS))
    @given(intents(platforms))
    def judge_one(drawn: Drawn) -> None:
        with TemporaryDirectory() as folder:
            write_inventory(Path(folder), drawn.data, drawn.overlay)
            plan = plan_of(Path(folder), *([OVERLAY] if drawn.overlay else []))
        assert shown(plan) == carried_out(drawn.data)
        judge(plan)

    judge_one()
