"""Shared view of every switch with BGP sessions in its own text: families, peer groups, neighbours.

Numbered links have a session in each family, in peer groups of their own; the peer groups of IPv6 end in ``6``. A
session over an unnumbered link runs between link-local addresses and carries every family. Links to hosts are always
numbered. Hosts that speak BGP are below a leaf in groups of their own; they only accept whole host blocks.

Source:
    RFC 8950 (IPv4 prefixes with IPv6 next hops); FRR user guide, bgp, neighbor PEER interface.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from fabricgen.device.model import LeafRoutes, Port, Switch, SwitchClass
from fabricgen.platforms.views.policy import (
    HOSTS,
    LOWER,
    UPPER,
    PrefixList,
    RoutePolicy,
    class_lists,
    class_policies,
    for_drained_links,
    leaf_list,
    list_name,
    own_lists,
)


def _of_family(suffix: str) -> Mapping[str, tuple[str, ...]]:
    """Return where the fields of a family's objects come from; ``suffix`` ends the names of those in IPv6."""
    loopback, aggregate = (f"Switch.loopback{suffix}",), (f"Switch.aggregate{suffix}",)
    own = {"loopback": loopback, "loopback_prefix": loopback, "aggregate": aggregate}
    return {"loopback_len": (f"FabricPrefixes.loopback_len{suffix}",), "lists": (), **own}


OF_IPV4 = {**_of_family(""), "upper_group": ("SwitchClass.has_upper",)}
"""Lists and groups of IPv4 have their plain names."""
OF_IPV6 = _of_family("6")
BELOW: Mapping[bool, tuple[str, ...]] = {False: ("SwitchClass.role",), True: ("SwitchClass.hosts_bgp",)}
"""Keys that say who is below a switch, by whether it is a leaf: every other switch has a tier below it."""
BELOW_IPV4: Mapping[bool, Mapping[str, tuple[str, ...]]] = {leaf: {"lower_group": why} for leaf, why in BELOW.items()}
BELOW_IPV6: Mapping[bool, Mapping[str, tuple[str, ...]]] = {
    False: {"lower_group": ("SwitchClass.role", "SwitchClass.unnumbered")},
    True: BELOW_IPV4[True],
}
"""Origin of the name of the peer group below, in each family."""
OF_NEIGHBOR: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "ipv4": {"name": ("Port.peer_address",)},
    "ipv6": {"name": ("Port.peer_address6",)},
    "unnumbered": {"name": ("PortShape.name",)},
}
"""Origin of the name of a neighbour."""


def _of_group(side: str, named: tuple[str, ...]) -> Mapping[str, tuple[str, ...]]:
    """Return the origins of the fields of a peer group whose neighbours are on one side of the policy."""
    guards = {"bfd": f"bfd_{side}", "gtsm": f"gtsm_{side}", "password": f"key_{side}"}
    return {"name": named, "side": named, **{name: (f"RoutingPolicy.{field}",) for name, field in guards.items()}}


OF_UPPER = _of_group("upper", ("SwitchClass.has_upper",))
OF_LOWER = _of_group("lower", BELOW[False])
OF_HOSTS = _of_group("lower", BELOW[True])
"""Origin of the fields of a peer group: what makes it, and the guards of its side."""


@dataclass(frozen=True, slots=True)
class Family:
    """An address family as command lines write it.

    Attributes:
        word: ``ip`` or ``ipv6``, with which FRR's and EOS's commands begin.
        suffix: What the names of its lists and maps end in.
        upper_group: Peer group of the neighbours above that carry it.
        lower_group: That of the neighbours below: switches, or the hosts of a leaf; empty if there are none.
        leafs: Those of leafs below by leaf, each built once for all switches above it.
    """

    name: Annotated[str, "SwitchClass.ipv4", "SwitchClass.ipv6"]
    word: Annotated[str, "SwitchClass.ipv4", "SwitchClass.ipv6"]
    suffix: Annotated[str, "SwitchClass.ipv4", "SwitchClass.ipv6"]
    loopback_len: Annotated[int, "FabricPrefixes.loopback_len", "FabricPrefixes.loopback_len6"]
    upper_group: Annotated[str, "SwitchClass.has_upper", "SwitchClass.unnumbered"]
    lower_group: Annotated[str, "SwitchClass.role", "SwitchClass.unnumbered"]
    lists: Annotated[tuple[PrefixList, ...], "SwitchClass.prefixes"]
    leafs: Annotated[dict[LeafRoutes, PrefixList], "Switch.leafs"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PeerGroup:
    """The neighbours on one side.

    Attributes:
        bfd: It watches them where their platform answers.
        gtsm: Packets of their sessions are taken with TTL 255 only, and sent so.
        password: Of their sessions, a secret token; empty where they have none.
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
    """Properties that a class of switches shares: its families and its peer groups, those above first.

    Attributes:
        policies: One for each side and direction.
        drained: The same for drained links.
        below: ``LOWER``, or ``HOSTS`` where hosts are its neighbours below; empty if there are none.
        restarts: Its neighbours keep its routes while its routing daemon starts anew: it is the only way to its hosts,
            and BFD takes away what does not forward.
        fib_pending: Routes are announced once they forward; only where the release is known to send withdrawals all
            the same (FRR 10.3), and not by leafs that share a block, whose own routes never wait: another leaf's that
            has lost against the own one would (FRR 8.4.4).
        links_announced: Prefixes of links with hosts, or of their bonds, are announced while they are connected.
    """

    families: Annotated[tuple[Family, ...], "SwitchClass.ipv4", "SwitchClass.ipv6"]
    groups: Annotated[tuple[PeerGroup, ...], "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.hosts_bgp"]
    policies: Annotated[tuple[RoutePolicy, ...], "SwitchClass.role"]
    drained: Annotated[tuple[RoutePolicy, ...], "Port.drained"]
    unnumbered: Annotated[bool, "SwitchClass.unnumbered"]
    origins: Mapping[str, tuple[str, ...]]
    below: Annotated[str, "SwitchClass.role", "SwitchClass.hosts_bgp"] = ""
    restarts: Annotated[bool, "RoutingPolicy.bfd_upper", "SwitchClass.role"] = False
    fib_pending: Annotated[bool, "SwitchClass.release", "FabricPrefixes.host_len"] = True
    links_announced: Annotated[bool, "FabricPrefixes.host_len", "FabricPrefixes.host_len6"] = False

    def carried_by(self, group: str) -> list[Family]:
        """Return the families of which a peer group carries prefixes."""
        return [family for family in self.families if group in (family.upper_group, family.lower_group)]


@dataclass(slots=True)
class BgpNeighbor:
    """A BGP neighbour: ``name`` is its address, or the own port where the link is unnumbered."""

    name: Annotated[str, "Port.peer_address", "Port.peer_address6", "PortShape.name"]
    unnumbered: Annotated[bool, "SwitchClass.unnumbered"]
    asn: Annotated[int, "Port.peer_asn"]
    group: Annotated[str, "PortShape.side"]
    peer: Annotated[str, "Port.peer"]
    peer_port: Annotated[str, "Port.peer_port"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(slots=True)
class Listed:
    """A neighbour that is held to a list of its own."""

    name: Annotated[str, "Port.peer_address", "Port.peer_address6", "PortShape.name"]
    list: Annotated[str, "Port.peer"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(slots=True)
class NeighborSide:
    """The neighbours of a switch above or below in a family.

    The name is ``UPPER``, ``LOWER`` or ``HOSTS``, with which the names of its policies begin. ``listed`` are leafs with
    lists of their own, ``drained`` those over drained links.
    """

    name: Annotated[str, "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.hosts_bgp"]
    group: Annotated[str, "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.unnumbered"]
    listed: Annotated[tuple[Listed, ...], "Switch.leafs", "Switch.ports"]
    drained: Annotated[tuple[BgpNeighbor, ...], "Port.drained", "Switch.ports"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(slots=True)
class DeviceFamily:
    """Properties of a switch in a family: neighbours above and below, and prefix lists, its own or those of leafs."""

    family: Annotated[Family, "SwitchClass.ipv4", "SwitchClass.ipv6"]
    loopback: Annotated[str, "Switch.loopback", "Switch.loopback6"]
    loopback_prefix: Annotated[str, "Switch.loopback", "Switch.loopback6"]
    aggregate: Annotated[str, "Switch.aggregate", "Switch.aggregate6"]
    sides: Annotated[tuple[NeighborSide, ...], "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.hosts_bgp"]
    lists: Annotated[tuple[PrefixList, ...], "SwitchClass.prefixes", "Switch.leafs"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(slots=True)
class DeviceBgp:
    """Properties of one switch; neighbours above come first, and policies of drained links last."""

    router_id: Annotated[str, "Switch.router_id"]
    policies: Annotated[tuple[RoutePolicy, ...], "SwitchClass.role"]
    families: Annotated[tuple[DeviceFamily, ...], "SwitchClass.ipv4", "SwitchClass.ipv6"]
    neighbors: Annotated[tuple[BgpNeighbor, ...], "Switch.ports"]


def class_bgp(cls: SwitchClass, *, demotes: bool = True) -> ClassBgp:
    """Return BGP of a class of switches; ``demotes``: policies demote what is drained elsewhere, not the platform."""
    p = cls.prefixes
    leaf, bare, policy = cls.role == "leaf", cls.unnumbered, cls.routing
    below = LOWER
    if leaf:
        below = HOSTS if cls.hosts_bgp else ""
    families = []
    if cls.ipv4:
        lists = class_lists(p, "", hosts=below == HOSTS)
        origins = {**OF_IPV4, **BELOW_IPV4[leaf]}
        families.append(Family("ipv4", "ip", "", p.loopback_len, UPPER, below, lists, {}, origins))
    if cls.ipv6:
        lists = class_lists(p, "6", hosts=below == HOSTS)
        origins = {**OF_IPV6, **BELOW_IPV6[leaf]}
        groups = _ipv6_groups(cls, below)
        families.append(Family("ipv6", "ipv6", "6", p.loopback_len6, *groups, lists, {}, origins))
    found = {}
    for family in families if cls.has_upper else ():
        name, guards = family.upper_group, (policy.bfd_upper, policy.gtsm_upper, policy.key_upper)
        found[name] = PeerGroup(name, *guards, bare, UPPER, OF_UPPER)
    for family in families if below else ():
        name, guards = family.lower_group, (policy.bfd_lower, policy.gtsm_lower, policy.key_lower)
        found[name] = PeerGroup(name, *guards, bare and not leaf, below, OF_HOSTS if leaf else OF_LOWER)
    policies = tuple(class_policies(cls, below, demotes=demotes))
    announced = _announces_links(cls)
    return ClassBgp(
        families=tuple(families),
        groups=tuple(found.values()),
        policies=policies,
        drained=tuple(for_drained_links(policy) for policy in policies),
        unnumbered=bare,
        origins={"below": BELOW[leaf]},
        below=below,
        restarts=leaf and policy.bfd_upper,
        fib_pending=bool(cls.release.name) and cls.release.knows("bgp suppress-fib-pending") and not announced,
        links_announced=announced,
    )


def _announces_links(cls: SwitchClass) -> bool:
    """Return whether a leaf announces the prefixes of its links with hosts, or of their bonds."""
    lengths = cls.prefixes.host_len, cls.prefixes.host_len6
    return cls.role == "leaf" and not cls.bonds_hosts and any(lengths)


def _ipv6_groups(cls: SwitchClass, below: str) -> tuple[str, str]:
    """Names of the peer groups above and below; sessions on unnumbered links carry both families."""
    is_own = below and (cls.role == "leaf" or not cls.unnumbered)
    return UPPER if cls.unnumbered else f"{UPPER}6", f"{below}6" if is_own else below


def device_bgp(device: Switch, cls: ClassBgp) -> DeviceBgp:
    """Return BGP of one switch."""
    ports = [port for side in ("up", "down") for port in device.ports if port.peer_asn and port.shape.side == side]
    found = [[_neighbor(port, family) for port in ports] for family in cls.families]
    sides = {UPPER if port.shape.side == "up" else cls.below for port in ports if port.drained}
    apart = tuple(policy for policy in cls.drained if policy.side in sides)
    return DeviceBgp(
        router_id=device.router_id,
        policies=(*cls.policies, *apart),
        families=tuple(map(partial(_device_family, device, ports, cls.below), cls.families, found)),
        neighbors=tuple(_sessions(ports, found, cls)),
    )


def _sessions(ports: list[Port], found: list[list[BgpNeighbor]], cls: ClassBgp) -> Iterator[BgpNeighbor]:
    """Yield the neighbours: one per port where links are unnumbered, else one per port and family."""
    for port, *rows in zip(ports, *found, strict=True):
        yield from rows[:1] if cls.unnumbered and not (port.address or port.address6) else rows


def _device_family(
    device: Switch, ports: list[Port], below: str, family: Family, found: list[BgpNeighbor]
) -> DeviceFamily:
    """Return what a switch has in a family; ``found`` are the neighbours over its ports."""
    ipv4 = family.name == "ipv4"
    loopback = device.loopback if ipv4 else device.loopback6
    sides = [("up", UPPER, family.upper_group, OF_UPPER)] if device.cls.has_upper else []
    sides += [("down", below, family.lower_group, OF_HOSTS if below == HOSTS else OF_LOWER)] if below else []
    return DeviceFamily(
        family,
        loopback,
        f"{loopback}/{family.loopback_len}",
        device.aggregate if ipv4 else device.aggregate6,
        tuple(_side(device, list(zip(ports, found, strict=True)), family, *side) for side in sides),
        device_lists(device, family),
        OF_IPV4 if ipv4 else OF_IPV6,
    )


def _side(
    device: Switch,
    found: list[tuple[Port, BgpNeighbor]],
    family: Family,
    side: str,
    name: str,
    group: str,
    of: Mapping[str, tuple[str, ...]],
) -> NeighborSide:
    """Return the neighbours of a switch on one side."""
    own = [(port, neighbor) for port, neighbor in found if port.shape.side == side]
    held = own if device.leafs and side == "down" else []
    listed = [Listed(each.name, list_name(port.peer, family.suffix), each.origins) for port, each in held]
    drained = tuple(neighbor for port, neighbor in own if port.drained)
    return NeighborSide(name, group, tuple(listed), drained, {"name": of["side"]})


def device_lists(device: Switch, family: Family) -> tuple[PrefixList, ...]:
    """Return the prefix lists of a switch: those of its class, and behind the first its own or those of its leafs."""
    first, *others = family.lists
    prefixes, known = device.cls.prefixes, family.leafs
    if device.cls.role == "leaf":
        return (first, *own_lists(device, family.suffix), *others)
    for leaf in device.leafs:
        if leaf not in known:
            known[leaf] = leaf_list(leaf, prefixes, family.suffix)
    return (first, *(known[leaf] for leaf in device.leafs), *others)


def _neighbor(port: Port, family: Family) -> BgpNeighbor:
    """Return the neighbour over a port that carries a family."""
    group = family.upper_group if port.shape.side == "up" else family.lower_group
    address = port.peer_address if family.name == "ipv4" else port.peer_address6
    why = OF_NEIGHBOR[family.name if address else "unnumbered"]
    return BgpNeighbor(address or port.shape.name, not address, port.peer_asn, group, port.peer, port.peer_port, why)
