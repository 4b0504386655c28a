"""Lowering of a switch's used ports: what is at the other end of each, and the addresses of both ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fabricgen.device.host_subnet import bond_position, host_numbers
from fabricgen.device.model import Port, PortShape, SwitchClass
from fabricgen.device.wiring import Wiring, host_port
from fabricgen.plan.model.cabling import down_links, host_links, up_links
from fabricgen.plan.model.fabric import FAMILY_BITS
from fabricgen.plan.model.identity import DeviceId

_Shapes = Mapping[str, PortShape]


def build_ports(wiring: Wiring, device: DeviceId, cls: SwitchClass) -> list[Port]:
    """Every used port of a switch, in front-panel order.

    Args:
        wiring: Links and names of the plan.
        device: The switch.
        cls: Its class, whose port shapes the ports refer to.
    """
    shapes = {shape.name: shape for shape in cls.ports if shape.used}
    ports = [*(_down_ports if device.tier else _host_ports)(wiring, device, shapes), *_up_ports(wiring, device, shapes)]
    ports.sort(key=lambda port: (port.shape.cage, port.shape.subport))
    return ports


def _up_ports(wiring: Wiring, device: DeviceId, shapes: _Shapes) -> Iterator[Port]:
    """Ports towards the tier above; the lower end of a link has the second address of its prefix."""
    plan, tier = wiring.plan, wiring.plan.tiers[device.tier]
    if not tier.up:
        return
    irregular = wiring.is_irregular(device)
    asn = plan.tiers[device.tier + 1].layout.asn
    pool, first = plan.addressing.fabric_links, tier.layout.uplink.at(device.where) if tier.layout.uplink else 0
    names = wiring.names_up(device.tier, device.where)
    peer_names = wiring.names_down(device.tier + 1)
    for link in up_links(plan, device):
        shape = shapes.get(names[link.lower_position]) if link.lower_position < len(names) else None
        if irregular:
            peer_names = wiring.names_down(link.number, link.upper)
        if shape is None or link.upper_position >= len(peer_names):
            continue
        number = first + 2 * link.lower_position
        yield Port(
            shape,
            wiring.name(link.number, link.upper),
            peer_names[link.upper_position],
            pool.text4(number) if pool else "",
            pool.text4(number - 1) if pool else "",
            asn.at(link.upper),
            drained=irregular and wiring.is_drained(link),
            address6=pool.text6(number) if pool else "",
            peer_address6=pool.text6(number - 1) if pool else "",
        )


def _down_ports(wiring: Wiring, device: DeviceId, shapes: _Shapes) -> Iterator[Port]:
    """Ports towards the switches below."""
    plan, lower = wiring.plan, wiring.plan.tiers[device.tier - 1]
    irregular = wiring.is_irregular(device)
    pool, uplink, asn = plan.addressing.fabric_links, lower.layout.uplink, lower.layout.asn
    names = wiring.names_down(device.tier, device.where)
    peer_names = wiring.names_up(lower.number)
    for link in down_links(plan, device):
        shape = shapes.get(names[link.upper_position]) if link.upper_position < len(names) else None
        if irregular:
            peer_names = wiring.names_up(lower.number, link.lower)
        if shape is None or link.lower_position >= len(peer_names):
            continue
        number = uplink.at(link.lower) + 2 * link.lower_position if uplink else 0
        yield Port(
            shape,
            wiring.name(lower.number, link.lower),
            peer_names[link.lower_position],
            pool.text4(number - 1) if pool else "",
            pool.text4(number) if pool else "",
            asn.at(link.lower),
            drained=irregular and wiring.is_drained(link),
            address6=pool.text6(number - 1) if pool else "",
            peer_address6=pool.text6(number) if pool else "",
        )


def _host_ports(wiring: Wiring, device: DeviceId, shapes: _Shapes) -> Iterator[Port]:
    """Ports towards hosts; one in a bond has no address, its subnet has."""
    plan, names = wiring.plan, wiring.names_down(0, device.where)
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
