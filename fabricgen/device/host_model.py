"""One host, what a class of hosts shares, and the prefixes that hosts and switches have; ``model`` has the switches."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from fabricgen.plan.model.contract import Collectives, Contract, Ptp, RoutingPolicy
from fabricgen.plan.model.topology import HostGroup, RailPlace

if TYPE_CHECKING:
    from fabricgen.plan.model import origin_keys as keys
    from fabricgen.plan.model.origin_keys import Origin, Sticky


@dataclass(slots=True)
class FabricPrefixes:
    """Address pools that routing policy names, as text, with the prefix lengths that may appear inside.

    What ends in ``6`` is of IPv6; a pool is empty where the fabric has not the family.

    Attributes:
        host_len: Length of routes to single hosts; 0 where no host has one.
        fabric_links: Links between switches; empty where these are unnumbered.
        own_loopbacks: Blocks of loopbacks of either family outside the pool, with nothing else in them.
        permitted: Pools that lists permit while a rollout leads from one plan to another; empty for these alone.
    """

    loopbacks: Annotated[str, Origin(keys.LOOPBACKS, keys.NO_IPV4)]
    loopback_len: Annotated[int, Origin()]
    host_links: Annotated[str, Origin(keys.HOST_LINKS, keys.NO_IPV4)]
    host_block_len: Annotated[int, Origin(*keys.IN_BLOCK, keys.HOST_LINKS, keys.SERIES)]
    loopbacks6: Annotated[str, Origin(keys.LOOPBACKS6, keys.NO_IPV6)] = ""
    loopback_len6: Annotated[int, Origin()] = 128
    host_links6: Annotated[str, Origin(keys.HOST_LINKS6, keys.NO_IPV6)] = ""
    host_block_len6: Annotated[int, Origin(*keys.IN_BLOCK, keys.HOST_LINKS6, keys.SERIES)] = 128
    host_len: Annotated[int, Sticky(keys.BOND, keys.SERIES)] = 0
    host_len6: Annotated[int, Sticky(keys.BOND, keys.SERIES)] = 0
    fabric_links: Annotated[str, Origin(keys.FABRIC_LINKS, keys.UNNUMBERED, keys.NO_IPV4)] = ""
    fabric_links6: Annotated[str, Origin(keys.FABRIC_LINKS6, keys.UNNUMBERED, keys.NO_IPV6)] = ""
    permitted: Annotated[tuple[FabricPrefixes, ...], Origin(keys.LOOPBACKS, keys.HOST_LINKS)] = ()
    own_loopbacks: Annotated[tuple[str, ...], Origin(keys.ASSETS, ("exceptions",))] = ()


@dataclass(slots=True)
class RailPort:
    """A NIC port that is a member of its rail's bond; ``port`` counts the NIC's ports from 0."""

    port: Annotated[int, Sticky(keys.NIC, keys.PLANES)]
    interface: Annotated[str, Sticky(keys.SERVER, keys.BOND)]
    nic_bdf: Annotated[str, Origin(keys.SERVER, keys.ASSETS)]


@dataclass(slots=True)
class RailShape:
    """An interface of a rail as every host of the class has it: a NIC port, or all ports as a bond or spread over.

    Attributes:
        interface: Network interface name: ``rail0``, and ``rail0p1`` where each port of a NIC is an interface.
        rdma: RDMA device name: ``roce_r0``, ``roce_r0p1``.
        link: Link group of the rail, for example ``host-leaf``.
        place: The rail in the server; ``nic_bdf`` is the PCI address of the interface's own port, empty where unknown.
        port: The NIC port, from 0; that of the first member of a bond.
        members: NIC ports of the bond; empty where it is none.
        plane: The plane it belongs to, from 0; -1 where the fabric has one, or the interface is in several.
        autoneg: ``on`` or ``off`` as the leaf's port; empty where the NIC is left as it is.
    """

    place: Annotated[RailPlace, Origin(keys.SERVER)]
    interface: Annotated[str, Sticky(keys.SERVER)]
    rdma: Annotated[str, Sticky(keys.SERVER)]
    table: Annotated[int, Sticky(keys.SERVER, keys.HOSTS_BGP)]
    mtu_bytes: Annotated[int, Origin(keys.MTU)]
    speed_gbps: Annotated[int, Origin(keys.SPEED)]
    length_m: Annotated[float, Origin(keys.LENGTH)]
    nic_bdf: Annotated[str, Origin(keys.SERVER, keys.ASSETS)]
    link: Annotated[str, Sticky(keys.LINK)] = ""
    port: Annotated[int, Sticky(keys.NIC, keys.PLANES)] = 0
    members: Annotated[tuple[RailPort, ...], Origin(keys.BOND, keys.NIC)] = ()
    plane: Annotated[int, Origin(keys.PLANES, ("planes", "host"))] = -1
    autoneg: Annotated[str, Origin(keys.MEDIA, keys.LENGTH, keys.SPEED)] = ""
    port_gbps: Annotated[int, Origin(keys.SPEED)] = 0


@dataclass(slots=True)
class HostRouting:
    """BGP of the hosts of a class.

    Attributes:
        asn: Their AS number, the same for all: none of them passes anything on.
        prefixes: Pools; a host accepts routes of the host links only.
    """

    asn: Annotated[int, Origin(keys.HOSTS_BGP)]
    table: Annotated[int, Origin(keys.HOSTS_BGP)]
    policy: Annotated[RoutingPolicy, Origin(("routing",))]
    prefixes: Annotated[FabricPrefixes, Origin(("addressing",))]


@dataclass(slots=True)
class HostClass:
    """Properties that a class of hosts shares; ``supernet`` is the reserved host supernet every rail routes to.

    It is empty in a family the fabric does not have; ``supernet6`` is that of IPv6.
    """

    key: Annotated[str, Sticky(keys.HOST_GROUP)]
    fabric: Annotated[str, Origin(keys.FABRIC)]
    group: Annotated[HostGroup, Origin(keys.HOST_GROUP)]
    rails: Annotated[tuple[RailShape, ...], Sticky(keys.SERVER)]
    supernet: Annotated[str, Origin(keys.HOST_LINKS, keys.NO_IPV4)]
    contract: Annotated[Contract, Origin(keys.CLASSES, keys.MODE)]
    collectives: Annotated[Collectives, Origin(("collectives",))]
    reordered: Annotated[bool, Origin(("routing", "ecmp", "load_balancing"))] = False
    """Some tier sprays the packets of a flow, so they overtake each other."""
    adaptive: Annotated[bool, Origin(("routing", "ecmp", "load_balancing"))] = False
    """Some tier sprays them by adaptive routing, which the collective library follows."""
    supernet6: Annotated[str, Origin(keys.HOST_LINKS6, keys.NO_IPV6)] = ""
    bgp: Annotated[HostRouting | None, Origin(keys.HOSTS_BGP)] = None
    """Sessions from which they learn their routes; None where these are static."""
    ptp: Annotated[Ptp | None, Origin(("operations", "ptp"))] = None
    """Their clocks follow the leafs of the first rail; None where they do not."""


@dataclass(slots=True)
class RailLink:
    """Cabling of one port of a bond, or of a NIC that spreads.

    ``interface`` is the one that a neighbour sees. The peer is the leaf, empty where the port of a bond has no cable.
    The MAC address is empty unless the asset list names it.
    """

    port: Annotated[int, Sticky(keys.NIC, keys.PLANES)]
    interface: Annotated[str, Sticky(keys.SERVER, keys.BOND)]
    peer: Annotated[str, Origin(*keys.PEER_NAME)]
    peer_port: Annotated[str, Sticky(*keys.PEER_PORT)]
    mac: Annotated[str, Origin(keys.ASSETS)] = ""


@dataclass(slots=True)
class Rail:
    """One interface of a rail of one host.

    Attributes:
        mac: MAC address; empty unless the asset list names it, and of a bond, whose ports have theirs.
        address: IPv4 address, ``gateway`` the leaf's; empty without IPv4. ``address6`` and ``gateway6`` likewise.
        links: Every cable of a bond or of a NIC that spreads; empty where there is but one, to ``peer``.
        peer_asn: AS number of the leaf; 0 where routes are static.
    """

    shape: Annotated[RailShape, Sticky(keys.LINK)]
    address: Annotated[str, Origin(keys.HOST_LINKS, keys.NO_IPV4, keys.SERIES)]
    gateway: Annotated[str, Origin(keys.HOST_LINKS, keys.NO_IPV4, keys.SERIES)]
    peer: Annotated[str, Origin(*keys.PEER_NAME)]
    peer_port: Annotated[str, Sticky(*keys.PEER_PORT)]
    mac: Annotated[str, Origin(keys.ASSETS)]
    prefix_len: Annotated[int, Sticky(keys.BOND, keys.HOST_LINKS)] = 31
    links: Annotated[tuple[RailLink, ...], Origin(keys.BOND, keys.NIC, ("planes", "host"))] = ()
    address6: Annotated[str, Origin(keys.HOST_LINKS6, keys.NO_IPV6, keys.SERIES)] = ""
    gateway6: Annotated[str, Origin(keys.HOST_LINKS6, keys.NO_IPV6, keys.SERIES)] = ""
    prefix_len6: Annotated[int, Sticky(keys.BOND, keys.HOST_LINKS6)] = 127
    peer_asn: Annotated[int, Origin(keys.ASN, keys.HOSTS_BGP, keys.ASN_SERIES)] = 0


@dataclass(slots=True)
class Host:
    """One host and its rails; ``nvlink_nodes`` are the nodes of its NVLink domain, itself included.

    ``own`` is as a switch's.
    """

    cls: Annotated[HostClass, Sticky(keys.HOST_GROUP)]
    hostname: Annotated[str, Origin(("hosts", "{group}", "name"))]
    place: Annotated[str, Origin(keys.PLACE)]
    state: Annotated[str, Origin(("exceptions", "[{hostname} state]", "state"))]
    reason: Annotated[str, Origin(("exceptions", "[{hostname} state]", "reason"))]
    serial: Annotated[str, Origin(keys.ASSETS)]
    rails: Annotated[list[Rail], Sticky(keys.SERVER)]
    nvlink_nodes: Annotated[tuple[str, ...], Origin(keys.NVLINK_DOMAIN, ("hosts", "{group}", "name"), keys.ASSETS)] = ()
    own: Annotated[Mapping[str, tuple[str, ...]] | None, Origin(keys.ASSETS)] = None
