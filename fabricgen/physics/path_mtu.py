"""Largest RoCE packets that fit an Ethernet link."""

from __future__ import annotations

ROCE_HEADERS_BYTES = 96
"""Set aside beside the payload: GRH or IP 40, UDP 8, BTH 12, XRC 4, atomic ETH 28, ICRC 4.

Source:
    Linux, include/rdma/ib_addr.h, iboe_get_mtu; include/rdma/ib_pack.h.
"""

PATH_MTUS_BYTES = (4096, 2048, 1024, 512, 256)
"""Payloads of a packet that InfiniBand knows, largest first (InfiniBand architecture, volume 1, section 9.7.4)."""

LARGEST_PATH_MTU_BYTES = PATH_MTUS_BYTES[0]


def roce_path_mtu_bytes(mtu_bytes: int) -> int:
    """Return the RDMA path MTU that a NIC port derives from the MTU of its interface; 0 where no packet fits.

    Args:
        mtu_bytes: IP MTU of the interface.

    Source:
        Linux, include/rdma/ib_addr.h, iboe_get_mtu, which the drivers of mlx5 and bnxt_re report as active MTU.
    """
    return next((size for size in PATH_MTUS_BYTES if mtu_bytes >= size + ROCE_HEADERS_BYTES), 0)


def least_mtu_bytes(path_mtu_bytes: int) -> int:
    """Return the smallest MTU of an interface that gives a RDMA path MTU.

    Args:
        path_mtu_bytes: One of ``PATH_MTUS_BYTES``.

    Source:
        See `roce_path_mtu_bytes`.
    """
    return path_mtu_bytes + ROCE_HEADERS_BYTES
