"""Share of the rate of equal links that the traffic of a job can fill, by the way flows are spread over them."""

from __future__ import annotations

from math import ceil
from typing import NamedTuple

from fabricgen.physics.ecmp import max_over_mean
from fabricgen.physics.path_mtu import roce_path_mtu_bytes

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
    """Return the part of a link's rate that is payload of full RoCE packets.

    Args:
        mtu_bytes: IP MTU of the link.
    """
    payload = roce_path_mtu_bytes(mtu_bytes)
    return payload / (payload + WIRE_BYTES) if payload else 0.0


def link_use(balancing: str, flows: int, links: int, mtu_bytes: int) -> LinkUse:
    """Return how full equal links are on average when the busiest of them is full.

    Args:
        balancing: ``static``: flows are hashed, and the busiest link has the expected maximum. ``flowlet``: each flow
            is on the least loaded link, the best case. ``per_packet``, ``adaptive``: all links are loaded alike.
        flows: Equal flows that share the links, above 0.
        links: Links, above 0.
        mtu_bytes: IP MTU of the links.

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
