"""View of a switch for SONiC's templates: the rows of its per-port and per-queue tables, and their buffer profiles."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Annotated

from fabricgen.device.model import (
    Buffers,
    CageMode,
    Contract,
    EcnThresholds,
    PgProfile,
    Port,
    PortShape,
    Switch,
    SwitchClass,
    Watchdog,
)
from fabricgen.platforms.sonic.acl import AclTable, SonicAclRule, control_plane_tables
from fabricgen.platforms.views.bgp import ClassBgp, DeviceBgp, class_bgp, device_bgp
from fabricgen.platforms.views.switch import (
    LeafBond,
    SwitchClassView,
    SwitchView,
    TacacsServer,
    class_values,
    groups_by_class,
    leaf_bonds,
    switch_values,
)

QUEUES = range(8)
CPU_QUEUE = 7
"""Queue of what the switch's own CPU sends.

Source:
    sonic-net/sonic-swss pull request 2697: control packets are pinned to transmit queue 7.
"""

COMPUTED_PROFILE = "NULL"
"""Profile of a priority group whose headroom the switch computes.

Source:
    sonic-net/sonic-buildimage files/build_templates/buffers_config.j2, dynamic mode; sonic-buffer-pg.yang.
"""

LOSSY_GROUP_PROFILE = "ingress_lossy_profile"

_HEADROOM = ("PortShape.headroom", "Contract.lossless")
_COMPUTED = ("Contract.lossless", "Buffers.computed")
_LOSSY = ("Profile.name",)
HASH_ALGORITHMS = ("CRC", "CRC_32LO", "CRC_32HI", "XOR")
"""ECMP hash algorithm of each hash rank; equal to the manifest's list."""
_WAITS = ("DEVICE_METADATA > suppress-fib-pending", "bgp suppress-fib-pending")
"""Field and command that make routes wait for the ASIC before they are announced."""
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
class SonicQueueRow:
    """A queue of a port: its scheduler, and whether it marks."""

    shape: Annotated[PortShape, "SwitchClass.ports"]
    number: Annotated[int, "Contract.classes"]
    scheduler: Annotated[str, "TrafficClass.priority", "TrafficClass.name"]
    marked: Annotated[bool, "Contract.mode", "TrafficClass.lossless"]


@dataclass(frozen=True, slots=True)
class SonicGroupRow:
    """Priority groups of a port that share a buffer profile, as ``3`` or ``3-4``; ``origins`` are its own."""

    shape: Annotated[PortShape, "SwitchClass.ports"]
    numbers: Annotated[str, "TrafficClass.priority_group"]
    profile: Annotated[str, "PortShape.headroom", "Contract.lossless"]
    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueueBufferRow:
    """Queues of a port that share a buffer profile, as ``3`` or ``0-2``."""

    shape: Annotated[PortShape, "SwitchClass.ports"]
    numbers: Annotated[str, "Contract.lossless"]
    profile: Annotated[str, "Contract.lossless", "Profile.name"]


def queue_rows(used: Iterable[PortShape], contract: Contract, *, marking: bool) -> tuple[SonicQueueRow, ...]:
    """Every queue of every used port: the scheduler of its class, and marking where the class is lossless."""
    schedulers = dict.fromkeys(QUEUES, "idle") | {CPU_QUEUE: "cpu"}
    schedulers |= {traffic.priority: f"scheduler.{traffic.name}" for traffic in contract.classes}
    marked = {traffic.priority for traffic in contract.classes if traffic.lossless and marking}
    return tuple(
        SonicQueueRow(shape, number, scheduler, number in marked and bool(shape.ecn))
        for shape in used
        for number, scheduler in schedulers.items()
    )


def group_rows(used: Iterable[PortShape], contract: Contract, *, computed: bool) -> tuple[SonicGroupRow, ...]:
    """Headroom for each priority under PFC, or that it is computed; every other priority group in use is lossy."""
    groups = sorted(set(groups_by_class(contract)))
    paused = {traffic.priority_group for traffic in contract.classes if traffic.priority in contract.lossless}
    return tuple(
        SonicGroupRow(shape, numbers, profile, _LOSSY if profile == LOSSY_GROUP_PROFILE else origins)
        for shape in used
        for own, origins in [
            (COMPUTED_PROFILE, _COMPUTED) if computed else (shape.headroom.name if shape.headroom else "", _HEADROOM)
        ]
        for numbers, profile in _runs({number: own if number in paused else LOSSY_GROUP_PROFILE for number in groups})
    )


def queue_buffer_rows(
    used: Iterable[PortShape], contract: Contract, pools: Mapping[str, str]
) -> tuple[QueueBufferRow, ...]:
    """Buffer profile of every queue of every used port; ``pools`` is the pool of every profile."""
    lossy = _lossy_profile(pools)
    runs = _runs({number: "egress_lossless_profile" if number in contract.lossless else lossy for number in QUEUES})
    return tuple(QueueBufferRow(shape, numbers, profile) for shape in used for numbers, profile in runs)


def _runs(profiles: Mapping[int, str]) -> list[tuple[str, str]]:
    """Neighbouring numbers of equal profile as ranges: ``3-4``, never ``3`` and ``4``, as buffermgrd writes them."""
    found: list[tuple[int, int, str]] = []
    for number, profile in profiles.items():
        first, last, previous = found[-1] if found else (number, number - 2, "")
        if last + 1 == number and profile == previous:
            found[-1] = (first, number, profile)
        else:
            found.append((number, number, profile))
    return [(f"{first}-{last}" if last > first else str(first), profile) for first, last, profile in found]


def _lossy_profile(pools: Mapping[str, str]) -> str:
    """Profile of a lossy queue; vendors that list profiles per port keep a smaller one for its queues."""
    return "q_lossy_profile" if "q_lossy_profile" in pools else "egress_lossy_profile"


def profile_list(side: str, pools: Mapping[str, str]) -> str:
    """The profiles a port takes on one side: one per pool, the lossless one first."""
    by_pool: dict[str, str] = {}
    for name in (f"{side}_lossless_profile", f"{side}_lossy_profile"):
        if name in pools:
            by_pool.setdefault(pools[name], name)
    return ",".join(by_pool.values())


@dataclass(frozen=True, slots=True)
class SonicPortRow:
    """A port as SONiC's tables write it; ``shape`` is the port itself."""

    shape: Annotated[PortShape, "SwitchClass.ports"]
    lanes: Annotated[str, "PortShape.lanes"]
    speed_mbps: Annotated[int, "PortShape.speed_gbps"]
    admin_status: Annotated[str, "PortShape.used"]
    cable: Annotated[str, "PortShape.length_m", "PgProfile.row_m"]


@dataclass(frozen=True, slots=True)
class SonicClassView(SwitchClassView):
    """Properties that a class of SONiC switches shares.

    Attributes:
        database_version: Schema of the file, which follows the release.
        suppress_fib_pending: The release takes the field of that name, and its routing daemons the command.
        buffer_model: Whether the switch computes headroom and pools itself.
        breakouts: Empty where the HwSKU's own modes are the plan.
        pfc: Priorities under PFC as PORT_QOS_MAP writes them; empty where nothing pauses.
        pg_by_tc: Priority group of each traffic class.
        tabled_headroom: Headroom profiles; none where the switch computes them.
        cpu_queue_free: No class has the queue of what the CPU sends.
        ingress_profiles: Profiles of a port's ingress buffers, on Spectrum.
        acl_tables: Control-plane ACL; empty where the intent turns it off.
    """

    board: Annotated[str, "SwitchClass.board"]
    sku: Annotated[str, "SwitchClass.sku"]
    database_version: Annotated[str, "SwitchClass.release"]
    suppress_fib_pending: Annotated[bool, "SwitchClass.release"]
    buffer_model: Annotated[str, "Buffers.computed"]
    device_type: Annotated[str, "SwitchClass.role"]
    spectrum: Annotated[bool, "SwitchClass.board"]
    ports: Annotated[tuple[SonicPortRow, ...], "SwitchClass.ports"]
    used: Annotated[tuple[SonicPortRow, ...], "SwitchClass.ports"]
    breakouts: Annotated[tuple[CageMode, ...], "SwitchClass.modes", "SwitchClass.sku_is_exact"]
    contract: Annotated[Contract, "SwitchClass.contract"]
    pfc: Annotated[str, "Contract.lossless"]
    pg_by_tc: Annotated[tuple[int, ...], "TrafficClass.priority_group"]
    cpu_queue_free: Annotated[bool, "TrafficClass.priority"]
    ecn: Annotated[tuple[EcnThresholds, ...], "SwitchClass.ecn"]
    queues: Annotated[tuple[SonicQueueRow, ...], "Contract.classes", "SwitchClass.ports"]
    buffers: Annotated[Buffers, "SwitchClass.buffers"]
    tabled_headroom: Annotated[tuple[PgProfile, ...], "Buffers.headroom"]
    priority_groups: Annotated[tuple[SonicGroupRow, ...], "Contract.lossless", "SwitchClass.ports"]
    queue_buffers: Annotated[tuple[QueueBufferRow, ...], "Contract.lossless", "SwitchClass.ports"]
    ingress_profiles: Annotated[str, "Profile.name"]
    egress_profiles: Annotated[str, "Profile.name"]
    watchdog: Annotated[Watchdog, "SwitchClass.watchdog"]
    hash_fields: Annotated[tuple[str, ...], "RoutingPolicy.hash_fields"]
    hash_algorithm: Annotated[str, "RoutingPolicy.hash_rank"]
    bgp: Annotated[ClassBgp, "SwitchClass.prefixes"]
    bond_mac: Annotated[str, "SwitchClass.bond_mac"]
    tacacs: Annotated[tuple[TacacsServer, ...], "Services.tacacs"]
    acl_tables: Annotated[tuple[AclTable, ...], "Access.acl"]
    acl_rules: Annotated[tuple[SonicAclRule, ...], "Access.acl", "Access.management", "FabricPrefixes.fabric_links"]


@dataclass(slots=True)
class DescribedPort:
    """A port of one device and who is at its other end."""

    shape: Annotated[PortShape, "SwitchClass.ports"]
    row: Annotated[SonicPortRow, "SwitchClass.ports"]
    description: Annotated[str, "Port.peer", "Port.peer_port"]


@dataclass(slots=True)
class SonicDeviceView(SwitchView):
    """Properties of one SONiC switch; its links are ports with a link, of which those in no bond are ``routed``."""

    mac: Annotated[str, "Switch.mac"]
    ports: Annotated[list[DescribedPort], "SwitchClass.ports", "Switch.ports"]
    links: Annotated[list[Port], "Switch.ports"]
    routed: Annotated[list[Port], "Switch.ports", "Port.bond"]
    bonds: Annotated[tuple[LeafBond, ...], "Switch.ports", "Port.bond"]
    bgp: Annotated[DeviceBgp, "Switch.ports"]


def class_view(cls: SwitchClass) -> SonicClassView:
    """The view of a class of switches."""
    contract = cls.contract
    rows = tuple(_port_row(shape) for shape in cls.ports)
    used_rows = tuple(row for row in rows if row.shape.used)
    used = [row.shape for row in used_rows]
    pools = {profile.name: profile.pool for profile in cls.buffers.profiles}
    ecn = () if contract.mode == "pfc_only" else cls.ecn
    acl_tables = control_plane_tables(cls)
    return SonicClassView(
        **class_values(cls),
        board=cls.board,
        sku=cls.sku,
        database_version=cls.release.schema,
        suppress_fib_pending=all(map(cls.release.knows, _WAITS)),
        buffer_model="dynamic" if cls.buffers.computed else "traditional",
        device_type=DEVICE_TYPES[cls.role],
        spectrum=cls.board.startswith(SPECTRUM_BOARDS),
        ports=rows,
        used=used_rows,
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
        bgp=class_bgp(cls, demotes=False),
        bond_mac=cls.bond_mac,
        tacacs=tuple(map(TacacsServer, cls.services.tacacs, count(TACACS_TOP_PRIORITY, -1))),
        acl_tables=acl_tables,
        acl_rules=tuple(rule for table in acl_tables for rule in table.rules),
    )


def device_view(device: Switch, cls: SonicClassView) -> SonicDeviceView:
    """The view of one switch."""
    peers = {port.shape.name: f"{port.peer}:{port.peer_port}" for port in device.ports}
    return SonicDeviceView(
        **switch_values(device),
        mac=device.mac,
        ports=[DescribedPort(row.shape, row, peers.get(row.shape.name, "")) for row in cls.ports],
        links=device.ports,
        routed=[port for port in device.ports if not port.bond],
        bonds=leaf_bonds(device.ports),
        bgp=device_bgp(device, cls.bgp),
    )


def _port_row(shape: PortShape) -> SonicPortRow:
    """A port's row; its cable length is the headroom row's, which buffermgrd looks up exactly."""
    row_m = shape.headroom.row_m if shape.headroom else math.ceil(shape.length_m)
    return SonicPortRow(
        shape=shape,
        lanes=",".join(map(str, shape.lanes)),
        speed_mbps=shape.speed_gbps * 1000,
        admin_status="up" if shape.used else "down",
        cable=f"{row_m}m",
    )
