"""Origination, filters, arrival and number of equal paths of routes."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from ..facts import Device
from ..policy import Prefix
from .case import FAMILIES, Case


def originated(device: Device) -> set[Prefix]:
    bgp = device.bgp
    if bgp is None:
        return set()
    local = {
        "connected": connected(device),
        "static": {route.prefix for route in device.routes},
        "kernel": set[Prefix](),
    }
    found = set(bgp.networks) | set(bgp.aggregates)
    for protocol, policy in bgp.redistributed.items():
        source, _, family = protocol.partition(" ")
        routes = {p for p in local.get(source, set()) if FAMILIES[p.bits].lower() == (family or "ipv4")}
        found |= {p for p in routes if policy is None or policy.permits(p)}
    return found


def connected(device: Device) -> set[Prefix]:
    ports = [a.subnet for i in device.interfaces.values() if i.up for a in i.addresses]
    vlans = {a.subnet for addresses in device.vlans.values() for a in addresses}
    return set(ports) | vlans | of_routed_bonds(device) | {a.subnet for a in device.loopbacks}


def of_routed_bonds(device: Device) -> set[Prefix]:
    """Prefixes of the bonds that a leaf routes; its twins have the same."""
    return {a.subnet for bond in device.bonds.values() if bond.is_routed for a in bond.addresses}


def told_singly(device: Device, links: set[Prefix]) -> set[Prefix]:
    """Prefixes of links to hosts that a leaf may announce beside its aggregate.

    All of them if it routes bonds, or shares the aggregate with leafs whose links count between its own.
    """
    prefixes = originated(device)
    single = links & prefixes & connected(device)
    shares = any(block.covers(each) for block in prefixes - single for each in single)
    return links if shares or of_routed_bonds(device) else set()


def host_subnets(case: Case) -> dict[str, set[Prefix]]:
    """Subnets of the links between hosts and leafs, by leaf; links of absent hosts included."""
    found: dict[str, set[Prefix]] = {}
    for device in case.fabric.switches():
        for port in device.interfaces.values():
            if port.neighbor is None:
                continue
            peer = case.fabric.devices.get(port.neighbor[0])
            if (peer is not None and peer.kind == "host") or (peer is None and case.is_absent(port.neighbor[0])):
                own = device.bonds[port.bond].addresses if port.bond else port.addresses
                found.setdefault(device.name, set()).update(a.subnet for a in own)
    return found


def aggregates(case: Case) -> dict[str, list[Prefix]]:
    """Return what each leaf originates beside its loopback."""
    found = {}
    for name, links in host_subnets(case).items():
        device = case.fabric.devices[name]
        loopbacks = {a.subnet for a in device.loopbacks}
        found[name] = sorted(originated(device) - loopbacks - told_singly(device, links))
    return found


def prove_originations(case: Case) -> list[str]:
    """A leaf originates its loopbacks and an aggregate in each family, any other switch its loopbacks alone."""
    found = []
    leafs = host_subnets(case)
    for device in case.fabric.switches():
        loopbacks = {a.subnet for a in device.loopbacks}
        prefixes = originated(device)
        found += [f"{device.name}: does not originate its loopback {p}" for p in sorted(loopbacks - prefixes)]
        others = sorted(prefixes - loopbacks - told_singly(device, leafs.get(device.name, set())))
        if device.name in leafs and sorted(p.bits for p in others) != list(case.families):
            found.append(
                f"{device.name}: originates {_list(others)} beside its loopback, not one aggregate of each family"
            )
        if device.name not in leafs and others:
            found.append(f"{device.name}: originates {_list(others)} although no host hangs on it")
        found += _backed(device)
    return found


def _list(prefixes: list[Prefix]) -> str:
    return ", ".join(map(str, prefixes)) or "nothing"


def _backed(device: Device) -> list[str]:
    """Prefixes named for BGP without a route behind them: they would never be sent."""
    bgp = device.bgp
    if bgp is None or not bgp.import_check:
        return []
    routes = connected(device) | {route.prefix for route in device.routes}
    return [f"{device.name}: network {p} has no route behind it" for p in bgp.networks if p not in routes]


BESIDE_HOSTS = 2 + 16 + 1
"""Addresses of a subnet of bonds beside those of hosts, at most: its own two, leafs in eight planes, its last."""


def prove_aggregates(case: Case) -> list[str]:
    """Aggregates cover exactly their leaf's host links, meet nobody else's, and discard what nobody has."""
    found = []
    subnets = host_subnets(case)
    blocks = [(block, name) for name, blocks in aggregates(case).items() for block in blocks]
    usual = {
        bits: Counter(block.length for block, _ in blocks if block.bits == bits).most_common(1)[0][0]
        for bits in {block.bits for block, _ in blocks}
    }
    for block, name in blocks:
        inside = sorted(s for s in subnets[name] if s.bits == block.bits)
        found += [f"{name}: host link {s} is outside its aggregate {block}" for s in inside if not block.covers(s)]
        ports = case.expected.host_links or len(case.fabric.devices[name].interfaces)
        ports *= (
            sum(block == other for other, _ in blocks) if subnets[name] <= originated(case.fabric.devices[name]) else 1
        )
        beside = BESIDE_HOSTS if case.fabric.devices[name].bonds else 0
        needed = max(ports + beside, 2 * max(ports, 1))
        if block.last - block.first + 1 > 2 * needed:
            found.append(f"{name}: aggregate {block} is wider than its {ports} ports can fill")
        if block.length != usual[block.bits]:
            found.append(f"{name}: aggregate {block}, but other leafs have /{usual[block.bits]}")
        discards = any(r.prefix == block and not r.via for r in case.fabric.devices[name].routes)
        if not discards and block not in _shared(case.fabric.devices[name]):
            found.append(f"{name}: no discard route for its aggregate {block}")
    ordered = sorted(blocks)
    for (block, name), (other, owner) in pairwise(ordered):
        twins = block == other and all(_has_twins(case.fabric.devices[leaf], block) for leaf in (name, owner))
        if block.overlaps(other) and not twins:
            found.append(f"{name}: aggregate {block} overlaps {other} of {owner}")
    return found + _foreign(case, ordered)


def _shared(device: Device) -> set[Prefix]:
    """Subnets of bonds: a leaf is connected to them, and so are its twins."""
    return {a.subnet for addresses in device.vlans.values() for a in addresses}


def _has_twins(device: Device, block: Prefix) -> bool:
    """Return whether a block is that of bonds, or of links announced singly, which other leafs have as well."""
    single = of_routed_bonds(device) | (originated(device) & connected(device) - {block})
    return block in _shared(device) or any(block.covers(each) for each in single)


def _foreign(case: Case, blocks: list[tuple[Prefix, str]]) -> list[str]:
    """Addresses of switches and their links that lie in some leaf's aggregate."""
    found = []
    own = host_subnets(case)
    owners: dict[Prefix, list[str]] = {}
    for block, name in blocks:
        owners.setdefault(block, []).append(name)
    lengths = sorted({(block.bits, block.length) for block in owners})
    for device in case.fabric.switches():
        mine = own.get(device.name, set())
        for subnet in sorted(connected(device)):
            around = [subnet.widened(length) for bits, length in lengths if bits == subnet.bits]
            for block, name in [(wide, name) for wide in around for name in owners.get(wide, ())]:
                is_own = subnet in mine and (name == device.name or _has_twins(device, block))
                if block.covers(subnet) and not is_own:
                    found.append(f"{name}: aggregate {block} takes in {subnet} of {device.name}")
    return found


def prove_no_default_route(case: Case) -> list[str]:
    """No device has, originates, imports or exports a default route."""
    found = []
    for device in case.fabric.devices.values():
        for route in device.routes:
            if route.prefix.is_default:
                where = f"{device.name} {route.device}".rstrip()
                found.append(f"{where}: has a default route via {route.via or 'discard'}")
        if device.bgp is None:
            continue
        found += [f"{device.name}: originates a default route" for p in originated(device) if p.is_default]
        for session in device.bgp.sessions:
            default = Prefix(0, 0, session.bits)
            for way, policies in (("import", session.import_policies), ("export", session.export_policies)):
                if policies and all(policy.permits(default) for policy in policies):
                    found.append(f"{device.name}: {way} policy of session to {session.peer} permits a default route")
    return found
