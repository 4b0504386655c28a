"""Use of equal links under each way to spread: order of the modes, published ranges, the payload of a packet."""

from __future__ import annotations

import itertools

import pytest

from fabricgen.physics.capacity import link_use, payload_share
from fabricgen.physics.path_delay import gap_above_us, path_spread_us

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
