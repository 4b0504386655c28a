"""Addresses between a leaf and its hosts; the subnet that bonded ones share, with the LACP identity of its leafs.

A routed bond has a prefix of its own, with the same two addresses whichever leaf a packet takes.
"""

from __future__ import annotations

from fabricgen.device.model import HostSubnet
from fabricgen.plan.model.fabric import FAMILY_BITS, FabricPlan
from fabricgen.plan.model.links import HostLink
from fabricgen.plan.model.numbering import Coordinates
from fabricgen.plan.model.topology import HostGroup, Tier

GATEWAY, FIRST_LEAF = 1, 2
"""Offsets in a host subnet: the gateway, and the first leaf's own address."""
HOST_VLAN = 10
"""VLAN of the host subnet; it exists on one leaf only, the subnets are routed apart."""
GATEWAY_MAC = "02:00:5e:00:01:01"
"""MAC address of the gateway on every leaf: locally administered, as each subnet is a broadcast domain of its own."""
BOND_MAC = GATEWAY_MAC
"""MAC address and LACP system id of every routed bond: a host has one ARP entry, and sends by either leaf."""
LACP_SYSTEM_ID = "00:00:5e:00:01:01"
"""System id of every bond: a virtual router's MAC address, which no host has (Alibaba HPN, section 4.2)."""
LACP_PORT_IDS = 300
"""Port ids each leaf of a group has: more than a switch has ports (Alibaba HPN, section 4.2)."""


def bond_position(group: HostGroup, link: HostLink) -> int:
    """Position of the first cable that a NIC has on a leaf; it is the same on every leaf of the group."""
    return link.upper_position - (link.port % group.ports_per_leaf if group.bond else 0)


def first_host(leaf: Tier) -> int:
    """Offset of the first host's address in a host subnet, after those of the leafs there is room for."""
    return FIRST_LEAF + leaf.reserved.plane * leaf.reserved.index


def host_numbers(plan: FabricPlan, link: HostLink) -> tuple[int, int]:
    """Numbers of the leaf's and the host's address on a link: of a prefix of its own, or of the bonds' subnet."""
    leaf = plan.tiers[0]
    if leaf.layout.host_block is None:
        return 0, 1
    first = leaf.layout.host_block.at(link.upper)
    if plan.addressing.host_subnet:
        return first + GATEWAY, first + first_host(leaf) + bond_position(plan.hosts[link.host.group], link)
    position = bond_position(plan.hosts[link.host.group], link)
    return first + 2 * position, first + 2 * position + 1


def build_host_subnet(plan: FabricPlan, where: Coordinates) -> HostSubnet | None:
    """The subnet as one leaf of a rail group has it.

    Args:
        plan: The plan.
        where: The leaf.
    """
    leaf, pool, length = plan.tiers[0], plan.addressing.host_links, plan.addressing.host_block_len
    if leaf.layout.host_block is None:
        return None
    first = leaf.layout.host_block.at(where)
    member = where.plane * leaf.reserved.index + where.index
    return HostSubnet(
        prefix=_prefix(pool.text4(first), length),
        prefix_len=length,
        address=pool.text4(first + FIRST_LEAF + member),
        gateway=pool.text4(first + GATEWAY),
        gateway_mac=GATEWAY_MAC,
        vlan=HOST_VLAN,
        lacp_system_id=LACP_SYSTEM_ID,
        lacp_first_port_id=1 + member * LACP_PORT_IDS,
        lacp_last_port_id=(member + 1) * LACP_PORT_IDS,
        prefix6=_prefix(pool.text6(first), length + FAMILY_BITS),
        prefix_len6=length + FAMILY_BITS,
        address6=pool.text6(first + FIRST_LEAF + member),
        gateway6=pool.text6(first + GATEWAY),
    )


def _prefix(address: str, length: int) -> str:
    """A prefix as text; empty without an address."""
    return f"{address}/{length}" if address else ""
