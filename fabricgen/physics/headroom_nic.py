"""PFC headroom in a ConnectX NIC, as the mlx5 driver sets it."""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.physics.refusal import Refusal

SLOWEST_GBPS = 40
LEAST_MAX_MTU_BYTES = 9216


class NicThresholds(NamedTuple):
    """Fill levels of a NIC receive buffer at which it pauses and resumes the peer, bytes."""

    xoff_bytes: int
    xon_bytes: int


def mlx5_law_bytes(speed_gbps: int, cable_m: float, mtu_bytes: int) -> float:
    """Headroom of a lossless NIC buffer by the law the driver states.

    The figure programmed is `mlx5_headroom_bytes`, which truncates and knows no speed below 40 Gb/s.

    Source:
        torvalds/linux drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c: (301 + 2.16 L) C + 2.72 MTU.
    """
    return (301 + 2.16 * cable_m) * speed_gbps + 2.72 * mtu_bytes


def mlx5_headroom_bytes(speed_gbps: int, cable_m: int, mtu_bytes: int) -> int:
    """Headroom the driver sets aside in every lossless receive buffer, bytes.

    Args:
        speed_gbps: Link speed, Gb/s; at least 40 is assumed.
        cable_m: Cable length as the driver keeps it, whole metres.
        mtu_bytes: MTU of the interface.

    Returns:
        Bytes below the buffer's end at which the NIC pauses its peer.

    Source:
        torvalds/linux drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c, calculate_xoff.
    """
    mbps = max(speed_gbps, SLOWEST_GBPS) * 1000
    return (301 + 216 * cable_m // 100) * mbps // 1000 + 272 * mtu_bytes // 100


def mlx5_thresholds(
    buffer_bytes: int, headroom_bytes: int, max_mtu_bytes: int, cell_bytes: int
) -> NicThresholds | Refusal:
    """Where a lossless receive buffer of the NIC pauses and resumes.

    Args:
        buffer_bytes: Size of the buffer.
        headroom_bytes: What `mlx5_headroom_bytes` says.
        max_mtu_bytes: Largest MTU the interface can have; at least 9216 is assumed.
        cell_bytes: Allocation unit of the NIC's buffer.

    Returns:
        Thresholds; or the refusal FG-BUF-017 for a buffer that the driver refuses as too small for lossless traffic.

    Source:
        torvalds/linux drivers/net/ethernet/mellanox/mlx5/core/en/port_buffer.c, update_xoff_threshold.
    """
    max_mtu = max(max_mtu_bytes, LEAST_MAX_MTU_BYTES)
    least = headroom_bytes + max_mtu + cell_bytes
    if buffer_bytes < least:
        return Refusal("FG-BUF-017", {"buffer_bytes": buffer_bytes, "least_bytes": least})
    xoff = buffer_bytes - headroom_bytes
    return NicThresholds(xoff, xoff - max_mtu)
