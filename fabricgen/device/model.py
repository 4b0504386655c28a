"""Vendor-neutral model of one device: what a class of devices shares, and what is one device's own.

A class holds everything but identity, so text rendered from it alone is the same for every device of the class.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from fabricgen.device.host_model import (
    FabricPrefixes,
    Host,
    HostClass,
    HostRouting,
    Rail,
    RailLink,
    RailPort,
    RailShape,
)
from fabricgen.plan.model.buffers import Buffers, PgProfile
from fabricgen.plan.model.contract import (
    Access,
    Collectives,
    Contract,
    EcnThresholds,
    Gnmi,
    Grandmaster,
    RoutingPolicy,
    Services,
    TrafficClass,
    Watchdog,
)
from fabricgen.plan.model.fabric import RawSnippet
from fabricgen.plan.model.topology import ANY_RELEASE, NO_SWITCH, CageMode, Hardware, Release

if TYPE_CHECKING:
    from fabricgen.plan.model import origin_keys as keys
    from fabricgen.plan.model.origin_keys import Origin, Sticky

__all__ = [
    "NO_SWITCH",
    "Access",
    "Buffers",
    "CageMode",
    "Collectives",
    "Contract",
    "EcnThresholds",
    "FabricPrefixes",
    "Gnmi",
    "Grandmaster",
    "Hardware",
    "Host",
    "HostClass",
    "HostRouting",
    "HostSubnet",
    "LeafRoutes",
    "PgProfile",
    "Port",
    "PortShape",
    "Rail",
    "RailLink",
    "RailPort",
    "RailShape",
    "RawSnippet",
    "Release",
    "RoutingPolicy",
    "Services",
    "Switch",
    "SwitchClass",
    "TrafficClass",
    "Watchdog",
]
"""The device model with the parts of the plan it carries, so that platforms need nothing else."""


@dataclass(slots=True)
class PortShape:
    """A logical port as every device of the class has it.

    Attributes:
        side: ``down``, ``up``, or empty for a port outside both ranges.
        link: Link group, for example ``leaf-spine``; empty if no link will ever use the port.
        used: A link is plugged in now; an unused port is admin down and has no lossless priority group.
        length_m: Longest cable of the link group, metres; 0 where unused.
        headroom: Headroom profile of its lossless priority groups; None where unused.
        ecn: Name of its marking thresholds; empty where nothing marks.
        number: The port's own number where the maker's software numbers ports in advance; else -1.
        profile: Number of the maker's port profile for its speed and medium; 0 where there is none.
        service: A low-speed service port: never used for fabric links.
        peer_platform: Platform of the switches at the other end; empty towards hosts and where unused.
    """

    name: Annotated[str, Sticky(keys.MODEL, keys.SPEED)]
    alias: Annotated[str, Sticky(keys.MODEL, keys.SPEED)]
    cage: Annotated[int, Sticky(keys.MODEL)]
    subport: Annotated[int, Sticky(keys.SPEED, keys.MODEL)]
    lanes: Annotated[tuple[int, ...], Sticky(keys.MODEL, keys.SPEED)]
    speed_gbps: Annotated[int, Origin(keys.SPEED, keys.MODEL)]
    fec: Annotated[str, Sticky(keys.SPEED, keys.MODEL)]
    autoneg: Annotated[str, Sticky(keys.MEDIA, keys.SPEED, keys.MODEL)]
    side: Annotated[str, Sticky(keys.PER_PAIR, keys.MODEL)]
    position: Annotated[int, Sticky(keys.PER_PAIR, keys.MODEL)]
    link: Annotated[str, Sticky(keys.LINK, keys.MODEL)]
    used: Annotated[bool, Sticky(*keys.USED)]
    mtu_bytes: Annotated[int, Origin(keys.MTU, ("links", "{down_link}", "mtu"))]
    length_m: Annotated[float, Origin(keys.USED_LENGTH, *keys.USED)]
    headroom: Annotated[PgProfile | None, Origin(keys.USED_LENGTH, keys.USED_SPEED, *keys.USED)]
    ecn: Annotated[str, Origin(keys.USED_SPEED, keys.MODE, *keys.USED)]
    number: Annotated[int, Sticky(keys.MODEL, keys.SPEED)] = -1
    profile: Annotated[int, Sticky(keys.SPEED, keys.MEDIA, keys.MODEL)] = 0
    service: Annotated[bool, Sticky(keys.MODEL)] = False
    peer_platform: Annotated[str, Sticky(keys.UPPER_PLATFORM, keys.TIER_PLATFORM, *keys.USED)] = ""


@dataclass(slots=True)
class SwitchClass:
    """Properties that a class of switches shares.

    Attributes:
        key: Identity of the class; two devices with the same key have equal classes.
        role: ``leaf``, ``spine``, ``core``: place in the Clos, whatever the tier is called.
        sku_is_exact: The SKU's own port modes equal the plan; otherwise breakouts are configured.
        ports: Every logical port in front-panel order, service ports last.
        host_groups: Host groups on its downlinks; empty above the leaf.
        board_data: What the vendor ships for its configuration, JSON; empty where the intent names none.
        bonds_hosts: Hosts bond across this leaf and its twins, and their /32 routes are advertised.
        bond_mac: MAC address and LACP system id of its routed bonds, the same on its twins; empty without such bonds.
        product: What the box calls itself; empty where the catalog does not know.
        unnumbered: Links between switches have no addresses of their own; sessions run over link-local ones.
        weighted: Next hops are weighted by the links behind them.
    """

    key: Annotated[str, Sticky(keys.TIER)]
    fabric: Annotated[str, Origin(keys.FABRIC)]
    tier: Annotated[str, Sticky(keys.TIER)]
    role: Annotated[str, Sticky(("tiers",), ("links", "{links}"))]
    has_upper: Annotated[bool, Sticky(("links", "{links}"))]
    model: Annotated[str, Origin(keys.MODEL)]
    platform: Annotated[str, Origin(keys.TIER_PLATFORM)]
    board: Annotated[str, Origin(keys.MODEL)]
    sku: Annotated[str, Origin(*keys.POLLED_PORTS)]
    sku_is_exact: Annotated[bool, Sticky(*keys.POLLED_PORTS)]
    ports: Annotated[tuple[PortShape, ...], Sticky(*keys.POLLED_PORTS)]
    modes: Annotated[tuple[CageMode, ...], Sticky(keys.LINKS_SPEED, keys.MODEL)]
    contract: Annotated[Contract, Origin(keys.CLASSES, keys.MODE)]
    watchdog: Annotated[Watchdog, Origin(("lossless", "watchdog"))]
    buffers: Annotated[Buffers, Origin(keys.MODEL)]
    ecn: Annotated[tuple[EcnThresholds, ...], Origin(keys.MODE, keys.ECN, keys.LINKS_SPEED)]
    routing: Annotated[RoutingPolicy, Origin(("routing",), ("tiers", "{tier}", "ecmp"))]
    services: Annotated[Services, Origin(("operations",))]
    prefixes: Annotated[FabricPrefixes, Origin(("addressing",))]
    host_groups: Annotated[tuple[str, ...], Origin(keys.HOST_GROUP)] = ()
    board_data: Annotated[str, Origin(("tiers", "{tier}", "board_data"))] = ""
    bonds_hosts: Annotated[bool, Origin(keys.BOND)] = False
    bond_mac: Annotated[str, Origin(keys.BOND)] = ""
    release: Annotated[Release, Origin(keys.RELEASE)] = ANY_RELEASE
    ipv4: Annotated[bool, Origin(keys.FAMILIES)] = True
    ipv6: Annotated[bool, Origin(keys.FAMILIES)] = False
    unnumbered: Annotated[bool, Origin(keys.UNNUMBERED)] = False
    hosts_bgp: Annotated[bool, Origin(keys.HOSTS_BGP)] = False
    product: Annotated[str, Origin(keys.MODEL)] = ""
    weighted: Annotated[bool, Origin(keys.WEIGHTS, keys.LINKS_PER_PAIR, keys.TIER_PLATFORM)] = False


@dataclass(slots=True)
class Port:
    """A used port of one switch and what is at the other end.

    Attributes:
        address: Own IPv4 address of the link; empty without IPv4, where fabric links are unnumbered, and where the port
            is a member of a bond, whose subnet has it.
        peer_asn: AS number of the other end; 0 for a host that has none.
        drained: The link carries no traffic, though its session stays.
        bond: Number of the LACP bond it is a member of; 0 for none.
    """

    shape: Annotated[PortShape, Sticky(keys.LINK)]
    peer: Annotated[str, Origin(*keys.PEER_NAME)]
    peer_port: Annotated[str, Sticky(*keys.PEER_PORT)]
    address: Annotated[str, Origin(*keys.LINK_ADDRESS)]
    peer_address: Annotated[str, Origin(*keys.LINK_ADDRESS)]
    peer_asn: Annotated[int, Origin(keys.ASN, keys.HOSTS_BGP, keys.ASN_SERIES)]
    prefix_len: Annotated[int, Sticky(keys.BOND, keys.HOST_LINKS)] = 31
    drained: Annotated[bool, Origin(("exceptions",))] = False
    bond: Annotated[int, Origin(keys.BOND, keys.PER_UNIT)] = 0
    address6: Annotated[str, Origin(*keys.LINK_ADDRESS6)] = ""
    peer_address6: Annotated[str, Origin(*keys.LINK_ADDRESS6)] = ""
    prefix_len6: Annotated[int, Sticky(keys.BOND, keys.HOST_LINKS6)] = 127


@dataclass(slots=True)
class HostSubnet:
    """The subnet that bonded hosts of a rail group share, as one of its leafs has it; empty in a family not there.

    Attributes:
        prefix: The subnet, which is the leaf's aggregate as well.
        address: The leaf's own address in it; ``gateway`` is the same on every leaf of the group.
        lacp_system_id: System id of every bond, the same on every leaf of the group.
        lacp_first_port_id: First port id; the leafs of a group use ranges that do not overlap.

    Source:
        Qian et al., Alibaba HPN, SIGCOMM 2024, section 4.2.
    """

    prefix: Annotated[str, Origin(keys.HOST_LINKS, keys.NO_IPV4)]
    prefix_len: Annotated[int, Origin(keys.PER_UNIT_MAX, keys.PER_UNIT, keys.HOST_LINKS)]
    address: Annotated[str, Origin(keys.HOST_LINKS, keys.NO_IPV4)]
    gateway: Annotated[str, Origin(keys.HOST_LINKS, keys.NO_IPV4)]
    gateway_mac: Annotated[str, Origin()]
    vlan: Annotated[int, Origin()]
    lacp_system_id: Annotated[str, Origin(keys.BOND)]
    lacp_first_port_id: Annotated[int, Origin(keys.PLANES, keys.LEAFS_PER_GROUP, keys.BOND)]
    lacp_last_port_id: Annotated[int, Origin(keys.PLANES, keys.LEAFS_PER_GROUP, keys.BOND)]
    prefix6: Annotated[str, Origin(keys.HOST_LINKS6, keys.NO_IPV6)] = ""
    prefix_len6: Annotated[int, Origin(keys.PER_UNIT_MAX, keys.PER_UNIT, keys.HOST_LINKS6)] = 128
    address6: Annotated[str, Origin(keys.HOST_LINKS6, keys.NO_IPV6)] = ""
    gateway6: Annotated[str, Origin(keys.HOST_LINKS6, keys.NO_IPV6)] = ""


@dataclass(frozen=True, slots=True)
class LeafRoutes:
    """All that a leaf may say: its loopback and the block of its host links; empty in a family not there."""

    name: Annotated[str, Origin(("tiers", "{lower_tier}", "name"))]
    loopback: Annotated[str, Origin(keys.LOOPBACKS, keys.NO_IPV4, keys.SERIES)]
    loopback6: Annotated[str, Origin(keys.LOOPBACKS6, keys.NO_IPV6, keys.SERIES)]
    aggregate: Annotated[str, Origin(keys.HOST_LINKS, keys.NO_IPV4, ("hosts",), keys.SERIES)]
    aggregate6: Annotated[str, Origin(keys.HOST_LINKS6, keys.NO_IPV6, ("hosts",), keys.SERIES)]


@dataclass(slots=True)
class Switch:
    """One switch.

    Attributes:
        place: Where it stands in words, for example ``unit 3`` or ``pod 2``; empty for a fabric-wide tier.
        router_id: Its BGP identifier; the loopback where it has IPv4.
        loopback: IPv4 address; empty without IPv4. ``loopback6`` likewise.
        aggregate: The one IPv4 prefix a leaf originates for its host links; empty above the leaf. ``aggregate6`` is the
            IPv6 one.
        state: Empty or ``drained``; ``reason`` says why.
        ports: Used ports in front-panel order.
        host_subnet: The subnet of bonded hosts; None unless hosts bond.
        leafs: The leafs that it has links to, in the order of its ports; empty unless the tier below is that of leafs.
        own: Names, numbers and addresses in the fabric that follow from no rule, with their keys; None if none.
    """

    cls: Annotated[SwitchClass, Sticky(keys.TIER)]
    hostname: Annotated[str, Origin(("tiers", "{tier}", "name"))]
    place: Annotated[str, Origin(keys.PLACE)]
    asn: Annotated[int, Origin(keys.ASN, keys.ASN_SERIES)]
    router_id: Annotated[str, Origin(keys.LOOPBACKS, keys.LOOPBACKS6, keys.SERIES)]
    loopback: Annotated[str, Origin(keys.LOOPBACKS, keys.NO_IPV4, keys.SERIES)]
    management: Annotated[str, Origin(keys.MANAGEMENT, keys.SERIES)]
    management_len: Annotated[int, Origin(keys.MANAGEMENT)]
    management_gateway: Annotated[str, Origin(("addressing", "management", "gateway"), keys.MANAGEMENT)]
    aggregate: Annotated[str, Origin(keys.HOST_LINKS, keys.NO_IPV4, keys.PER_UNIT_MAX, keys.SERIES)]
    state: Annotated[str, Origin(("exceptions", "[{hostname} state]", "state"))]
    reason: Annotated[str, Origin(("exceptions", "[{hostname} state]", "reason"))]
    mac: Annotated[str, Origin(keys.ASSETS)]
    serial: Annotated[str, Origin(keys.ASSETS)]
    ports: Annotated[list[Port], Sticky(keys.LINKS_PER_PAIR, keys.UNITS, keys.PER_UNIT)]
    raw: Annotated[tuple[RawSnippet, ...], Origin(("exceptions", "[{hostname} raw]", "raw"))] = ()
    host_subnet: Annotated[HostSubnet | None, Origin(keys.BOND, keys.HOST_LINKS)] = None
    loopback6: Annotated[str, Origin(keys.LOOPBACKS6, keys.NO_IPV6, keys.SERIES)] = ""
    aggregate6: Annotated[str, Origin(keys.HOST_LINKS6, keys.NO_IPV6, keys.PER_UNIT_MAX, keys.SERIES)] = ""
    leafs: Annotated[tuple[LeafRoutes, ...], Origin(keys.UNITS, keys.LOWER_TIER)] = ()
    own: Annotated[Mapping[str, tuple[str, ...]] | None, Origin(keys.ASSETS)] = None
    grandmaster: Annotated[Grandmaster | None, Origin(("operations", "ptp", "grandmasters"))] = None
    """The port that is cabled to a PTP grandmaster; None on a switch without one."""
