"""Capacity: ratios, the share of a link's rate that packets can fill, path MTUs and PCIe slots."""

from __future__ import annotations

from math import ceil, gcd
from typing import NamedTuple

from fabricgen.physics.ecmp import max_over_mean


def next_power_of_two(count: int) -> int:
    """The smallest power of two not below ``count`` (at least 1)."""
    return 1 << (count - 1).bit_length() if count > 1 else 1


def reduced(numerator: int, denominator: int) -> tuple[int, int]:
    """A ratio in lowest terms; (0, 1) if the numerator is 0."""
    common = gcd(numerator, denominator)
    return numerator // common, denominator // common


ROCE_HEADERS_BYTES = 96
"""Set aside beside the payload: GRH or IP 40, UDP 8, BTH 12, XRC 4, atomic ETH 28, ICRC 4.

Source:
    Linux, include/rdma/ib_addr.h, iboe_get_mtu; include/rdma/ib_pack.h.
"""

PATH_MTUS_BYTES = (4096, 2048, 1024, 512, 256)
"""Payloads of a packet that InfiniBand knows, largest first (InfiniBand architecture, volume 1, section 9.7.4)."""

LARGEST_PATH_MTU_BYTES = PATH_MTUS_BYTES[0]


def roce_path_mtu_bytes(mtu_bytes: int) -> int:
    """Return the RDMA path MTU that a NIC port derives from its interface's IP MTU; 0 where no packet fits.

    Source:
        Linux, include/rdma/ib_addr.h, iboe_get_mtu, which the drivers of mlx5 and bnxt_re report as active MTU.
    """
    return next((size for size in PATH_MTUS_BYTES if mtu_bytes >= size + ROCE_HEADERS_BYTES), 0)


def least_mtu_bytes(path_mtu_bytes: int) -> int:
    """Return the smallest MTU of an interface that gives one of ``PATH_MTUS_BYTES``; see `roce_path_mtu_bytes`."""
    return path_mtu_bytes + ROCE_HEADERS_BYTES


WIRE_BYTES = 82
"""Bytes of a RoCE packet beside its payload: preamble and gap 20, Ethernet 18, IPv4 20, UDP 8, BTH 12, ICRC 4.

Source:
    IEEE 802.3, clauses 3 and 4; RFC 791; RFC 768; InfiniBand architecture, annex A17 (RoCEv2).
"""


class LinkUse(NamedTuple):
    """Share of a rate that payload can fill, in percent rounded down, and how that follows."""

    percent: int
    arithmetic: str


def payload_share(mtu_bytes: int) -> float:
    """Return the part of the rate of a link with this IP MTU that is payload of full RoCE packets."""
    payload = roce_path_mtu_bytes(mtu_bytes)
    return payload / (payload + WIRE_BYTES) if payload else 0.0


def link_use(balancing: str, flows: int, links: int, mtu_bytes: int) -> LinkUse:
    """Return how full equal links of an IP MTU are on average when equal flows fill the busiest of them.

    ``static``: flows are hashed, and the busiest link has the expected maximum. ``flowlet``: each flow is on the least
    loaded link, the best case. ``per_packet``, ``adaptive``: all links are loaded alike.

    Source:
        max_over_mean for ``static``: Meta measured 40 to 90 % for hashes and 80 % for centralised traffic engineering
        (Gangidi et al., SIGCOMM 2024, 16 uplinks). For ``adaptive`` NVIDIA reports 95 % in production (NVIDIA, 28
        October 2024, xAI's Colossus) and 98 % of line rate (arXiv 2605.21187). The rest is arithmetic.
    """
    payload = payload_share(mtu_bytes)
    ratio, why = _imbalance(balancing, flows, links)
    return LinkUse(int(100 * payload / ratio), f"{why}; {100 * payload:.1f} % of a packet are payload")


def _imbalance(balancing: str, flows: int, links: int) -> tuple[float, str]:
    """Return the load of the busiest link over the mean, and why it is that."""
    if links == 1 or balancing in ("per_packet", "adaptive"):
        return 1.0, "one link" if links == 1 else f"{balancing}: all links alike"
    over = f"{balancing}: {flows} flows over {links} links"
    ratio = ceil(flows / links) * links / flows if balancing == "flowlet" else max_over_mean(flows, links)
    return ratio, f"{over}, the busiest has {ratio:.2f} times the mean"


SLOT_LANES_MAX = 16
"""Lanes of the widest slot (PCI Express Card Electromechanical Specification)."""

LANE_MBPS_BY_GEN = {3: 8_000 * 128 // 130, 4: 16_000 * 128 // 130, 5: 32_000 * 128 // 130, 6: 64_000}
"""Rate of a lane each way after line coding, Mb/s (Linux, drivers/pci/pci.h, PCIE_SPEED2MBS_ENC)."""


def slot_gbps(generation: int, lanes: int) -> float | None:
    """Return what a slot carries in each direction before packet headers, Gb/s; None for an unknown generation.

    Source:
        Linux, drivers/pci/pci.c, pcie_bandwidth_capable; its 504.112 Gb/s of a fifth-generation slot of 16 lanes is
        what the kernel prints.
    """
    rate = LANE_MBPS_BY_GEN.get(generation)
    return None if rate is None else rate * lanes / 1000
