"""Vendor-neutral model of one device: what a class of devices shares, and what is one device's own.

A class holds everything but identity, so text rendered from it alone is the same for every device of the class.
"""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.plan.model.contract import (
    Buffers,
    Collectives,
    Contract,
    EcnThresholds,
    PgProfile,
    RoutingPolicy,
    Services,
    TrafficClass,
    Watchdog,
)
from fabricgen.plan.model.exceptions import RawSnippet
from fabricgen.plan.model.topology import CageMode

__all__ = [
    "Buffers",
    "CageMode",
    "Collectives",
    "Contract",
    "EcnThresholds",
    "FabricPrefixes",
    "Host",
    "HostClass",
    "PgProfile",
    "Port",
    "PortShape",
    "Rail",
    "RailShape",
    "RawSnippet",
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
        pg_profile: Headroom profile of its lossless priority groups; empty where unused.
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
    pg_profile: str
    ecn: str
    number: int = -1
    profile: int = 0
    service: bool = False
    peer_platform: str = ""


@dataclass(slots=True)
class FabricPrefixes:
    """Address pools that routing policy names, as text, with the prefix lengths that may appear inside."""

    loopbacks: str
    loopback_len: int
    host_links: str
    host_block_len: int


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


@dataclass(slots=True)
class Port:
    """A used port of one switch and what is at the other end; ``peer_asn`` is 0 for a host.

    ``drained`` links carry no traffic, though their session stays.
    """

    shape: PortShape
    peer: str
    peer_port: str
    address: str
    peer_address: str
    peer_asn: int
    prefix_len: int = 31
    drained: bool = False


@dataclass(slots=True)
class Switch:
    """One switch.

    Attributes:
        place: Where it stands in words, for example ``unit 3`` or ``pod 2``; empty for a fabric-wide tier.
        aggregate: The one prefix a leaf originates for its host links; empty above the leaf.
        state: Empty or ``drained``; ``reason`` says why.
        ports: Used ports in front-panel order.
        raw: Snippets that are laid over its files.
    """

    cls: SwitchClass
    hostname: str
    place: str
    asn: int
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


@dataclass(slots=True)
class RailShape:
    """A rail as every host of the class has it.

    Attributes:
        interface: Network interface name, ``rail0``.
        rdma: RDMA device name, ``roce_r0``.
        table: Routing table of the rail.
        link: Link group of the rail, for example ``host-leaf``.
        nic_bdf: PCI addresses; empty where the catalog does not know them.
    """

    rail: int
    interface: str
    rdma: str
    table: int
    mtu_bytes: int
    speed_gbps: int
    cable_m: float
    nic_bdf: str
    gpu_bdf: str
    switch_bdf: str
    numa: int
    link: str = ""


@dataclass(slots=True)
class HostClass:
    """What a class of hosts shares; ``supernet`` is the reserved host supernet every rail routes to."""

    key: str
    fabric: str
    group: str
    server: str
    nic: str
    os: str
    nic_family: str
    gpus: int
    gpu_sm: int
    cpu_vendor: str
    numa_nodes: int
    pcie_gen: int
    nic_pci_vendor: str
    nic_pci_device: str
    rails: tuple[RailShape, ...]
    supernet: str
    contract: Contract
    collectives: Collectives
    reordered: bool = False
    """Some tier sprays the packets of a flow, so they overtake each other."""


@dataclass(slots=True)
class Rail:
    """One rail of one host; ``mac`` is empty unless the asset list names it."""

    shape: RailShape
    address: str
    gateway: str
    peer: str
    peer_port: str
    mac: str
    prefix_len: int = 31


@dataclass(slots=True)
class Host:
    """One host and its rails."""

    cls: HostClass
    hostname: str
    place: str
    state: str
    reason: str
    serial: str
    rails: list[Rail]
