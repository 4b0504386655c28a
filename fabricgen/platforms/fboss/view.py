"""View of a switch for the templates of FBOSS: one class, and one device of it with its sessions of BGP++.

There is a session per link and family, in a group per neighbouring tier and family.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from fabricgen.device.model import Port, PortShape, RoutingPolicy, Services, Switch, SwitchClass, Watchdog
from fabricgen.platforms.fboss import buffers
from fabricgen.platforms.views.bgp import ClassBgp, Family, class_bgp, device_lists
from fabricgen.platforms.views.policy import (
    ENDING,
    FABRIC,
    HOSTS,
    LOWER,
    UPPER,
    PrefixList,
    PrefixRule,
    RoutePolicy,
    Statement,
    last_resort,
    list_name,
)
from fabricgen.platforms.views.switch import groups_by_class

Prefixes = tuple[PrefixRule, ...]
NO_HOP4, NO_HOP6 = "0.0.0.0", "::"  # noqa: S104 - no socket is bound to them
"""Addresses that stand for no next hop: both are always parsed (nexthop-ai/BGP ae5896c7, config/Config.cpp)."""
SIDES = {UPPER: "tier above", LOWER: "tier below", HOSTS: "hosts"}
DISABLED, ENABLED = 1, 2
"""PortState (facebook/fboss 14ec47ec, switch_config.thrift)."""
INTERFACE_PORT, MANAGEMENT_PORT = 0, 4
"""PortType."""
NO_DROP, DROP = 0, 1
"""PfcWatchdogRecoveryAction."""
UNDRAINED, DRAINED = 0, 1
"""DrainState of the BGP daemon."""
DEFAULT_VLAN = 4094
FIRST_VLAN = 2000
"""VLAN of a port is this plus its number, which identifies the port for good."""
ADDRESS_FIELDS = (1, 2)
"""Source and destination: the same numbers in IPv4Field, IPv6Field and TransportField."""
FLOWLET_QUALITY, PER_PACKET_QUALITY = 0, 1
"""SwitchingMode."""
FLOWLET_TABLES = {"flowlet": (FLOWLET_QUALITY, 2048), "per_packet": (PER_PACKET_QUALITY, 256)}
"""Switching mode and size of the flowlet table by word of the intent.

Source:
    facebook/fboss 14ec47ec, agent/test/utils/LoadBalancerTestUtils.cpp, getDefaultFlowletSwitchingConfig.
"""
DEFAULT_WIDTH = 64
"""The ECMP width of an agent that no file states (facebook/fboss 14ec47ec, agent/AgentFeatures.cpp, ecmp_width)."""
SEEDS = (10, 20, 30, 40)
"""Seed of each hash rank; equal to the manifest's list."""


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
    group: Annotated[str, "PortShape.side"]
    side: Annotated[str, "PortShape.side"]
    ingress: Annotated[str, "Port.peer", "Switch.leafs"]


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
    return [_peer(port, own, bgp.below, named=named) for port in device.ports if port.peer_asn for own in bgp.families]


def _peer(port: Port, family: Family, below: str, *, named: bool) -> Peer:
    """The session over a port in a family; ``named`` says that each leaf below is held to what it may say."""
    ipv4, upper = family.name == "ipv4", port.shape.side == "up"
    return Peer(
        port,
        port.address if ipv4 else port.address6,
        port.peer_address if ipv4 else port.peer_address6,
        port.address if ipv4 else NO_HOP4,
        NO_HOP6 if ipv4 else port.address6,
        family.upper_group if upper else family.lower_group,
        UPPER if upper else below,
        list_name(port.peer, "") if named and not upper else "",
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
        kind = policy.statements[-1].prefixes
        yield FbossPolicy(policy.name, about, policy.statements, known[kind] if kind else ())
    accepted = policies[0]
    for leaf, prefixes in leafs if accepted.side == LOWER else ():
        name = list_name(leaf, ENDING if accepted.drained else "")
        yield FbossPolicy(name, about, accepted.statements, prefixes)


def _merged(lists: Sequence[PrefixList]) -> Prefixes:
    """Return the rules of the lists of all families as one; those of leafs and hosts kind by kind."""
    rules = [rule for each in lists for rule in each.rules]
    return tuple(rules if lists[0].kind == FABRIC else sorted(rules, key=lambda rule: rule.number))


@dataclass(frozen=True, slots=True)
class FbossPortRow:
    """A port as the agent's table writes it; with ``lldp_port`` its neighbour's LLDP port id is the planned name."""

    shape: Annotated[PortShape, "SwitchClass.ports"]
    number: Annotated[int, "PortShape.number"]
    name: Annotated[str, "PortShape.name"]
    state: Annotated[int, "PortShape.used"]
    speed_mbps: Annotated[int, "PortShape.speed_gbps"]
    profile: Annotated[int, "PortShape.profile"]
    kind: Annotated[int, "PortShape.service"]
    vlan: Annotated[int, "PortShape.used", "PortShape.number"]
    mtu_bytes: Annotated[int, "PortShape.mtu_bytes"]
    queue_config: Annotated[str, "PortShape.ecn", "PortShape.used"]
    pg_config: Annotated[str, "PortShape.headroom", "PortShape.side"]
    lldp_port: Annotated[bool, "PortShape.peer_platform"]


@dataclass(frozen=True, slots=True)
class Flowlets:
    """Parameters by which the switch moves traffic away from busy links."""

    mode: Annotated[int, "RoutingPolicy.load_balancing"]
    table_size: Annotated[int, "RoutingPolicy.load_balancing"]
    gap_us: Annotated[int, "RoutingPolicy.flowlet_gap_us"]


@dataclass(frozen=True, slots=True)
class FbossClassView:
    """Properties that a class of FBOSS switches shares.

    Attributes:
        ecmp_width: Next hops of a group, and what weights add up to; a running agent takes no other one.
        chip: Chip section of the board, JSON.
        ports: Every port of the box; ``linked`` are those with a link.
        pool: Shared buffer; None if unpublished, and then nothing pauses.
        flowlets: None where paths are chosen by the hash alone.
    """

    fabric: Annotated[str, "SwitchClass.fabric"]
    asic_type: Annotated[int, "Buffers.asic"]
    pauses: Annotated[bool, "Contract.lossless"]
    chip: Annotated[str, "SwitchClass.board_data"]
    ports: Annotated[tuple[FbossPortRow, ...], "SwitchClass.ports"]
    linked: Annotated[tuple[FbossPortRow, ...], "SwitchClass.ports"]
    watchdog: Annotated[Watchdog, "SwitchClass.watchdog"]
    recovery_action: Annotated[int, "Watchdog.action"]
    dscp_groups: Annotated[tuple[buffers.DscpGroup, ...], "Contract.priority_by_dscp"]
    pg_by_tc: Annotated[tuple[int, ...], "TrafficClass.priority_group"]
    queue_configs: Annotated[tuple[buffers.QueueConfig, ...], "Contract.classes", "SwitchClass.ports"]
    pg_configs: Annotated[tuple[buffers.GroupConfig, ...], "Contract.lossless", "SwitchClass.ports"]
    pool: Annotated[buffers.PoolRow | None, "Buffers.pools"]
    hash_tuple: Annotated[tuple[int, ...], "RoutingPolicy.hash_fields"]
    hash_queue_pair: Annotated[bool, "RoutingPolicy.hash_fields"]
    hash_seed: Annotated[int, "RoutingPolicy.hash_rank"]
    max_paths: Annotated[int, "RoutingPolicy.max_paths"]
    ecmp_width: Annotated[int, "RoutingPolicy.max_paths", "RoutingPolicy.paths_stated"]
    flowlets: Annotated[Flowlets | None, "RoutingPolicy.load_balancing"]
    services: Annotated[Services, "SwitchClass.services"]
    routing: Annotated[RoutingPolicy, "SwitchClass.routing"]
    groups: Annotated[tuple[SessionGroup, ...], "SwitchClass.has_upper", "SwitchClass.role", "SwitchClass.hosts_bgp"]
    bgp: Annotated[ClassBgp, "SwitchClass.ipv4", "SwitchClass.ipv6"]


@dataclass(slots=True)
class DevicePort:
    """A port of one device and its neighbour; empty if it has none."""

    row: Annotated[FbossPortRow, "SwitchClass.ports"]
    peer: Annotated[str, "Port.peer"]
    peer_port: Annotated[str, "Port.peer_port"]
    description: Annotated[str, "Port.peer", "Port.peer_port"]


@dataclass(slots=True)
class FbossLink:
    """A port with its addresses, each with its length."""

    port: Annotated[Port, "Switch.ports"]
    row: Annotated[FbossPortRow, "SwitchClass.ports"]
    addresses: Annotated[tuple[str, ...], "Port.address", "Port.address6", "Port.prefix_len", "Port.prefix_len6"]


@dataclass(slots=True)
class FbossDeviceView:
    """Properties of one FBOSS switch.

    Attributes:
        loopbacks: Its loopback in each family, with its length; ``aggregates`` the blocks that it announces whole.
        sampler: Where samples of the traffic come from: the loopback of the collector's family.
    """

    hostname: Annotated[str, "Switch.hostname"]
    about: Annotated[str, "SwitchClass.fabric", "Switch.place", "Switch.reason"]
    asn: Annotated[int, "Switch.asn"]
    router_id: Annotated[str, "Switch.router_id"]
    loopbacks: Annotated[tuple[str, ...], "Switch.loopback", "Switch.loopback6"]
    networks4: Annotated[tuple[str, ...], "Switch.aggregate", "Switch.loopback"]
    networks6: Annotated[tuple[str, ...], "Switch.aggregate6", "Switch.loopback6"]
    sampler: Annotated[str, "Switch.loopback", "Switch.loopback6", "Services.sflow_collector"]
    mac: Annotated[str, "Switch.mac"]
    aggregates: Annotated[tuple[str, ...], "Switch.aggregate", "Switch.aggregate6"]
    drain_state: Annotated[int, "Switch.state"]
    ports: Annotated[list[DevicePort], "SwitchClass.ports", "Switch.ports"]
    links: Annotated[list[FbossLink], "Switch.ports"]
    peers: Annotated[list[Peer], "Switch.ports"]
    policies: Annotated[tuple[FbossPolicy, ...], "Switch.state", "SwitchClass.prefixes", "SwitchClass.hosts_bgp"]


def class_view(cls: SwitchClass) -> FbossClassView:
    """The view of a class of switches."""
    used = [shape for shape in cls.ports if shape.used]
    pool = buffers.pool_row(cls.buffers)
    configs = buffers.group_configs(cls, used) if pool else ()
    names = {config.name for config in configs}
    rows = tuple(_port_row(shape, cls, names) for shape in cls.ports)
    words, flowlets = cls.routing.hash_fields, FLOWLET_TABLES.get(cls.routing.load_balancing)
    bgp = class_bgp(cls)
    return FbossClassView(
        fabric=cls.fabric,
        asic_type=buffers.ASICS[cls.buffers.asic.id][0],
        pauses=bool(configs),
        chip=cls.board_data,
        ports=rows,
        linked=tuple(row for row in rows if row.shape.used),
        watchdog=cls.watchdog,
        recovery_action=DROP if cls.watchdog.action == "drop" else NO_DROP,
        dscp_groups=buffers.dscp_groups(cls.contract),
        pg_by_tc=groups_by_class(cls.contract),
        queue_configs=buffers.queue_configs(cls, used),
        pg_configs=configs,
        pool=pool,
        hash_tuple=ADDRESS_FIELDS if "five_tuple" in words else (),
        hash_queue_pair="roce_dest_qp" in words,
        hash_seed=SEEDS[cls.routing.hash_rank],
        max_paths=cls.routing.max_paths,
        ecmp_width=ecmp_width(cls.routing),
        flowlets=Flowlets(*flowlets, cls.routing.flowlet_gap_us) if flowlets else None,
        services=cls.services,
        routing=cls.routing,
        groups=peer_groups(cls.fabric, bgp),
        bgp=bgp,
    )


def ecmp_width(routing: RoutingPolicy) -> int:
    """Return the width that the intent states, else a power of two at or above the planned one and the default.

    Source:
        facebook/fboss 14ec47ec, agent/ValidateStateUpdate.cpp, isEcmpWidthUpdateValid: a running agent keeps its width.
    """
    planned = max(DEFAULT_WIDTH, 1 << (routing.max_paths - 1).bit_length())
    return routing.max_paths if routing.paths_stated else planned


def device_view(device: Switch, cls: FbossClassView) -> FbossDeviceView:
    """The view of one switch."""
    ends = {port.shape.name: port for port in device.ports}
    rows = {row.name: row for row in cls.linked}
    drained = device.state == "drained"
    return FbossDeviceView(
        hostname=device.hostname,
        about=", ".join(filter(None, (cls.fabric, device.place, f"drained: {device.reason}" if drained else ""))),
        asn=device.asn,
        router_id=device.router_id,
        loopbacks=present(f"{device.loopback}/32", f"{device.loopback6}/128"),
        networks4=present(device.aggregate, f"{device.loopback}/32"),
        networks6=present(device.aggregate6, f"{device.loopback6}/128"),
        sampler=device.loopback6 if ":" in cls.services.sflow_collector else device.loopback,
        mac=device.mac,
        aggregates=present(device.aggregate, device.aggregate6),
        drain_state=DRAINED if drained else UNDRAINED,
        ports=[_device_port(row, ends.get(row.name)) for row in cls.ports],
        links=[
            FbossLink(
                port,
                rows[port.shape.name],
                present(f"{port.address}/{port.prefix_len}", f"{port.address6}/{port.prefix_len6}"),
            )
            for port in device.ports
        ],
        peers=build_peers(device, cls.bgp),
        policies=tuple(build_policies(device, cls.bgp)),
    )


def present(*prefixes: str) -> tuple[str, ...]:
    """Those of some prefixes that have an address."""
    return tuple(prefix for prefix in prefixes if not prefix.startswith("/") and prefix)


def _port_row(shape: PortShape, cls: SwitchClass, pg_configs: set[str]) -> FbossPortRow:
    pg_config = buffers.group_config_name(shape)
    return FbossPortRow(
        shape=shape,
        number=shape.number,
        name=shape.name,
        state=ENABLED if shape.used else DISABLED,
        speed_mbps=shape.speed_gbps * 1000,
        profile=shape.profile,
        kind=MANAGEMENT_PORT if shape.service else INTERFACE_PORT,
        vlan=FIRST_VLAN + shape.number if shape.used else DEFAULT_VLAN,
        mtu_bytes=shape.mtu_bytes,
        queue_config=buffers.queue_config_name(shape, cls.contract) if shape.used else "",
        pg_config=pg_config if pg_config in pg_configs else "",
        lldp_port=bool(shape.peer_platform) and shape.peer_platform == cls.platform,
    )


def _device_port(row: FbossPortRow, port: Port | None) -> DevicePort:
    if port is None:
        return DevicePort(row, "", "", "")
    return DevicePort(row, port.peer, port.peer_port, f"{port.peer}:{port.peer_port}")
