"""Shapes of fabrics, worked out by hand and as published."""

from __future__ import annotations

from fractions import Fraction

import pytest

from fabricgen.plan.planner.ports import PortDemand, PortNames, plan_ports
from fabricgen.sizing.ask import SizingOptions
from fabricgen.sizing.fabric import FabricSize
from fabricgen.sizing.shape import Radix
from tests.unit.size.sized import shelf, sized

BOX_64, BOX_128 = "dell_z9664f", "arista_7060x6_64pe"
"""64 x 400G, and 128 x 400G as two to a cage."""


def counts(size: FabricSize) -> list[tuple[int, int, int]]:
    """Return switches, downlinks and uplinks of each tier."""
    return [(tier.switches, tier.down, tier.up) for tier in size.tiers]


BY_HAND = [
    # 8 servers x 8 NICs = 64 ports: one switch, exactly full.
    (64, BOX_64, [(1, 64, 0)]),
    # 64 servers: 32 down and 32 up; 2 units x 8 rails = 16 leafs; 16 x 32 / 64 = 8 spines of 64.
    (512, BOX_64, [(16, 32, 32), (8, 64, 0)]),
    # The same on 128 ports: all 64 servers in one unit, 8 leafs of 64 + 64; 8 x 64 / 128 = 4 spines.
    (512, BOX_128, [(8, 64, 64), (4, 128, 0)]),
    # 256 servers: 8 units x 8 leafs; 64 x 32 / 64 = 32 spines, one link to each: the largest on two tiers of 64 ports.
    (2048, BOX_64, [(64, 32, 32), (32, 64, 0)]),
    # 128^2 / 2 = 8,192: the largest on two tiers of 128 ports.
    (8192, BOX_128, [(128, 64, 64), (64, 128, 0)]),
    # Pods of 4 units of 32 servers: 32 leafs and 32 spines each, 16 pods; 512 x 32 / 64 = 256 cores.
    (16384, BOX_64, [(512, 32, 32), (512, 32, 32), (256, 64, 0)]),
    # 64^3 / 4 = 65,536: the largest on three tiers of 64 ports.
    (65536, BOX_64, [(2048, 32, 32), (2048, 32, 32), (1024, 64, 0)]),
    # Pods of 8 units of 64 servers: 4,096 GPUs, 32 pods; cores have 4 links to each of 32 spines.
    (131072, BOX_128, [(2048, 64, 64), (2048, 64, 64), (1024, 128, 0)]),
]


@pytest.mark.parametrize(("gpus", "switch", "tiers"), BY_HAND)
def test_a_full_fabric_has_the_switches_worked_out_by_hand(
    gpus: int, switch: str, tiers: list[tuple[int, int, int]]
) -> None:
    size = sized(SizingOptions(gpus, "dgx_h100_8"), switch)
    assert counts(size) == tiers
    assert size.gpus == gpus
    assert all(tier.ratio in (None, 1) for tier in size.tiers)


def test_a_cluster_as_published_for_llama_3() -> None:
    """Racks of 16 GPUs, pods of 3,072 with 192 racks, 16 spines with 28 uplinks: Gangidi et al., SIGCOMM 2024."""
    asked = SizingOptions(
        24_576, "meta_grand_teton_h100", attachment="host", per_unit=2, pod_gpus=3072, pod_ratio="192:28"
    )
    size = sized(asked, "meta_minipack3", "arista_7808r3", "arista_7060x6_64pe")
    assert counts(size) == [(1536, 16, 16), (128, 192, 28), (28, 128, 0)]
    assert size.tiers[1].ratio == Fraction(192, 28)
    assert (size.shape.pods, size.shape.units) == (8, 192)


def test_a_pod_as_published_for_hpn() -> None:
    """15 segments of 1,024 GPUs, 128 x 200G down and 60 x 400G up per leaf, 60 spines a plane: SIGCOMM 2024."""
    asked = SizingOptions(15_360, "dgx_h100_8", nic="connectx7_2x200g", speed="200G", uplink="400G", ratio="16:15")
    size = sized(asked, "arista_7060x6_64pe")
    assert counts(size) == [(240, 128, 60), (120, 120, 0)]
    assert size.request.planes == 2
    assert size.tiers[0].ratio == Fraction(16, 15)
    assert [(cable.link, cable.number) for cable in size.cables] == [("host-leaf", 30_720), ("leaf-spine", 14_400)]


def test_servers_that_do_not_divide_fill_equal_units() -> None:
    size = sized(SizingOptions(520, "dgx_h100_8"), BOX_64)
    # 65 servers, at most 32 to a unit: three units of 22 are 66 servers.
    assert (size.shape.units, size.shape.per_unit, size.gpus) == (3, 22, 528)
    assert size.tiers[0].left == 64 - 2 * 22
    assert (size.growth, size.most_gpus) == (4, 704)


def test_units_hold_whole_nvlink_domains() -> None:
    size = sized(SizingOptions(600, "gb200_tray_4"), BOX_64)
    # 150 trays: nine domains of 18.
    assert (size.shape.per_unit, size.shape.units) == (18, 9)


def test_a_lower_ratio_needs_fewer_spines() -> None:
    size = sized(SizingOptions(512, "dgx_h100_8", ratio="3:1"), BOX_64)
    # 64 = 48 + 16: units of up to 48 servers, so two of 32 with 11 uplinks.
    assert size.tiers[0].ratio == Fraction(32, 12)
    assert size.tiers[1].switches == 3


def test_transceivers_are_counted_by_the_cage() -> None:
    size = sized(SizingOptions(512, "dgx_h100_8"), BOX_128)
    # 4 cages in each of 64 servers and, at two links to a cage, 256 cages; 2 x 256 cages above. Copper has none.
    assert [cable.optics for cable in size.cables] == [512, 512]
    assert sized(SizingOptions(512, "hgx_h100_8"), BOX_128).cables[0].optics == 512 + 256
    copper = sized(SizingOptions(512, "dgx_h100_8", cables=["host-leaf=dac:3"]), BOX_128)
    assert [cable.optics for cable in copper.cables] == [0, 512]


@pytest.mark.parametrize(
    ("asked", "switch", "why"),
    [
        (SizingOptions(131_072, "dgx_h100_8"), BOX_64, "three tiers of dell_z9664f hold 65536 GPUs at 1:1"),
        (SizingOptions(512, "dgx_h100_8"), "nvidia_sn3700", "nvidia_sn3700 does not run 400G"),
        (SizingOptions(512, "dgx_h100_8"), "arista_7060dx5_64s", "over 4 lanes and arista_7060dx5_64s over 8 lanes"),
        (SizingOptions(512, "dgx_h100_8", per_unit=200), "nvidia_sn3700", "does not run"),
    ],
)
def test_a_pair_that_cannot_work_has_a_reason_and_a_remedy(asked: SizingOptions, switch: str, why: str) -> None:
    found = sized(asked, switch)
    assert why in found.why
    assert found.remedy


@pytest.mark.nightly
def test_ports_are_counted_as_planning_does() -> None:
    """Random demands on every switch: a side fits exactly where planning finds a port for every link."""
    tried = 0
    for model in shelf().catalog.switches.values():
        for speed, lanes in {
            (port.speed_gbps, port.lanes) for cage in model.cages for mode in cage.modes for port in mode.ports
        }:
            radix = Radix(model, (speed, lanes), (speed, lanes))
            for uplinks in (0, 7, 64):
                most = radix.most_down(uplinks)
                for down in (most, most + 1):
                    if down >= 0:
                        want = PortDemand(speed, lanes, down, down), PortDemand(speed, lanes, uplinks, uplinks)
                        plan = plan_ports(model, PortNames(), [want[0]], want[1])
                        assert radix.fits(down, uplinks) == (not plan.missing), (model.id, speed, lanes, down, uplinks)
                        tried += 1
    assert tried > 500
