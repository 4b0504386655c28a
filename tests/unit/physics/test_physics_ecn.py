"""ECN: bounds below the PFC trigger, and thresholds computed from them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped_switches import catalog, pool, shared_of

from fabricgen.physics import Refusal
from fabricgen.physics.ecn_thresholds import (
    BY_BOUND,
    BY_MAKER,
    BY_PACKETS,
    BY_ROUND_TRIP,
    SONIC_SHAPE,
    Aim,
    Computed,
    Marking,
    MarkingShape,
    PauseLimits,
    aim_of,
    computed_thresholds,
    roce_packet_bytes,
    shape_of,
)

O128 = ("arista_7060x6_64pe", "Arista-7060X6-64PE-O128S2")
CELL = 254
MTU = 9216


ROOMY = PauseLimits(bound_bytes=10_000_000, alone_bytes=30_000_000)
"""A switch on which PFC is no limit."""
RTT_US = 8.0


def computed(aim: Aim, limits: PauseLimits = ROOMY, cell: int = CELL, mtu: int = MTU) -> Computed:
    return computed_thresholds(aim, limits, cell, mtu)


@pytest.mark.parametrize(("speed", "kmin"), [(100, 100_000), (200, 200_000), (400, 400_000), (800, 800_000)])
def test_without_a_makers_figure_kmin_is_what_a_round_trip_brings(speed: int, kmin: int) -> None:
    """Different at every speed, whole cells, twice that as Kmax."""
    marking, rule = computed(aim_of(None, speed, RTT_US))
    assert rule == BY_ROUND_TRIP
    assert kmin - CELL < marking.kmin_bytes <= kmin
    assert marking == (marking.kmin_bytes, 2 * marking.kmin_bytes, 5)


def test_a_makers_figure_goes_before_a_round_trip_and_stays_as_it_is() -> None:
    arista = aim_of(catalog().ecn_profiles["sonic_th5_400g"], 400, RTT_US)
    assert computed(arista) == (Marking(131_072, 262_144, 5), BY_MAKER)


def test_kmax_is_at_most_four_times_kmin() -> None:
    nvidia = aim_of(catalog().ecn_profiles["nvidia_default"], 400, RTT_US)
    assert computed(nvidia, cell=192) == (Marking(150_000, 600_000, 100), BY_MAKER)


def test_the_bound_goes_before_both() -> None:
    """Strictly below it, in whole cells; Kmax may lie above the bound, but not above the pause of a lone queue."""
    tight = PauseLimits(100_000, 150_000)
    for aim in (aim_of(None, 400, RTT_US), aim_of(catalog().ecn_profiles["sonic_th5_400g"], 400, RTT_US)):
        marking, rule = computed(aim, tight)
        assert rule == BY_BOUND
        assert marking == (393 * CELL, 590 * CELL, 5)
        assert marking.kmin_bytes < 100_000 < marking.kmax_bytes < 150_000


def test_sixteen_packets_are_the_least() -> None:
    """A RoCE packet of 4,178 bytes takes 17 cells of 254; at 25 Gb/s a round trip of 8 us is only 25,000 bytes."""
    assert roce_packet_bytes(9216) == 4178
    assert roce_packet_bytes(4160) == 4178
    assert roce_packet_bytes(4159) == 2048 + 82
    assert roce_packet_bytes(1500) == 1024 + 82
    assert computed(aim_of(None, 25, RTT_US)) == (Marking(16 * 17 * CELL, 32 * 17 * CELL, 5), BY_PACKETS)


def test_too_little_room_for_sixteen_packets_is_refused() -> None:
    least, packet = 16 * 17 * CELL, 17 * CELL
    aim = aim_of(None, 400, RTT_US)
    assert computed(aim, PauseLimits(least + 1, 30_000_000)).marking.kmin_bytes == least
    refused = computed_thresholds(aim, PauseLimits(least, 30_000_000), CELL, MTU)
    assert refused.code == "FG-QOS-031"
    assert refused.facts == {"bound_bytes": least, "least_bytes": least, "packet_bytes": packet}
    assert isinstance(computed_thresholds(aim, PauseLimits(10_000_000, least + packet), CELL, MTU), Refusal)


def test_the_shape_follows_the_named_profile() -> None:
    assert shape_of(catalog().ecn_profiles["sonic_th2_j2"]) == MarkingShape(Fraction(1, 5), 5)
    assert shape_of(catalog().ecn_profiles["sonic_th5_400g"]) == SONIC_SHAPE


def test_a_template_or_a_lossy_profile_is_no_makers_choice() -> None:
    """Of the profiles that ship, three are: NVIDIA's, for a system, and Arista's for port profiles of 400G."""
    sku = "Arista-7060X6-64PE-O128S2"
    profiles = catalog().ecn_profiles.values()
    nvidia = "nvidia_default"
    assert {p.name for p in profiles if p.is_for("sonic", sku, 400)} == {"sonic_th2_j2", "sonic_th5_400g", nvidia}
    assert {p.name for p in profiles if p.is_for("sonic", "Arista-7060X6-64PE-P64", 400)} == {"sonic_th2_j2", nvidia}
    assert [p.name for p in profiles if p.is_for("cumulus_nvue", "", 800)] == [nvidia]
    assert [p.name for p in profiles if p.is_for("eos", sku, 400)] == [nvidia], "listed by NVIDIA's models only"
    lossy = "Arista-7060X6-64PE-B-C512S2"
    assert "sonic_th5_c512s2_100g" not in [p.name for p in profiles if p.is_for("sonic", lossy, 100)]


@given(
    bound=st.integers(1, 3_000_000),
    over=st.integers(0, 60_000_000),
    wanted=st.integers(1, 5_000_000),
    rule=st.sampled_from([BY_MAKER, BY_ROUND_TRIP]),
    cell=st.sampled_from([144, 192, 254, 420, 512]),
    mtu=st.integers(1500, 9216),
    ratio=st.fractions(Fraction(1, 50), 1),
)
def test_thresholds_hold(bound: int, over: int, wanted: int, rule: str, cell: int, mtu: int, ratio: Fraction) -> None:
    limits, packet = PauseLimits(bound, bound + over), roce_packet_bytes(mtu)
    found = computed_thresholds(Aim(wanted, rule, MarkingShape(ratio, 5)), limits, cell, mtu)
    if isinstance(found, Refusal):
        assert bound < 17 * (packet + cell) + cell
        return
    marking = found.marking
    assert 16 * packet <= marking.kmin_bytes < bound
    assert packet <= marking.kmax_bytes - marking.kmin_bytes
    assert marking.kmax_bytes <= 4 * marking.kmin_bytes
    assert marking.kmax_bytes < limits.alone_bytes
    assert marking.kmin_bytes <= max(wanted, 16 * (packet + cell))


def test_what_a_pools_size_counts_is_the_makers_choice() -> None:
    """All cells of the chip on Broadcom, headroom inside; NVIDIA's script takes the headroom off first."""
    assert pool("dell_z9664f", "DellEMC-Z9664f-O64").size_bytes == 2 * 223_662 * 254
    assert shared_of("dell_z9664f", "DellEMC-Z9664f-O64") == 113_620_296 - 50_653_696
    assert pool("nvidia_sn5600", "Mellanox-SN5600-V256").xoff_bytes == 60_293_120
    assert shared_of("nvidia_sn5600", "Mellanox-SN5600-V256") == 73_684_992
    assert shared_of("nvidia_sn5600", "ACS-SN5600") == 67_737_959
