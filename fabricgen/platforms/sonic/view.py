"""View of a switch for SONiC's templates: the rows of its per-port and per-queue tables."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
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
from fabricgen.platforms.bgp_view import ORIGINS as BGP_ORIGINS
from fabricgen.platforms.bgp_view import ClassBgp, DeviceBgp, class_bgp, device_bgp
from fabricgen.platforms.switch_view import SWITCH_VIEW_ORIGINS, SwitchView, switch_values
from fabricgen.platforms.view_origins import same_fields

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

QUEUES = range(8)
CPU_QUEUE = 7
"""Queue of what the switch's own CPU sends.

Source:
    sonic-net/sonic-swss pull request 2697: control packets are pinned to transmit queue 7.
"""

SPECTRUM_BOARDS = ("x86_64-nvidia_", "x86_64-mlnx_")
"""Boards of asic_type mellanox: they map PFC priorities to priority groups and list profiles per port.

Source:
    sonic-net/sonic-buildimage files/build_templates/qos_config.j2 and buffers_config.j2, device/mellanox.
"""

TARGET = "202511"
DATABASE_VERSIONS = {
    "202311": "version_202311_03",
    "202405": "version_202405_02",
    "202411": "version_202411_02",
    "202505": "version_202505_01",
    "202511": "version_202511_01",
    "202605": "version_202605_01",
}
"""Schema of CONFIG_DB by release; the manifest lists the same releases.

Source:
    sonic-net/sonic-utilities, scripts/db_migrator.py, CURRENT_VERSION of each branch.
"""

COMPUTED_PROFILE = "NULL"
"""Profile of a priority group whose headroom the switch computes.

Source:
    sonic-net/sonic-buildimage files/build_templates/buffers_config.j2, dynamic mode; sonic-buffer-pg.yang.
"""

TACACS_TOP_PRIORITY = 64
LOSSY_GROUP_PROFILE = "ingress_lossy_profile"

_HEADROOM = ("PortShape.pg_profile", "Contract.lossless")
_COMPUTED = ("Contract.lossless", "Buffers.computed")
_LOSSY = ("Profile.name",)


@dataclass(frozen=True, slots=True)
class PortRow:
    """A port as SONiC's tables write it; ``shape`` is the port itself."""

    shape: PortShape
    lanes: str
    speed_mbps: int
    admin_status: str
    cable: str


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A queue of a port: its scheduler, and whether it marks."""

    shape: PortShape
    number: int
    scheduler: str
    marked: bool


@dataclass(frozen=True, slots=True)
class GroupRow:
    """Priority groups of a port that share a buffer profile, as ``3`` or ``3-4``; ``origins`` as in ``ORIGINS``."""

    shape: PortShape
    numbers: str
    profile: str
    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueueBufferRow:
    """Queues of a port that share a buffer profile, as ``3`` or ``0-2``."""

    shape: PortShape
    numbers: str
    profile: str


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
        buffer_model: Whether the switch computes headroom and pools itself.
        spectrum: The ASIC is a Spectrum.
        breakouts: Empty where the HwSKU's own modes are the plan.
        pfc: Priorities under PFC as PORT_QOS_MAP writes them; empty where nothing pauses.
        pg_by_tc: Priority group of each traffic class.
        tabled_headroom: Headroom profiles; none where the switch computes them.
        cpu_queue_free: No class has the queue of what the CPU sends.
        ingress_profiles: Profiles of a port's ingress buffers, on Spectrum.
    """

    fabric: str
    board: str
    sku: str
    database_version: str
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
    cables = {row.name: row.cable_m for row in cls.buffers.headroom}
    rows = tuple(_port_row(shape, cables) for shape in cls.ports)
    pools = {profile.name: profile.pool for profile in cls.buffers.profiles}
    ecn = () if contract.mode == "pfc_only" else cls.ecn
    return ClassView(
        fabric=cls.fabric,
        board=cls.board,
        sku=cls.sku,
        database_version=DATABASE_VERSIONS[cls.release or TARGET],
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
        pg_by_tc=_pg_by_tc(contract),
        cpu_queue_free=all(traffic.priority != CPU_QUEUE for traffic in contract.classes),
        ecn=ecn,
        queues=_queues(used, contract, marking=bool(ecn)),
        buffers=cls.buffers,
        tabled_headroom=() if cls.buffers.computed else cls.buffers.headroom,
        priority_groups=_priority_groups(used, contract, computed=cls.buffers.computed),
        queue_buffers=_queue_buffers(used, contract, _lossy_profile(pools)),
        ingress_profiles=_profile_list("ingress", pools),
        egress_profiles=_profile_list("egress", pools),
        watchdog=cls.watchdog,
        hash_fields=tuple(field for word in cls.routing.hash_fields for field in HASH_FIELDS[word]),
        hash_algorithm=HASH_ALGORITHMS[cls.routing.hash_rank % len(HASH_ALGORITHMS)],
        bgp=class_bgp(cls),
        routing=cls.routing,
        services=cls.services,
        tacacs=tuple(
            TacacsServer(server, TACACS_TOP_PRIORITY - number) for number, server in enumerate(cls.services.tacacs)
        ),
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


def _port_row(shape: PortShape, cables: dict[str, int]) -> PortRow:
    """A port's row; its cable length is the headroom row's, which buffermgrd looks up exactly."""
    cable_m = cables.get(shape.pg_profile, math.ceil(shape.cable_m)) if shape.used else 0
    return PortRow(
        shape=shape,
        lanes=",".join(map(str, shape.lanes)),
        speed_mbps=shape.speed_gbps * 1000,
        admin_status="up" if shape.used else "down",
        cable=f"{cable_m}m",
    )


def _pg_by_tc(contract: Contract) -> tuple[int, ...]:
    """Priority group of each traffic class; one that no class uses shares group 0."""
    groups = {traffic.priority: traffic.priority_group for traffic in contract.classes}
    return tuple(groups.get(number, 0) for number in QUEUES)


def _queues(used: Iterable[PortShape], contract: Contract, *, marking: bool) -> tuple[QueueRow, ...]:
    """Every queue of every used port: the scheduler of its class, and marking where the class is lossless."""
    schedulers = dict.fromkeys(QUEUES, "idle") | {CPU_QUEUE: "cpu"}
    schedulers |= {traffic.priority: f"scheduler.{traffic.name}" for traffic in contract.classes}
    marked = {traffic.priority for traffic in contract.classes if traffic.lossless and marking}
    return tuple(
        QueueRow(shape, number, scheduler, number in marked and bool(shape.ecn))
        for shape in used
        for number, scheduler in schedulers.items()
    )


def _priority_groups(used: Iterable[PortShape], contract: Contract, *, computed: bool) -> tuple[GroupRow, ...]:
    """Headroom for each priority under PFC, or that it is computed; every other priority group in use is lossy."""
    groups = sorted(set(_pg_by_tc(contract)))
    paused = {traffic.priority_group for traffic in contract.classes if traffic.priority in contract.lossless}
    return tuple(
        GroupRow(shape, numbers, profile, _LOSSY if profile == LOSSY_GROUP_PROFILE else origins)
        for shape in used
        for own, origins in [(COMPUTED_PROFILE, _COMPUTED) if computed else (shape.pg_profile, _HEADROOM)]
        for numbers, profile in _runs({number: own if number in paused else LOSSY_GROUP_PROFILE for number in groups})
    )


def _queue_buffers(used: Iterable[PortShape], contract: Contract, lossy: str) -> tuple[QueueBufferRow, ...]:
    """Buffer profile of every queue of every used port."""
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


def _profile_list(side: str, pools: Mapping[str, str]) -> str:
    """The profiles a port takes on one side: one per pool, the lossless one first."""
    by_pool: dict[str, str] = {}
    for name in (f"{side}_lossless_profile", f"{side}_lossy_profile"):
        if name in pools:
            by_pool.setdefault(pools[name], name)
    return ",".join(by_pool.values())


ORIGINS: dict[str, dict[str, str | tuple[str, ...]]] = {
    **BGP_ORIGINS,
    "PortRow": {
        "shape": "SwitchClass.ports",
        "lanes": "PortShape.lanes",
        "speed_mbps": "PortShape.speed_gbps",
        "admin_status": "PortShape.used",
        "cable": ("PortShape.cable_m", "PgProfile.cable_m"),
    },
    "QueueRow": {
        "shape": "SwitchClass.ports",
        "number": "Contract.classes",
        "scheduler": ("TrafficClass.priority", "TrafficClass.name"),
        "marked": ("Contract.mode", "TrafficClass.lossless"),
    },
    "GroupRow": {
        "shape": "SwitchClass.ports",
        "numbers": "TrafficClass.priority_group",
        "profile": ("PortShape.pg_profile", "Contract.lossless"),
    },
    "QueueBufferRow": {
        "shape": "SwitchClass.ports",
        "numbers": "Contract.lossless",
        "profile": ("Contract.lossless", "Profile.name"),
    },
    "TacacsServer": {"address": "Services.tacacs", "priority": "Services.tacacs"},
    "ClassView": same_fields(
        ClassView,
        SwitchClass,
        database_version="SwitchClass.release",
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
