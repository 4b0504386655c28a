"""View of the sessions of BGP++: a session per link and family, in a group per neighbouring tier and family."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from fabricgen.device.model import Port, Switch
from fabricgen.platforms.views.bgp import ClassBgp, Family, device_lists
from fabricgen.platforms.views.policy import ENDING, FABRIC, HOSTS, LOWER, UPPER, RoutePolicy, Statement, last_resort
from fabricgen.platforms.views.prefix_lists import PrefixList, PrefixRule, list_name

Prefixes = tuple[PrefixRule, ...]
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


@dataclass(slots=True)
class FbossPolicy:
    """A named policy of one direction; ``prefixes`` is the list of those of its statements that have one."""

    name: Annotated[str, "SwitchClass.role", "LeafRoutes.name"]
    description: Annotated[str, "Switch.reason"]
    statements: Annotated[tuple[Statement, ...], "SwitchClass.role", "Switch.leafs"]
    prefixes: Annotated[Prefixes, "SwitchClass.prefixes"]


def build_policies(device: Switch, cls: ClassBgp) -> Iterator[FbossPolicy]:
    """Yield the policies of every side; a drained switch, or link, announces everything as a last resort."""
    drained = device.state == "drained"
    about = f"drained: {device.reason}" if drained else ""
    lists = _lists(device, cls)
    known = dict(lists)
    leafs = list(zip((leaf.name for leaf in device.leafs), (rules for kind, rules in lists if not kind), strict=True))
    for side in dict.fromkeys(policy.side for policy in cls.policies):
        policies = [last_resort(it, "Switch.state") if drained else it for it in cls.policies if it.side == side]
        yield from _of_side(policies, known, leafs, about)
        apart = _drained_peers(device, side)
        if apart:
            policies = [it for it in cls.drained if it.side == side]
            yield from _of_side(policies, known, [row for row in leafs if row[0] in apart], "drained links")


def _lists(device: Switch, cls: ClassBgp) -> list[tuple[str, Prefixes]]:
    """Return the prefix lists of all families by kind."""
    families = [device_lists(device, family) for family in cls.families]
    return [(rows[0].kind, _merged(rows)) for rows in zip(*families, strict=True)]


def _drained_peers(device: Switch, side: str) -> set[str]:
    """Return the neighbours of a side to which a link is drained."""
    ports = (port for port in device.ports if (port.shape.side == "up") == (side == UPPER))
    return {port.peer for port in ports if port.drained and port.peer_asn}


def _of_side(
    policies: Sequence[RoutePolicy], known: Mapping[str, Prefixes], leafs: Sequence[tuple[str, Prefixes]], about: str
) -> Iterator[FbossPolicy]:
    """Yield the policies of one side: those that all neighbours share, then what is heard of each leaf."""
    for policy in policies:
        yield FbossPolicy(policy.name, about, policy.statements, known.get(policy.statements[-1].prefixes, ()))
    accepted = policies[0]
    for leaf, prefixes in leafs if accepted.side == LOWER else ():
        name = list_name(leaf, ENDING if accepted.drained else "")
        yield FbossPolicy(name, about, accepted.statements, prefixes)


def _merged(lists: Sequence[PrefixList]) -> Prefixes:
    """Return the rules of the lists of all families as one; those of leafs and hosts kind by kind."""
    rules = [rule for each in lists for rule in each.rules]
    return tuple(rules if lists[0].kind == FABRIC else sorted(rules, key=lambda rule: rule.number))
