"""Addresses, loopbacks, AS numbers and router ids are each one device's own."""

from __future__ import annotations

from collections.abc import Iterator

from ..facts import Device
from ..policy import prefix
from .case import FAMILIES, Case


def _addresses(device: Device) -> Iterator[tuple[str, str]]:
    for interface in device.interfaces.values():
        for address in interface.addresses:
            yield address.text, f"{device.name} {interface.name}"
    shared = {} if device.kind == "switch" else {bond.name: bond.addresses for bond in device.bonds.values()}
    for name, addresses in {**shared, **{f"VLAN {number}": found for number, found in device.vlans.items()}}.items():
        for address in addresses:
            yield address.text, f"{device.name} {name}"
    for address in device.loopbacks:
        yield address.text, f"{device.name} loopback"
    for address in device.management:
        yield address.text, f"{device.name} management"


def prove_addresses_unique(case: Case) -> list[str]:
    """No address stands twice anywhere in the fabric."""
    owners: dict[str, list[str]] = {}
    for device in case.fabric.devices.values():
        for text, where in _addresses(device):
            owners.setdefault(text, []).append(where)
    return [f"{' and '.join(where)}: both have address {text}" for text, where in owners.items() if len(where) > 1]


def prove_loopbacks(case: Case) -> list[str]:
    """Every switch has one host-length loopback in each family; the IPv4 one is its router id, and that is its own."""
    found = []
    owners: dict[str, list[str]] = {}
    for device in case.fabric.switches():
        by_bits = {a.subnet.bits: a.text for a in device.loopbacks}
        if not by_bits or len(by_bits) != len(device.loopbacks):
            found.append(f"{device.name}: has {len(device.loopbacks)} loopback addresses")
        missing = [FAMILIES[bits] for bits in case.families if bits not in by_bits]
        found += [f"{device.name}: has no {family} loopback, other switches have one" for family in missing]
        for loopback in device.loopbacks:
            if loopback.subnet.length != loopback.subnet.bits:
                found.append(f"{device.name} loopback: {loopback.subnet} is no host prefix")
        ids = {by_bits[32], *case.expected.own_ids} if 32 in by_bits else set()
        if device.bgp and ids and device.bgp.router_id not in ids:
            found.append(f"{device.name}: router id {device.bgp.router_id}, loopback {by_bits[32]}")
        if device.bgp:
            owners.setdefault(device.bgp.router_id, []).append(device.name)
    for router_id, names in owners.items():
        if len(names) > 1:
            found.append(f"{' and '.join(names)}: share router id {router_id or 'of their own choice'}")
        if router_id == "0.0.0.0":
            found.append(f"{names[0]}: router id 0.0.0.0 is none")
    return found


def prove_management(case: Case) -> list[str]:
    """The management gateway stands in the management subnet, which meets no address of the fabric."""
    found = []
    blocks = {a.subnet for d in case.fabric.devices.values() for a in d.management}
    for device in case.fabric.devices.values():
        for address in device.management:
            gateway = device.management_gateway
            if gateway and not address.subnet.covers(prefix(gateway)):
                found.append(f"{device.name} management: gateway {gateway} is outside {address.subnet}")
            if gateway == address.text:
                found.append(f"{device.name} management: is its own gateway {gateway}")
        inside = [(a, i.name) for i in device.interfaces.values() for a in i.addresses]
        for address, name in inside + [(a, "loopback") for a in device.loopbacks]:
            found += [f"{device.name} {name}: {address.text} lies in {b}" for b in blocks if b.covers(address.subnet)]
    return found


def prove_as_numbers(case: Case) -> list[str]:
    """Every leaf has an AS number of its own; neighbours never share one."""
    found = []
    owners: dict[int, list[str]] = {}
    for device in case.fabric.switches():
        if device.bgp:
            owners.setdefault(device.bgp.asn, []).append(device.name)
    for asn, names in owners.items():
        if len(names) > 1 and any(case.graph.level.get(name) == 1 for name in names):
            found.append(f"{' and '.join(names)}: share AS {asn}, a leaf's must be its own")
    for lower, upper in case.switch_links:
        one, two = case.fabric.devices[lower[0]].bgp, case.fabric.devices[upper[0]].bgp
        if one and two and one.asn == two.asn:
            found.append(f"{lower[0]} {lower[1]}: AS {one.asn} at both ends, {upper[0]} too")
    return found
