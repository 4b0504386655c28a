"""Links of one device with names of ports and addresses of both ends; the subnet that bonded hosts share.

A routed bond has a prefix of its own, with the same two addresses whichever leaf a packet takes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fabricgen.device.model import HostSubnet, Port, PortShape, SwitchClass
from fabricgen.plan.model.cabling import FabricLink, HostLink, down_links, host_links, up_links
from fabricgen.plan.model.fabric import FAMILY_BITS, FabricPlan
from fabricgen.plan.model.identity import Coordinates, DeviceId
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


def host_numbers(plan: FabricPlan, link: HostLink) -> tuple[int, int]:
    """Numbers of the leaf's and the host's address on a link: of a prefix of its own, or of the bonds' subnet."""
    leaf = plan.tiers[0]
    if leaf.layout.host_block is None:
        return 0, 1
    block, group = leaf.layout.host_block, plan.hosts[link.host.group]
    position = bond_position(group, link)
    if plan.addressing.host_subnet:
        # Addresses of hosts come after those of the leafs there is room for.
        first = block.at(link.upper)
        return first + GATEWAY, first + FIRST_LEAF + leaf.reserved.plane * leaf.reserved.index + position
    number = block.at_port(link.upper, position, group.slots_per_host)
    return number, number ^ 1


def build_host_subnet(plan: FabricPlan, where: Coordinates) -> HostSubnet | None:
    """The subnet as one leaf of a rail group has it."""
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


class Wiring:
    """Links and names of one plan; keeps the names it has already worked out."""

    def __init__(self, plan: FabricPlan) -> None:
        """Prepare for one plan."""
        self.plan = plan
        self._names: dict[tuple[int, Coordinates], str] = {}
        self._regular = {(tier.number, up): _port_names(tier, up=up) for tier in plan.tiers for up in (False, True)}

    def is_irregular(self, device: DeviceId) -> bool:
        """Return whether a switch differs from its class because it, or a neighbour, is an exception."""
        return device in self.plan.exceptions.touched

    def name(self, tier: int, where: Coordinates) -> str:
        """Host name of a switch, remembered."""
        key = (tier, where)
        name = self._names.get(key)
        if name is None:
            name = self._names[key] = self.plan.device_name(DeviceId(tier, where))
        return name

    def port_names(self, tier: int, where: Coordinates | None = None, *, up: bool) -> list[str]:
        """Names of a switch's ports by position on one side; without coordinates, of the tier's regular switches."""
        box = self.plan.tier_of(DeviceId(tier, where)) if where else self.plan.tiers[tier]
        return self._regular[tier, up] if box is self.plan.tiers[tier] else _port_names(box, up=up)

    def is_drained(self, link: FabricLink) -> bool:
        """Return whether an exception drains a link."""
        found = self.plan.exceptions.links.get(link.id)
        return found is not None and found.state == "drained"


def _port_names(box: Tier, *, up: bool) -> list[str]:
    side = box.up if up else box.down
    return [box.slots[at].name for at in side.slots] if side else []


def host_port(group: HostGroup, link: HostLink) -> str:
    """The host's interface at a link, as a neighbour sees it."""
    return f"rail{link.rail}" if group.spread or group.nic_ports == 1 else f"rail{link.rail}p{link.port}"


_Shapes = Mapping[str, PortShape]


def build_ports(wiring: Wiring, device: DeviceId, cls: SwitchClass) -> list[Port]:
    """Every used port of a switch, in front-panel order."""
    shapes = {shape.name: shape for shape in cls.ports if shape.used}
    below = _fabric_ports(wiring, device, shapes, is_up=False) if device.tier else _host_ports(wiring, device, shapes)
    ports = [*below, *_fabric_ports(wiring, device, shapes, is_up=True)]
    ports.sort(key=lambda port: (port.shape.cage, port.shape.subport))
    return ports


def _fabric_ports(wiring: Wiring, device: DeviceId, shapes: _Shapes, *, is_up: bool) -> Iterator[Port]:
    """Ports towards the tier above or below."""
    plan, irregular = wiring.plan, wiring.is_irregular(device)
    lower = plan.tiers[device.tier if is_up else device.tier - 1]
    if is_up and not lower.up:
        return
    tier = device.tier + 1 if is_up else lower.number
    names, peer_names = wiring.port_names(*device, up=is_up), wiring.port_names(tier, up=not is_up)
    asn = plan.tiers[tier].layout.asn
    for link in (up_links if is_up else down_links)(plan, device):
        ends = (link.lower_position, link.upper_position)
        (at, peer_at), peer = (ends, link.upper) if is_up else (ends[::-1], link.lower)
        shape = shapes.get(names[at]) if at < len(names) else None
        if irregular:
            peer_names = wiring.port_names(tier, peer, up=not is_up)
        if shape is None or peer_at >= len(peer_names):
            continue
        addresses = _link_addresses(plan, link)
        (own, own6), (other, other6) = addresses if is_up else addresses[::-1]
        yield Port(
            shape,
            wiring.name(tier, peer),
            peer_names[peer_at],
            own,
            other,
            plan.planned_asn(DeviceId(tier, peer)) if plan.own else asn.at(peer),
            drained=irregular and wiring.is_drained(link),
            address6=own6,
            peer_address6=other6,
        )


def _link_addresses(plan: FabricPlan, link: FabricLink) -> tuple[tuple[str, str], tuple[str, str]]:
    """The addresses of both families at a link's lower end, the second ones of its prefixes, and at its upper end."""
    pool, uplink = plan.addressing.fabric_links, plan.tiers[link.number - 1].layout.uplink
    if pool is None or uplink is None:
        return ("", ""), ("", "")
    number = uplink.at_port(link.lower, link.lower_position)
    return (pool.text4(number), pool.text6(number)), (pool.text4(number ^ 1), pool.text6(number ^ 1))


def _host_ports(wiring: Wiring, device: DeviceId, shapes: _Shapes) -> Iterator[Port]:
    """Ports towards hosts; one in a bond has no address, its subnet has."""
    plan, names = wiring.plan, wiring.port_names(0, device.where, up=False)
    addressing = plan.addressing
    pool, subnet = addressing.host_links, addressing.host_subnet
    for link in host_links(plan, device):
        shape = shapes.get(names[link.upper_position]) if link.upper_position < len(names) else None
        if shape is None:
            continue
        own, host = host_numbers(plan, link)
        group = plan.hosts[link.host.group]
        yield Port(
            shape,
            plan.host_name(link.host),
            host_port(group, link),
            "" if subnet else pool.text4(own),
            pool.text4(host),
            plan.host_asn,
            addressing.host_block_len if subnet else 31,
            bond=bond_position(group, link) + 1 if group.bond else 0,
            address6="" if subnet else pool.text6(own),
            peer_address6=pool.text6(host),
            prefix_len6=addressing.host_block_len + FAMILY_BITS if subnet else 127,
        )
