"""What the view of every switch with BGP sessions of its own text has: families, peer groups, neighbours.

Numbered links have a session in each family, in peer groups of their own; the peer groups of IPv6 end in ``6``. A
session over an unnumbered link runs between link-local addresses and carries every family. Links to hosts are always
numbered. Hosts that speak BGP are below a leaf in groups of their own; they hear whole host blocks and tell nothing.

Source:
    RFC 8950 (IPv4 prefixes with IPv6 next hops); FRR user guide, bgp, neighbor PEER interface.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated

from fabricgen.device.model import LeafRoutes, Port, Switch, SwitchClass
from fabricgen.platforms.views.bgp_origins import (
    BELOW,
    BELOW_IPV4,
    BELOW_IPV6,
    OF_HOSTS,
    OF_IPV4,
    OF_IPV6,
    OF_LEAF4,
    OF_LEAF6,
    OF_LOWER,
    OF_NEIGHBOR,
    OF_UPPER,
)

UPPER, LOWER, HOSTS = "UPPER", "LOWER", "HOSTS"
"""Sides of a switch: the tier above, the tier below, the hosts of a leaf."""


@dataclass(frozen=True, slots=True)
class Family:
    """An address family as command lines write it.

    Attributes:
        word: ``ip`` or ``ipv6``, with which FRR's and EOS's commands begin.
        suffix: What the names of its lists and maps end in.
        host_len: Length of routes to single hosts; 0 where no host has one.
        upper_group: Peer group of the neighbours above that carry it.
        lower_group: That of the neighbours below: switches, or the hosts of a leaf; empty where nobody is.
    """

    name: Annotated[str, "SwitchClass.ipv4", "SwitchClass.ipv6"]
    word: Annotated[str, "SwitchClass.ipv4", "SwitchClass.ipv6"]
    suffix: Annotated[str, "SwitchClass.ipv4", "SwitchClass.ipv6"]
    loopbacks: Annotated[str, "FabricPrefixes.loopbacks", "FabricPrefixes.loopbacks6"]
    loopback_len: Annotated[int, "FabricPrefixes.loopback_len", "FabricPrefixes.loopback_len6"]
    host_links: Annotated[str, "FabricPrefixes.host_links", "FabricPrefixes.host_links6"]
    host_block_len: Annotated[int, "FabricPrefixes.host_block_len", "FabricPrefixes.host_block_len6"]
    upper_group: Annotated[str, "SwitchClass.has_upper", "SwitchClass.unnumbered"]
    lower_group: Annotated[str, "SwitchClass.role", "SwitchClass.unnumbered"]
    host_len: Annotated[int, "FabricPrefixes.host_len", "FabricPrefixes.host_len6"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PeerGroup:
    """The neighbours on one side.

    Attributes:
        bfd: It watches them where their platform answers.
        gtsm: Packets of their sessions are taken with TTL 255 only, and sent so.
        password: Of their sessions, a secret token; empty where they have none.
        unnumbered: Their sessions run over link-local addresses.
        side: ``UPPER``, ``LOWER`` or ``HOSTS``, with which the names of its policies begin.
    """

    name: Annotated[str, "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.hosts_bgp"]
    bfd: Annotated[bool, "RoutingPolicy.bfd_upper", "RoutingPolicy.bfd_lower"]
    gtsm: Annotated[bool, "RoutingPolicy.gtsm_upper", "RoutingPolicy.gtsm_lower"]
    password: Annotated[str, "RoutingPolicy.key_upper", "RoutingPolicy.key_lower"]
    unnumbered: Annotated[bool, "SwitchClass.unnumbered"]
    side: Annotated[str, "SwitchClass.has_upper", "SwitchClass.role"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class ClassBgp:
    """What a class of switches shares: its families and its peer groups, those above first.

    Attributes:
        below: ``LOWER``, or ``HOSTS`` where hosts are its neighbours below; empty where nobody is.
        restarts: Its neighbours keep its routes while its routing daemon starts anew: it is the only way to its hosts,
            and BFD takes away what does not forward.
        fib_pending: Routes are announced once they forward; not where the release has withdrawn that.
    """

    families: Annotated[tuple[Family, ...], "SwitchClass.ipv4", "SwitchClass.ipv6"]
    groups: Annotated[tuple[PeerGroup, ...], "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.hosts_bgp"]
    unnumbered: Annotated[bool, "SwitchClass.unnumbered"]
    origins: Mapping[str, tuple[str, ...]]
    below: Annotated[str, "SwitchClass.role", "SwitchClass.hosts_bgp"] = ""
    restarts: Annotated[bool, "RoutingPolicy.bfd_upper", "SwitchClass.role"] = False
    fib_pending: Annotated[bool, "SwitchClass.release"] = True


@dataclass(frozen=True, slots=True)
class Neighbor:
    """A BGP neighbour: ``name`` is its address, or the own port where the link is unnumbered."""

    name: Annotated[str, "Port.peer_address", "Port.peer_address6", "PortShape.name"]
    unnumbered: Annotated[bool, "SwitchClass.unnumbered"]
    asn: Annotated[int, "Port.peer_asn"]
    group: Annotated[str, "PortShape.side"]
    peer: Annotated[str, "Port.peer"]
    peer_port: Annotated[str, "Port.peer_port"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class LeafList:
    """What a leaf may say in a family, as a list of the switch above it; ``host_len`` 0 where no host has a route."""

    name: Annotated[str, "LeafRoutes.name"]
    loopback: Annotated[str, "LeafRoutes.loopback", "LeafRoutes.loopback6"]
    block: Annotated[str, "LeafRoutes.aggregate", "LeafRoutes.aggregate6"]
    host_len: Annotated[int, "FabricPrefixes.host_len", "FabricPrefixes.host_len6"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Listed:
    """A neighbour that is held to a list of its own."""

    name: Annotated[str, "Port.peer_address", "Port.peer_address6", "PortShape.name"]
    list: Annotated[str, "Port.peer"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class DeviceFamily:
    """What a switch has in a family.

    Attributes:
        drained_upper: Neighbours above over drained links; ``drained_lower`` are those below.
        leafs: Lists of the leafs below, one each.
        listed: The neighbours that are those leafs, with their lists.
    """

    family: Annotated[Family, "SwitchClass.ipv4", "SwitchClass.ipv6"]
    loopback: Annotated[str, "Switch.loopback", "Switch.loopback6"]
    loopback_prefix: Annotated[str, "Switch.loopback", "Switch.loopback6"]
    aggregate: Annotated[str, "Switch.aggregate", "Switch.aggregate6"]
    drained_upper: Annotated[tuple[Neighbor, ...], "Port.drained", "Switch.ports"]
    drained_lower: Annotated[tuple[Neighbor, ...], "Port.drained", "Switch.ports"]
    leafs: Annotated[tuple[LeafList, ...], "Switch.leafs"]
    listed: Annotated[tuple[Listed, ...], "Switch.leafs", "Switch.ports"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class DeviceBgp:
    """What is one switch's own; neighbours above come first."""

    router_id: Annotated[str, "Switch.router_id"]
    families: Annotated[tuple[DeviceFamily, ...], "SwitchClass.ipv4", "SwitchClass.ipv6"]
    neighbors: Annotated[tuple[Neighbor, ...], "Switch.ports"]


def class_bgp(cls: SwitchClass) -> ClassBgp:
    """BGP of a class of switches."""
    p = cls.prefixes
    leaf, bare, policy = cls.role == "leaf", cls.unnumbered, cls.routing
    below = LOWER
    if leaf:
        below = HOSTS if cls.hosts_bgp else ""
    families = []
    if cls.ipv4:
        names = (p.loopbacks, p.loopback_len, p.host_links, p.host_block_len, UPPER, below)
        families.append(Family("ipv4", "ip", "", *names, p.host_len, {**OF_IPV4, **BELOW_IPV4[leaf]}))
    if cls.ipv6:
        names = (p.loopbacks6, p.loopback_len6, p.host_links6, p.host_block_len6, *_ipv6_groups(cls, below))
        families.append(Family("ipv6", "ipv6", "6", *names, p.host_len6, {**OF_IPV6, **BELOW_IPV6[leaf]}))
    found = {}
    for family in families if cls.has_upper else ():
        name, guards = family.upper_group, (policy.bfd_upper, policy.gtsm_upper, policy.key_upper)
        found[name] = PeerGroup(name, *guards, bare, UPPER, OF_UPPER)
    for family in families if below else ():
        name, guards = family.lower_group, (policy.bfd_lower, policy.gtsm_lower, policy.key_lower)
        found[name] = PeerGroup(name, *guards, bare and not leaf, below, OF_HOSTS if leaf else OF_LOWER)
    waits = cls.release.knows("bgp suppress-fib-pending")
    restarts, origins = leaf and policy.bfd_upper, {"below": BELOW[leaf]}
    return ClassBgp(tuple(families), tuple(found.values()), bare, origins, below, restarts, waits)


def _ipv6_groups(cls: SwitchClass, below: str) -> tuple[str, str]:
    """Names of the peer groups above and below; sessions on unnumbered links carry both families."""
    is_own = below and (cls.role == "leaf" or not cls.unnumbered)
    return UPPER if cls.unnumbered else f"{UPPER}6", f"{below}6" if is_own else below


def device_bgp(device: Switch, cls: ClassBgp) -> DeviceBgp:
    """BGP of one switch."""
    upper = [port for port in device.ports if port.peer_asn and port.shape.side == "up"]
    lower = [port for port in device.ports if port.peer_asn and port.shape.side == "down"]
    drained = [[port for port in ports if port.drained] for ports in (upper, lower)]
    return DeviceBgp(
        router_id=device.router_id,
        families=tuple(_device_family(device, family, lower, *drained) for family in cls.families),
        neighbors=tuple(_neighbors([*upper, *lower], cls)),
    )


def _device_family(
    device: Switch, family: Family, below: list[Port], upper: list[Port], lower: list[Port]
) -> DeviceFamily:
    """What a switch has in a family; ``upper`` and ``lower`` are its drained ports."""
    ipv4 = family.name == "ipv4"
    loopback = device.loopback if ipv4 else device.loopback6
    return DeviceFamily(
        family,
        loopback,
        f"{loopback}/{family.loopback_len}",
        device.aggregate if ipv4 else device.aggregate6,
        tuple(_neighbor(port, family) for port in upper),
        tuple(_neighbor(port, family) for port in lower),
        tuple(_leaf_list(leaf, family) for leaf in device.leafs),
        tuple(_listed(port, family) for port in below) if device.leafs else (),
        OF_IPV4 if ipv4 else OF_IPV6,
    )


def list_name(leaf: str, suffix: str) -> str:
    """Name of the list that a leaf is held to."""
    return f"FROM_{leaf}{suffix}"


def _leaf_list(leaf: LeafRoutes, family: Family) -> LeafList:
    """The list of a leaf in a family."""
    name = list_name(leaf.name, family.suffix)
    if family.name == "ipv4":
        return LeafList(name, f"{leaf.loopback}/{family.loopback_len}", leaf.aggregate, family.host_len, OF_LEAF4)
    return LeafList(name, f"{leaf.loopback6}/{family.loopback_len}", leaf.aggregate6, family.host_len, OF_LEAF6)


def _listed(port: Port, family: Family) -> Listed:
    """The neighbour over a port to a leaf, with its list."""
    neighbor = _neighbor(port, family)
    return Listed(neighbor.name, list_name(port.peer, family.suffix), neighbor.origins)


def _neighbors(ports: Iterable[Port], cls: ClassBgp) -> Iterator[Neighbor]:
    """The neighbours over some ports: one per port where links are unnumbered, else one per port and family."""
    for port in ports:
        alone = cls.unnumbered and not (port.address or port.address6)
        for family in cls.families[:1] if alone else cls.families:
            yield _neighbor(port, family)


def _neighbor(port: Port, family: Family) -> Neighbor:
    """The neighbour over a port that carries a family."""
    group = family.upper_group if port.shape.side == "up" else family.lower_group
    address = port.peer_address if family.name == "ipv4" else port.peer_address6
    origins = OF_NEIGHBOR[family.name if address else "unnumbered"]
    return Neighbor(address or port.shape.name, not address, port.peer_asn, group, port.peer, port.peer_port, origins)
