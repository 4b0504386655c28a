"""Rates that links, packets and PCIe slots carry: order of the modes, published ranges, figures of the Linux kernel."""

from __future__ import annotations

import itertools

import pytest

from fabricgen.physics.capacity import least_mtu_bytes, link_use, payload_share, roce_path_mtu_bytes, slot_gbps
from fabricgen.physics.path_delay import gap_above_us, path_spread_us


@pytest.mark.parametrize(
    ("mtu", "path_mtu"),
    [(9216, 4096), (4192, 4096), (4191, 2048), (4096, 2048), (2144, 2048), (1500, 1024), (1119, 512), (351, 0)],
)
def test_path_mtu_is_the_largest_that_fits_with_headers(mtu: int, path_mtu: int) -> None:
    assert roce_path_mtu_bytes(mtu) == path_mtu


@pytest.mark.parametrize("path_mtu", [256, 512, 1024, 2048, 4096])
def test_least_mtu_is_the_edge(path_mtu: int) -> None:
    edge = least_mtu_bytes(path_mtu)
    assert roce_path_mtu_bytes(edge) == path_mtu
    assert roce_path_mtu_bytes(edge - 1) < path_mtu


@pytest.mark.parametrize(
    ("generation", "lanes", "gbps"),
    [(3, 16, 126.016), (4, 16, 252.048), (5, 8, 252.056), (5, 16, 504.112), (6, 16, 1024), (7, 16, None)],
)
def test_slot_carries_what_the_kernel_prints(generation: int, lanes: int, gbps: float | None) -> None:
    assert slot_gbps(generation, lanes) == (gbps and pytest.approx(gbps, rel=1e-3))


MTU = 9100
PLACES = [*itertools.product((1, 16, 100, 1000), (1, 2, 16, 32))]


@pytest.mark.parametrize(("flows", "links"), PLACES)
def test_a_better_way_to_spread_never_fills_links_less(flows: int, links: int) -> None:
    used = [link_use(word, flows, links, MTU).percent for word in ("static", "flowlet", "per_packet", "adaptive")]
    assert used == sorted(used)
    assert used[2] == used[3] == int(100 * payload_share(MTU))


@pytest.mark.parametrize("pairs", [4, 8, 16, 32])
def test_hashes_fill_links_as_meta_measured(pairs: int) -> None:
    """16 uplinks of a switch with 16 NICs: 40 to 90 % (Gangidi et al., SIGCOMM 2024)."""
    assert 40 <= link_use("static", 16 * pairs, 16, MTU).percent <= 90


def test_more_flows_fill_hashed_links_better() -> None:
    used = [link_use("static", flows, 16, MTU).percent for flows in (16, 64, 256, 1024)]
    assert used == sorted(set(used))


def test_one_link_has_no_choice() -> None:
    assert len({link_use(word, 7, 1, MTU) for word in ("static", "flowlet", "adaptive")}) == 1


def test_flowlets_fill_links_that_their_flows_divide() -> None:
    assert link_use("flowlet", 64, 16, MTU).percent == int(100 * payload_share(MTU))
    assert link_use("flowlet", 17, 16, MTU).percent < 60


def test_small_packets_carry_less() -> None:
    shares = [payload_share(mtu) for mtu in (100, 1500, 2500, 9100)]
    assert shares == sorted(set(shares))
    assert shares[0] == 0.0


def test_the_gap_is_above_the_spread_of_long_cables_and_else_the_published_one() -> None:
    assert gap_above_us(path_spread_us([30, 40]), 16) == 16
    spread_us = path_spread_us([2000, 10000])
    gap_us = gap_above_us(spread_us, 16)
    assert spread_us < gap_us <= 2 * spread_us
    assert gap_us & (gap_us - 1) == 0
