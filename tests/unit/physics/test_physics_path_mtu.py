"""RDMA path MTU of an interface, and what PCIe slots carry: figures of the Linux kernel."""

from __future__ import annotations

import pytest

from fabricgen.physics.capacity import PATH_MTUS_BYTES, least_mtu_bytes, roce_path_mtu_bytes, slot_gbps


@pytest.mark.parametrize(
    ("mtu", "path_mtu"),
    [(9216, 4096), (4192, 4096), (4191, 2048), (4096, 2048), (2144, 2048), (1500, 1024), (1119, 512), (351, 0)],
)
def test_path_mtu_is_the_largest_that_fits_with_headers(mtu: int, path_mtu: int) -> None:
    assert roce_path_mtu_bytes(mtu) == path_mtu


@pytest.mark.parametrize("path_mtu", PATH_MTUS_BYTES)
def test_least_mtu_is_the_edge(path_mtu: int) -> None:
    edge = least_mtu_bytes(path_mtu)
    assert roce_path_mtu_bytes(edge) == path_mtu
    assert roce_path_mtu_bytes(edge - 1) < path_mtu


@pytest.mark.parametrize(
    ("generation", "lanes", "gbps"),
    [(3, 16, 126.016), (4, 16, 252.048), (5, 8, 252.056), (5, 16, 504.112), (6, 16, 1024)],
)
def test_slot_carries_what_the_kernel_prints(generation: int, lanes: int, gbps: float) -> None:
    assert slot_gbps(generation, lanes) == pytest.approx(gbps, rel=1e-3)


def test_unknown_generation_carries_nothing_known() -> None:
    assert slot_gbps(7, 16) is None
