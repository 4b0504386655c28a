"""View of the sessions of BGP++: a session per link and family, in a group per neighbouring tier and family."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fabricgen.device.model import Port, Switch
from fabricgen.platforms.views.bgp import ClassBgp, Family
from fabricgen.platforms.views.policy import HOSTS, LOWER, UPPER
from fabricgen.platforms.views.prefix_lists import list_name

NO_HOP4, NO_HOP6 = "0.0.0.0", "::"  # noqa: S104 - no socket is bound to them
"""Addresses that stand for no next hop: both are always parsed (nexthop-ai/BGP ae5896c7, config/Config.cpp)."""
SIDES = {UPPER: "tier above", LOWER: "tier below", HOSTS: "hosts"}


@dataclass(frozen=True, slots=True)
class SessionGroup:
    """The sessions to the neighbours on one side in a family.

    Attributes:
        side: ``UPPER``, ``LOWER`` or ``HOSTS``, with which the names of its policies begin; both families share them.
        ttl_hops: Packets are taken with TTL 256 minus this at least, and sent with 255; 0 if TTL is not checked.
        without_ipv4: It carries no IPv4 prefixes; ``without_ipv6`` likewise.
    """

    name: Annotated[str, "SwitchClass.role", "SwitchClass.hosts_bgp"]
    side: Annotated[str, "SwitchClass.role", "SwitchClass.hosts_bgp"]
    description: Annotated[str, "SwitchClass.fabric"]
    ttl_hops: Annotated[int, "RoutingPolicy.gtsm_upper", "RoutingPolicy.gtsm_lower"]
    without_ipv4: Annotated[bool, "SwitchClass.ipv4"]
    without_ipv6: Annotated[bool, "SwitchClass.ipv4"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(slots=True)
class Peer:
    """A session to a switch, or to a host; ``ingress`` is its own policy of what is heard, empty for the group's."""

    port: Annotated[Port, "Switch.ports"]
    address: Annotated[str, "Port.address", "Port.address6"]
    peer_address: Annotated[str, "Port.peer_address", "Port.peer_address6"]
    next_hop4: Annotated[str, "Port.address"]
    next_hop6: Annotated[str, "Port.address6"]
    peer_asn: Annotated[int, "Port.peer_asn"]
    peer: Annotated[str, "Port.peer"]
    peer_port: Annotated[str, "Port.peer_port"]
    group: Annotated[str, "PortShape.side"]
    side: Annotated[str, "PortShape.side"]
    ingress: Annotated[str, "Port.peer", "Switch.leafs"]
    drained: Annotated[bool, "Port.drained"]


def peer_groups(fabric: str, bgp: ClassBgp) -> tuple[SessionGroup, ...]:
    """The groups of a class."""
    found = []
    for group in bgp.groups:
        ipv4 = any(family.name == "ipv4" for family in bgp.carried_by(group.name))
        words = f"{fabric}: {SIDES[group.side]}"
        description = words if ipv4 else f"{words}, IPv6"
        origins = {**group.origins, "ttl_hops": group.origins["gtsm"]}
        found.append(SessionGroup(group.name, group.side, description, int(group.gtsm), not ipv4, ipv4, origins))
    return tuple(found)


def build_peers(device: Switch, bgp: ClassBgp) -> list[Peer]:
    """The sessions of one switch, port by port."""
    named = bool(device.leafs)
    return [
        _peer(port, family, bgp.below, named=named) for port in device.ports if port.peer_asn for family in bgp.families
    ]


def _peer(port: Port, family: Family, below: str, *, named: bool) -> Peer:
    """The session over a port in a family; ``named`` says that each leaf below is held to what it may say."""
    ipv4, upper = family.name == "ipv4", port.shape.side == "up"
    return Peer(
        port,
        port.address if ipv4 else port.address6,
        port.peer_address if ipv4 else port.peer_address6,
        port.address if ipv4 else NO_HOP4,
        NO_HOP6 if ipv4 else port.address6,
        port.peer_asn,
        port.peer,
        port.peer_port,
        family.upper_group if upper else family.lower_group,
        UPPER if upper else below,
        list_name(port.peer, "") if named and not upper else "",
        port.drained,
    )
