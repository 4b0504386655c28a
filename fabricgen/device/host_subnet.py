"""The subnet that bonded hosts of a rail group share, and the LACP identity its leafs have in common."""

from __future__ import annotations

from fabricgen.device.model import HostSubnet
from fabricgen.plan.model.numbering import Coordinates, ipv4_text
from fabricgen.plan.model.topology import Tier

GATEWAY, FIRST_LEAF = 1, 2
"""Offsets in a host subnet: the gateway, and the first leaf's own address."""
HOST_VLAN = 10
"""VLAN of the host subnet; it exists on one leaf only, the subnets are routed apart."""
GATEWAY_MAC = "02:00:5e:00:01:01"
"""MAC address of the gateway on every leaf: locally administered, as each subnet is a broadcast domain of its own."""
LACP_SYSTEM_ID = "00:00:5e:00:01:01"
"""System id of every bond: a virtual router's MAC address, which no host has (Alibaba HPN, section 4.2)."""
LACP_PORT_IDS = 300
"""Port ids each leaf of a group has: more than a switch has ports (Alibaba HPN, section 4.2)."""


def first_host(leaf: Tier) -> int:
    """Offset of the first host's address in a host subnet, after those of the leafs there is room for."""
    return FIRST_LEAF + leaf.reserved.plane * leaf.reserved.index


def build_host_subnet(leaf: Tier, where: Coordinates, prefix_len: int) -> HostSubnet | None:
    """The subnet as one leaf of a rail group has it.

    Args:
        leaf: The leaf tier.
        where: The leaf.
        prefix_len: Prefix length of a leaf's host addresses.
    """
    if leaf.layout.host_block is None:
        return None
    first = leaf.layout.host_block.at(where)
    member = where.plane * leaf.reserved.index + where.index
    return HostSubnet(
        prefix=f"{ipv4_text(first)}/{prefix_len}",
        prefix_len=prefix_len,
        address=ipv4_text(first + FIRST_LEAF + member),
        gateway=ipv4_text(first + GATEWAY),
        gateway_mac=GATEWAY_MAC,
        vlan=HOST_VLAN,
        lacp_system_id=LACP_SYSTEM_ID,
        lacp_first_port_id=1 + member * LACP_PORT_IDS,
        lacp_last_port_id=(member + 1) * LACP_PORT_IDS,
    )
