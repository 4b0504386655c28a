"""Vendor-neutral model of one device: what a class of devices shares, and what is one device's own.

A class holds everything but identity, so text rendered from it alone is the same for every device of the class.
"""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.device.fabric_prefixes import FabricPrefixes
from fabricgen.device.host_model import Host, HostClass, HostRouting, Rail, RailLink, RailPort, RailShape
from fabricgen.plan.model.buffers import Buffers, PgProfile
from fabricgen.plan.model.contract import (
    Access,
    Collectives,
    Contract,
    EcnThresholds,
    Gnmi,
    RoutingPolicy,
    Services,
    TrafficClass,
    Watchdog,
)
from fabricgen.plan.model.exceptions import RawSnippet
from fabricgen.plan.model.hardware import NO_SWITCH, Hardware
from fabricgen.plan.model.release import ANY_RELEASE, Release
from fabricgen.plan.model.topology import CageMode

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
        cable_m: Longest cable of the link group, metres; 0 where unused.
        headroom: Headroom profile of its lossless priority groups; None where unused.
        ecn: Name of its marking thresholds; empty where nothing marks.
        number: The port's own number where the maker's software numbers ports in advance; else -1.
        profile: Number of the maker's port profile for its speed and medium; 0 where there is none.
        service: A low-speed service port: never used for fabric links.
        peer_platform: Platform of the switches at the other end; empty towards hosts and where unused.
    """

    name: str
    alias: str
    cage: int
    subport: int
    lanes: tuple[int, ...]
    speed_gbps: int
    fec: str
    autoneg: str
    side: str
    position: int
    link: str
    used: bool
    mtu_bytes: int
    cable_m: float
    headroom: PgProfile | None
    ecn: str
    number: int = -1
    profile: int = 0
    service: bool = False
    peer_platform: str = ""


@dataclass(slots=True)
class SwitchClass:
    """What a class of switches shares.

    Attributes:
        key: Identity of the class; two devices with the same key have equal classes.
        role: ``leaf``, ``spine``, ``core``: place in the Clos, whatever the tier is called.
        sku_is_exact: The SKU's own port modes equal the plan; otherwise breakouts are configured.
        ports: Every logical port in front-panel order, service ports last.
        modes: Every cage and its breakout mode.
        host_groups: Host groups on its downlinks; empty above the leaf.
        board_data: What the maker of the box ships for its configuration, JSON; empty where the intent names none.
        bonds_hosts: Hosts bond across this leaf and its twins, and their /32 routes are advertised.
        release: Release of its software, which decides what its files may hold.
        product: What the box calls itself; empty where the catalog does not know.
        ipv4: The fabric routes IPv4.
        ipv6: The fabric routes IPv6.
        unnumbered: Links between switches have no addresses of their own; sessions run over link-local ones.
        hosts_bgp: It has BGP sessions with its hosts.
    """

    key: str
    fabric: str
    tier: str
    role: str
    has_upper: bool
    model: str
    platform: str
    board: str
    sku: str
    sku_is_exact: bool
    ports: tuple[PortShape, ...]
    modes: tuple[CageMode, ...]
    contract: Contract
    watchdog: Watchdog
    buffers: Buffers
    ecn: tuple[EcnThresholds, ...]
    routing: RoutingPolicy
    services: Services
    prefixes: FabricPrefixes
    host_groups: tuple[str, ...] = ()
    board_data: str = ""
    bonds_hosts: bool = False
    release: Release = ANY_RELEASE
    ipv4: bool = True
    ipv6: bool = False
    unnumbered: bool = False
    hosts_bgp: bool = False
    product: str = ""


@dataclass(slots=True)
class Port:
    """A used port of one switch and what is at the other end.

    Attributes:
        address: Own IPv4 address of the link; empty without IPv4, where fabric links are unnumbered, and where the port
            is a member of a bond, whose subnet has it.
        address6: The same for IPv6.
        peer_asn: AS number of the other end; 0 for a host that has none.
        drained: The link carries no traffic, though its session stays.
        bond: Number of the LACP bond it is a member of; 0 for none.
    """

    shape: PortShape
    peer: str
    peer_port: str
    address: str
    peer_address: str
    peer_asn: int
    prefix_len: int = 31
    drained: bool = False
    bond: int = 0
    address6: str = ""
    peer_address6: str = ""
    prefix_len6: int = 127


@dataclass(slots=True)
class HostSubnet:
    """The subnet that bonded hosts of a rail group share, as one of its leafs has it; empty in a family not there.

    Attributes:
        prefix: The subnet, which is the leaf's aggregate as well.
        address: The leaf's own address in it; ``gateway`` is the same on every leaf of the group.
        lacp_system_id: System id of every bond, the same on every leaf of the group.
        lacp_first_port_id: First port id; the leafs of a group use ranges that do not overlap.
        lacp_last_port_id: Last port id.

    Source:
        Qian et al., Alibaba HPN, SIGCOMM 2024, section 4.2.
    """

    prefix: str
    prefix_len: int
    address: str
    gateway: str
    gateway_mac: str
    vlan: int
    lacp_system_id: str
    lacp_first_port_id: int
    lacp_last_port_id: int
    prefix6: str = ""
    prefix_len6: int = 128
    address6: str = ""
    gateway6: str = ""


@dataclass(slots=True)
class LeafRoutes:
    """All that a leaf may say: its loopback and the block of its host links; empty in a family not there."""

    name: str
    loopback: str
    loopback6: str
    aggregate: str
    aggregate6: str


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
        raw: Snippets that are laid over its files.
        host_subnet: The subnet of bonded hosts; None unless hosts bond.
        leafs: The leafs that it has links to, in the order of its ports; empty unless the tier below is that of leafs.
    """

    cls: SwitchClass
    hostname: str
    place: str
    asn: int
    router_id: str
    loopback: str
    management: str
    management_len: int
    management_gateway: str
    aggregate: str
    state: str
    reason: str
    mac: str
    serial: str
    ports: list[Port]
    raw: tuple[RawSnippet, ...] = ()
    host_subnet: HostSubnet | None = None
    loopback6: str = ""
    aggregate6: str = ""
    leafs: tuple[LeafRoutes, ...] = ()
