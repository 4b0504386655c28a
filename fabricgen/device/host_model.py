"""One host and what a class of hosts shares; ``model`` has them with the switches."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.device.fabric_prefixes import FabricPrefixes
from fabricgen.plan.model.contract import Collectives, Contract, RoutingPolicy
from fabricgen.plan.model.hardware import Hardware


@dataclass(slots=True)
class RailPort:
    """A NIC port that is a member of its rail's bond; ``port`` counts the NIC's ports from 0."""

    port: int
    interface: str
    nic_bdf: str


@dataclass(slots=True)
class RailShape:
    """An interface of a rail as every host of the class has it: a NIC port, or all ports as a bond or spread over.

    Attributes:
        interface: Network interface name: ``rail0``, and ``rail0p1`` where each port of a NIC is an interface.
        rdma: RDMA device name: ``roce_r0``, ``roce_r0p1``.
        table: Routing table of the interface.
        link: Link group of the rail, for example ``host-leaf``.
        nic_bdf: PCI addresses; empty where the catalog does not know them.
        port: The NIC port, from 0; that of the first member of a bond.
        members: NIC ports of the bond; empty where it is none.
        plane: The plane it belongs to, from 0; -1 where the fabric has one, or the interface is in several.
        autoneg: ``on`` or ``off`` as the leaf's port; empty where the NIC is left as it is.
        port_gbps: Speed of each of its NIC ports.
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
    port: int = 0
    members: tuple[RailPort, ...] = ()
    plane: int = -1
    autoneg: str = ""
    port_gbps: int = 0


@dataclass(slots=True)
class HostRouting:
    """BGP of the hosts of a class.

    Attributes:
        asn: Their AS number, the same for all: none of them passes anything on.
        table: Routing table that all rails have in common.
        policy: Policy of the leafs, whose lower side the hosts are.
        prefixes: Pools, of which a host hears the host links only.
    """

    asn: int
    table: int
    policy: RoutingPolicy
    prefixes: FabricPrefixes


@dataclass(slots=True)
class HostClass:
    """What a class of hosts shares; ``supernet`` is the reserved host supernet every rail routes to.

    It is empty in a family the fabric does not have; ``supernet6`` is that of IPv6.
    """

    key: str
    fabric: str
    group: str
    server: str
    nic: str
    os: str
    nic_family: str
    gpus: int
    hardware: Hardware
    rails: tuple[RailShape, ...]
    supernet: str
    contract: Contract
    collectives: Collectives
    reordered: bool = False
    """Some tier sprays the packets of a flow, so they overtake each other."""
    out_of_order: bool = False
    """The NIC places packets that overtook each other."""
    embedded_cpu: bool = False
    """The NIC has cores of its own, to which its ports can belong."""
    nic_ports: int = 1
    """Ports of each NIC."""
    nvlink_domain: int = 0
    """Hosts that share an NVLink domain; 0 where each host is one."""
    nvlink_hosts: int = 1
    """How many such hosts one NVLink switch fabric can join."""
    library: str = ""
    """Collective library; empty without GPUs."""
    supernet6: str = ""
    bgp: HostRouting | None = None
    """How they learn their routes; None where these are static."""


@dataclass(slots=True)
class RailLink:
    """Where one port of a bond, or of a NIC that spreads, is cabled to.

    Attributes:
        interface: What a neighbour sees.
        peer: The leaf; empty where the port of a bond has no cable.
        mac: MAC address of the port; empty unless the asset list names it.
    """

    port: int
    interface: str
    peer: str
    peer_port: str
    mac: str = ""


@dataclass(slots=True)
class Rail:
    """One interface of a rail of one host.

    Attributes:
        mac: MAC address; empty unless the asset list names it, and of a bond, whose ports have theirs.
        address: IPv4 address, ``gateway`` the leaf's; empty without IPv4. ``address6`` and ``gateway6`` likewise.
        links: Every cable of a bond or of a NIC that spreads; empty where there is but one, to ``peer``.
        peer_asn: AS number of the leaf; 0 where routes are static.
    """

    shape: RailShape
    address: str
    gateway: str
    peer: str
    peer_port: str
    mac: str
    prefix_len: int = 31
    links: tuple[RailLink, ...] = ()
    address6: str = ""
    gateway6: str = ""
    prefix_len6: int = 127
    peer_asn: int = 0


@dataclass(slots=True)
class Host:
    """One host and its rails; ``nvlink_nodes`` are the nodes of its NVLink domain, itself included."""

    cls: HostClass
    hostname: str
    place: str
    state: str
    reason: str
    serial: str
    rails: list[Rail]
    nvlink_nodes: tuple[str, ...] = ()
