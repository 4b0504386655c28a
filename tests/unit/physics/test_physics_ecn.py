"""ECN: bounds below the PFC trigger, and thresholds computed from them."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shipped_switches import catalog, pool, shared_of, switch

from fabricgen.physics.ecn import (
    dynamic_ecn_bound_bytes,
    dynamic_pfc_threshold_bytes,
    ecn_bound_bytes,
    pause_bytes,
    static_ecn_bound_bytes,
    static_pfc_threshold_bytes,
)
from fabricgen.physics.ecn_thresholds import (
    SONIC_SHAPE,
    Marking,
    MarkingShape,
    computed_thresholds,
    hpcc_thresholds,
    shape_of,
)
from fabricgen.physics.refusal import Refusal

O128 = ("arista_7060x6_64pe", "Arista-7060X6-64PE-O128S2")
CELL = 254
MTU = 9216
PAPER = (12_000_000, 32, 22_400)
"""Buffer, ports and headroom of the worked example of Zhu et al., SIGCOMM 2015, section 4."""


@pytest.mark.parametrize(
    ("alpha", "shared", "ports", "lossless", "bound"),
    [
        (1.0, 136_692_132, 128, 2, 355_969),
        (1.0, 136_692_132, 128, 1, 533_954),
        (1.0, 129_165_096, 64, 1, 1_009_102),
        (1.0, 62_966_600, 64, 1, 491_927),
        (0.125, 18_000_000, 32, 2, 56_250),
        (1.0, 67_737_959, 64, 2, 352_802),
    ],
)
def test_published_bounds(alpha: float, shared: int, ports: int, lossless: int, bound: int) -> None:
    """Pools of sonic-net/sonic-buildimage and of Bai et al., NSDI 2023."""
    assert ecn_bound_bytes(alpha, shared, ports, lossless) in (bound, bound - 1)


def test_the_papers_example() -> None:
    assert static_pfc_threshold_bytes(*PAPER) == pytest.approx(24_475)
    assert static_ecn_bound_bytes(*PAPER) == pytest.approx(764.84, abs=0.01)
    assert dynamic_ecn_bound_bytes(*PAPER, 8) == pytest.approx(21_755.56, abs=0.01)


def test_the_dynamic_threshold_is_reached_exactly_at_the_bound() -> None:
    """Marking first, restated: if every ingress queue holds its part of n queues at the bound, PFC is about to fire."""
    bound = dynamic_ecn_bound_bytes(*PAPER, 8)
    used = bound * PAPER[1] * 8
    assert dynamic_pfc_threshold_bytes(*PAPER, 8, int(used)) == pytest.approx(bound * PAPER[1], rel=1e-5)


def test_the_vendors_own_values_and_the_bound() -> None:
    bound = ecn_bound_bytes(1.0, shared_of(*O128), 128, 2)
    assert catalog().ecn_profiles["sonic_th5_400g"].kmax_bytes <= bound
    assert catalog().ecn_profiles["sonic_default"].kmin_bytes > bound


def test_computed_thresholds_on_a_shipped_board() -> None:
    """Close to what the vendor ships for the same SKU (131,072 / 262,144 / 5), and on the right side of the bound."""
    assert switch(O128[0]).asic.cell_bytes == CELL
    found = computed_thresholds(1.0, shared_of(*O128), 128, 2, CELL, MTU)
    assert found == Marking(700 * CELL, 1401 * CELL, 5)
    assert found[1] <= 355_969 < found[1] + CELL


def test_the_shape_follows_the_named_profile() -> None:
    named = shape_of(catalog().ecn_profiles["sonic_th2_j2"])
    assert named == MarkingShape(Fraction(1, 5), 5)
    assert shape_of(catalog().ecn_profiles["sonic_th5_400g"]) == SONIC_SHAPE
    found = computed_thresholds(1.0, shared_of(*O128), 128, 2, CELL, MTU, named)
    assert found == Marking(280 * CELL, 1401 * CELL, 5)


def test_kmin_is_raised_to_two_packets_and_stays_a_packet_below_kmax() -> None:
    packet = 37 * CELL
    shared = 128 * 3 * (4 * packet + 1)
    flat = MarkingShape(Fraction(1, 20), 7)
    assert computed_thresholds(1.0, shared, 128, 2, CELL, MTU, flat) == Marking(2 * packet, 4 * packet, 7)
    steep = MarkingShape(Fraction(99, 100), 100)
    found = computed_thresholds(1.0, shared, 128, 2, CELL, MTU, steep)
    assert found == Marking(3 * packet, 4 * packet, 100)


def test_too_little_room_is_refused() -> None:
    packet = 37 * CELL
    enough = 128 * 3 * (3 * packet + 1)
    assert computed_thresholds(1.0, enough, 128, 2, CELL, MTU) == Marking(2 * packet, 3 * packet, 5)
    refused = computed_thresholds(1.0, enough - 128 * 3, 128, 2, CELL, MTU)
    assert isinstance(refused, Refusal)
    assert refused.code == "FG-QOS-031"
    assert refused.facts == {"bound_bytes": 3 * packet, "least_bytes": 3 * packet}


def test_a_switch_with_one_port_marks_before_it_pauses() -> None:
    found = computed_thresholds(1.0, 1000 * 2 * CELL, 1, 1, CELL, MTU)
    assert isinstance(found, Marking)
    assert found.kmax_bytes == 999 * CELL < pause_bytes(1.0, 1000 * 2 * CELL)


@given(
    alpha=st.sampled_from([2.0**power for power in range(-8, 9)]),
    shared=st.integers(1_000_000, 300_000_000),
    ports=st.integers(1, 512),
    lossless=st.integers(1, 8),
    cell=st.sampled_from([144, 192, 254, 420, 512]),
    mtu=st.integers(1500, 9216),
    ratio=st.fractions(0, 1),
)
def test_computed_thresholds_hold_what_they_promise(
    alpha: float, shared: int, ports: int, lossless: int, cell: int, mtu: int, ratio: Fraction
) -> None:
    bound = ecn_bound_bytes(alpha, shared, ports, lossless)
    found = computed_thresholds(alpha, shared, ports, lossless, cell, mtu, MarkingShape(ratio, 5))
    if isinstance(found, Refusal):
        assert bound < 3 * (mtu + cell)
        return
    assert 2 * mtu <= found.kmin_bytes <= found.kmax_bytes - mtu
    assert found.kmax_bytes < bound
    assert found.kmin_bytes % cell == found.kmax_bytes % cell == 0


def test_scaling_with_speed() -> None:
    assert hpcc_thresholds(25) == Marking(100_000, 400_000, 20)
    assert hpcc_thresholds(400) == Marking(1_600_000, 6_400_000, 20)
    assert hpcc_thresholds(800) == Marking(3_200_000, 12_800_000, 20)


def test_what_a_pools_size_counts_is_the_makers_choice() -> None:
    """All cells of the chip on Broadcom, headroom inside; NVIDIA's script takes the headroom off first."""
    assert pool("dell_z9664f", "DellEMC-Z9664f-O64").size_bytes == 2 * 223_662 * 254
    assert shared_of("dell_z9664f", "DellEMC-Z9664f-O64") == 113_620_296 - 50_653_696
    assert pool("nvidia_sn5600", "Mellanox-SN5600-V256").xoff_bytes == 60_293_120
    assert shared_of("nvidia_sn5600", "Mellanox-SN5600-V256") == 73_684_992
    assert shared_of("nvidia_sn5600", "ACS-SN5600") == 67_737_959
