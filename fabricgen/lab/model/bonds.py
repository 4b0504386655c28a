"""Bonds of hosts in the lab: routing only. Each cable is a route of its own, since this kernel may know no LACP.

A host has its address on every cable of a bond and a route with a next hop over each. A leaf has the gateway's address
on every host port, and a static route to the host through it: it is announced while the port has a carrier, as on the
device while the leaf has an ARP entry. Of a routed bond each cable has the addresses: its prefix is connected, and the
rendered configuration announces it as long.
"""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.device.model import Port, Switch
from fabricgen.lab.model.configuration import RoutingText

ADDED = "added: a static route through its port for every bonded host, in place of routes from ARP"


def gateway_addresses(switch: Switch) -> tuple[str, ...]:
    """Return what a host port of a leaf has as its own: the gateway, which is the same on all of them."""
    subnet = switch.host_subnet
    if subnet is None:
        return ()
    return single_addresses(subnet.gateway, subnet.gateway6)


def host_routes(switch: Switch, port: Port) -> tuple[str, ...]:
    """Prefixes that a leaf announces as long as a port is up; none unless it is one to a bonded host."""
    if port.peer_asn or not (switch.host_subnet or switch.cls.bond_mac):
        return ()
    if switch.host_subnet is None:
        lengths = (switch.cls.prefixes.host_len, switch.cls.prefixes.host_len6)
        addresses = (port.address, port.address6)
        return tuple(f"{text}/{length}" for text, length in zip(addresses, lengths, strict=True) if text)
    return single_addresses(port.peer_address, port.peer_address6)


def single_addresses(ipv4: str, ipv6: str) -> tuple[str, ...]:
    """Addresses as prefixes of their own; a family that is not there is left out."""
    return tuple(f"{address}/{length}" for address, length in ((ipv4, 32), (ipv6, 128)) if address)


def announce_hosts(routing: RoutingText, switch: Switch) -> RoutingText:
    """The routing configuration of a leaf with routes to its bonded hosts; of any other switch as it is."""
    if switch.host_subnet is None:
        return routing
    routes = [(prefix, port.shape.name) for port in switch.ports for prefix in host_routes(switch, port)]
    if not routes:
        return routing
    lines = "\n".join(_lines(switch, routes))
    return RoutingText(f"{routing.text}{lines}\n", (*routing.adapted, ADDED))


def _lines(switch: Switch, routes: list[tuple[str, str]]) -> Iterator[str]:
    families = (
        ("ip", "ipv4", "", switch.aggregate, 32, [pair for pair in routes if ":" not in pair[0]]),
        ("ipv6", "ipv6", "6", switch.aggregate6, 128, [pair for pair in routes if ":" in pair[0]]),
    )
    for word, family, suffix, aggregate, length, own in families:
        if not own:
            continue
        yield f"{word} prefix-list OWN{suffix} seq 30 permit {aggregate} ge {length} le {length}"
        yield from (f"{word} route {prefix} {port}" for prefix, port in own)
        yield f"router bgp {switch.asn}"
        yield f" address-family {family} unicast"
        yield from (f"  network {prefix}" for prefix in dict.fromkeys(prefix for prefix, _ in own))
        yield " exit-address-family"
        yield "exit"
