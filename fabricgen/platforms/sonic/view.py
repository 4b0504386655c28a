"""View of a switch for SONiC's templates: the rows of its per-port and per-queue tables."""

from __future__ import annotations

import math
from dataclasses import dataclass

from fabricgen.device.model import (
    Buffers,
    CageMode,
    Contract,
    EcnThresholds,
    PgProfile,
    Port,
    PortShape,
    RoutingPolicy,
    Services,
    Switch,
    SwitchClass,
    Watchdog,
)
from fabricgen.platforms.sonic.acl import ACL_ORIGINS, AclRule, AclTable, control_plane_tables
from fabricgen.platforms.sonic.buffers import (
    BUFFER_ORIGINS,
    CPU_QUEUE,
    GroupRow,
    QueueBufferRow,
    QueueRow,
    group_rows,
    groups_by_class,
    profile_list,
    queue_buffer_rows,
    queue_rows,
)
from fabricgen.platforms.views.bgp import ClassBgp, DeviceBgp, class_bgp, device_bgp
from fabricgen.platforms.views.bgp_origins import ORIGINS as BGP_ORIGINS
from fabricgen.platforms.views.origins import same_fields
from fabricgen.platforms.views.switch import SWITCH_VIEW_ORIGINS, SwitchView, switch_values

HASH_ALGORITHMS = ("CRC", "CRC_32LO", "CRC_32HI", "XOR")
"""ECMP hash algorithm of each hash rank; equal to the manifest's list."""

HASH_FIELDS = {
    "five_tuple": ("SRC_IP", "DST_IP", "IP_PROTOCOL", "L4_SRC_PORT", "L4_DST_PORT"),
    "ingress_port": ("IN_PORT",),
}
"""Fields of SWITCH_HASH by word of the intent; the manifest declares the words there is no field for."""

DEVICE_TYPES = {"leaf": "ToRRouter", "spine": "LeafRouter", "core": "SpineRouter", "super_core": "SpineRouter"}
"""DEVICE_METADATA type by role; a fourth tier has the seed of the third, and another algorithm.

Source:
    sonic-net/sonic-buildimage dockers/docker-orchagent/switch.json.j2: the hash seed follows it (0, 10, 25).
"""

SPECTRUM_BOARDS = ("x86_64-nvidia_", "x86_64-mlnx_")
"""Boards of asic_type mellanox: they map PFC priorities to priority groups and list profiles per port.

Source:
    sonic-net/sonic-buildimage files/build_templates/qos_config.j2 and buffers_config.j2, device/mellanox.
"""

TACACS_TOP_PRIORITY = 64


@dataclass(frozen=True, slots=True)
class PortRow:
    """A port as SONiC's tables write it; ``shape`` is the port itself."""

    shape: PortShape
    lanes: str
    speed_mbps: int
    admin_status: str
    cable: str


@dataclass(frozen=True, slots=True)
class TacacsServer:
    """A TACACS+ server; SONiC asks the highest priority first."""

    address: str
    priority: int


@dataclass(frozen=True, slots=True)
class ClassView:
    """What a class of SONiC switches shares.

    Attributes:
        database_version: Schema of the file, which follows the release.
        suppress_fib_pending: The release takes the field of that name.
        buffer_model: Whether the switch computes headroom and pools itself.
        spectrum: The ASIC is a Spectrum.
        breakouts: Empty where the HwSKU's own modes are the plan.
        pfc: Priorities under PFC as PORT_QOS_MAP writes them; empty where nothing pauses.
        pg_by_tc: Priority group of each traffic class.
        tabled_headroom: Headroom profiles; none where the switch computes them.
        cpu_queue_free: No class has the queue of what the CPU sends.
        ingress_profiles: Profiles of a port's ingress buffers, on Spectrum.
        acl_tables: Control-plane ACL; empty where the intent turns it off.
        acl_rules: The rules of all its tables, table by table.
    """

    fabric: str
    board: str
    sku: str
    database_version: str
    suppress_fib_pending: bool
    buffer_model: str
    device_type: str
    has_upper: bool
    has_lower: bool
    spectrum: bool
    ports: tuple[PortRow, ...]
    used: tuple[PortRow, ...]
    breakouts: tuple[CageMode, ...]
    contract: Contract
    pfc: str
    pg_by_tc: tuple[int, ...]
    cpu_queue_free: bool
    ecn: tuple[EcnThresholds, ...]
    queues: tuple[QueueRow, ...]
    buffers: Buffers
    tabled_headroom: tuple[PgProfile, ...]
    priority_groups: tuple[GroupRow, ...]
    queue_buffers: tuple[QueueBufferRow, ...]
    ingress_profiles: str
    egress_profiles: str
    watchdog: Watchdog
    hash_fields: tuple[str, ...]
    hash_algorithm: str
    bgp: ClassBgp
    routing: RoutingPolicy
    services: Services
    tacacs: tuple[TacacsServer, ...]
    acl_tables: tuple[AclTable, ...]
    acl_rules: tuple[AclRule, ...]


@dataclass(slots=True)
class DescribedPort:
    """A port of one device and who is at its other end."""

    shape: PortShape
    row: PortRow
    description: str


@dataclass(slots=True)
class DeviceView(SwitchView):
    """What is one SONiC switch's own.

    Attributes:
        ports: Every port of the box.
        links: Ports with a link.
    """

    mac: str
    ports: list[DescribedPort]
    links: list[Port]
    bgp: DeviceBgp


def class_view(cls: SwitchClass) -> ClassView:
    """The view of a class of switches."""
    contract = cls.contract
    used = [shape for shape in cls.ports if shape.used]
    rows = tuple(_port_row(shape) for shape in cls.ports)
    pools = {profile.name: profile.pool for profile in cls.buffers.profiles}
    ecn = () if contract.mode == "pfc_only" else cls.ecn
    acl_tables = control_plane_tables(cls)
    return ClassView(
        fabric=cls.fabric,
        board=cls.board,
        sku=cls.sku,
        database_version=cls.release.schema,
        suppress_fib_pending=cls.release.knows("DEVICE_METADATA > suppress-fib-pending"),
        buffer_model="dynamic" if cls.buffers.computed else "traditional",
        device_type=DEVICE_TYPES[cls.role],
        has_upper=cls.has_upper,
        has_lower=cls.role != "leaf",
        spectrum=cls.board.startswith(SPECTRUM_BOARDS),
        ports=rows,
        used=tuple(row for row in rows if row.shape.used),
        breakouts=() if cls.sku_is_exact else cls.modes,
        contract=contract,
        pfc=",".join(map(str, contract.lossless)),
        pg_by_tc=groups_by_class(contract),
        cpu_queue_free=all(traffic.priority != CPU_QUEUE for traffic in contract.classes),
        ecn=ecn,
        queues=queue_rows(used, contract, marking=bool(ecn)),
        buffers=cls.buffers,
        tabled_headroom=() if cls.buffers.computed else cls.buffers.headroom,
        priority_groups=group_rows(used, contract, computed=cls.buffers.computed),
        queue_buffers=queue_buffer_rows(used, contract, pools),
        ingress_profiles=profile_list("ingress", pools),
        egress_profiles=profile_list("egress", pools),
        watchdog=cls.watchdog,
        hash_fields=tuple(field for word in cls.routing.hash_fields for field in HASH_FIELDS[word]),
        hash_algorithm=HASH_ALGORITHMS[cls.routing.hash_rank % len(HASH_ALGORITHMS)],
        bgp=class_bgp(cls),
        routing=cls.routing,
        services=cls.services,
        tacacs=tuple(
            TacacsServer(server, TACACS_TOP_PRIORITY - number) for number, server in enumerate(cls.services.tacacs)
        ),
        acl_tables=acl_tables,
        acl_rules=tuple(rule for table in acl_tables for rule in table.rules),
    )


def device_view(device: Switch, cls: ClassView) -> DeviceView:
    """The view of one switch."""
    peers = {port.shape.name: f"{port.peer}:{port.peer_port}" for port in device.ports}
    return DeviceView(
        **switch_values(device),
        mac=device.mac,
        ports=[DescribedPort(row.shape, row, peers.get(row.shape.name, "")) for row in cls.ports],
        links=device.ports,
        bgp=device_bgp(device, cls.bgp),
    )


def _port_row(shape: PortShape) -> PortRow:
    """A port's row; its cable length is the headroom row's, which buffermgrd looks up exactly."""
    row_m = shape.headroom.row_m if shape.headroom else math.ceil(shape.cable_m)
    return PortRow(
        shape=shape,
        lanes=",".join(map(str, shape.lanes)),
        speed_mbps=shape.speed_gbps * 1000,
        admin_status="up" if shape.used else "down",
        cable=f"{row_m}m",
    )


ORIGINS: dict[str, dict[str, str | tuple[str, ...]]] = {
    **BGP_ORIGINS,
    "PortRow": {
        "shape": "SwitchClass.ports",
        "lanes": "PortShape.lanes",
        "speed_mbps": "PortShape.speed_gbps",
        "admin_status": "PortShape.used",
        "cable": ("PortShape.cable_m", "PgProfile.row_m"),
    },
    **BUFFER_ORIGINS,
    **ACL_ORIGINS,
    "TacacsServer": {"address": "Services.tacacs", "priority": "Services.tacacs"},
    "ClassView": same_fields(
        ClassView,
        SwitchClass,
        database_version="SwitchClass.release",
        suppress_fib_pending="SwitchClass.release",
        buffer_model="Buffers.computed",
        device_type="SwitchClass.role",
        has_lower="SwitchClass.role",
        spectrum="SwitchClass.board",
        used="SwitchClass.ports",
        breakouts=("SwitchClass.modes", "SwitchClass.sku_is_exact"),
        pfc="Contract.lossless",
        pg_by_tc="TrafficClass.priority_group",
        cpu_queue_free="TrafficClass.priority",
        queues=("Contract.classes", "SwitchClass.ports"),
        tabled_headroom="Buffers.headroom",
        priority_groups=("Contract.lossless", "SwitchClass.ports"),
        queue_buffers=("Contract.lossless", "SwitchClass.ports"),
        ingress_profiles="Profile.name",
        egress_profiles="Profile.name",
        hash_fields="RoutingPolicy.hash_fields",
        hash_algorithm="RoutingPolicy.hash_rank",
        bgp="SwitchClass.prefixes",
        tacacs="Services.tacacs",
        acl_tables="Access.acl",
        acl_rules=("Access.acl", "Access.management", "FabricPrefixes.fabric_links"),
    ),
    "DescribedPort": {
        "shape": "SwitchClass.ports",
        "row": "SwitchClass.ports",
        "description": ("Port.peer", "Port.peer_port"),
    },
    "SwitchView": SWITCH_VIEW_ORIGINS,
    "DeviceView": {
        **SWITCH_VIEW_ORIGINS,
        "mac": "Switch.mac",
        "ports": ("SwitchClass.ports", "Switch.ports"),
        "links": "Switch.ports",
        "bgp": "Switch.ports",
    },
}
"""View field to the device-model fields it derives from; the first decides it most directly."""
