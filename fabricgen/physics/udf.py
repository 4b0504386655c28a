"""Bytes of a packet that a user-defined field of the ECMP hash reads."""

from __future__ import annotations

from typing import NamedTuple

ROCE_UDP_PORT = 4791
"""Destination port of RoCE version 2 (IANA; InfiniBand annex A17)."""


class HashField(NamedTuple):
    """A user-defined field: the UDP destination port it applies to, offset from the UDP header, and length."""

    udp_port: int
    offset_bytes: int
    length_bytes: int


def roce_dest_qp_field(asic_vendor: str) -> HashField:
    """Return the position of the destination queue pair of RoCE version 2.

    The base transport header follows eight bytes of UDP, and the queue pair is its sixth to eighth byte. NVIDIA's ASICs
    take the lower two of the three bytes.

    Args:
        asic_vendor: Maker of the ASIC as the catalog spells it.

    Source:
        InfiniBand Architecture Specification volume 1, base transport header; facebook/fboss 14ec47ec (2026-08-22),
        fboss/agent/test/utils/UdfTestUtils (offset 13, length 3; Chenab: 14 and 2).
    """
    return HashField(ROCE_UDP_PORT, 14, 2) if asic_vendor == "nvidia" else HashField(ROCE_UDP_PORT, 13, 3)
