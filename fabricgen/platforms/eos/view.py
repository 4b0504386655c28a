"""View of a switch for EOS's templates: the QoS profile of each kind of port, and one block per interface."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fabricgen.device.model import (
    Contract,
    EcnThresholds,
    PortShape,
    RoutingPolicy,
    Services,
    Switch,
    SwitchClass,
)
from fabricgen.platforms.bgp_view import ORIGINS as BGP_ORIGINS
from fabricgen.platforms.bgp_view import ClassBgp, class_bgp
from fabricgen.platforms.eos.bonds import BOND_ORIGINS, Bonds, build_bonds
from fabricgen.platforms.eos.sessions import SESSION_ORIGINS, Speaker, build_speaker
from fabricgen.platforms.linked_ports import LINK_ORIGINS, Link, split_rows
from fabricgen.platforms.switch_view import SWITCH_VIEW_ORIGINS, SwitchView, switch_values
from fabricgen.platforms.view_origins import same_fields

FEC_LINES = {
    "rs": "error-correction encoding reed-solomon",
    "fc": "error-correction encoding fire-code",
    "none": "no error-correction encoding",
}
"""Interface command by kind of error correction."""

HASH_WORDS = {
    "source-ip": "five_tuple",
    "source-port": "five_tuple",
    "destination-ip": "five_tuple",
    "destination-port": "five_tuple",
    "ingress-interface": "ingress_port",
}
"""Word of the intent by word of ``ip load-sharing trident fields ip``, in the order in which EOS prints them."""
HASH_ORDER6 = ("destination-port", "source-ip", "ingress-interface", "destination-ip", "source-port")
"""The same words after ``fields ipv6``, which EOS prints in another order (annetutil/annet, implicit.py)."""

SAND_ASICS = ("jericho", "ramon", "arad", "qumran")
"""ASICs of the family that EOS calls sand: one kind of transmit queue, its own hash commands."""

FIXED_CLASS = 7
"""Traffic class whose queue EOS does not let go: traffic class 7 leaves by queue 7."""

WATCHDOG_ACTIONS = {"drop": "drop", "alert": "notify-only"}
"""Action of the PFC watchdog by word of the intent; ``errdisable``, the default, takes the whole port down."""

SHORTEST_POLL_MS, LONGEST_POLL_MS = 5, 30000


@dataclass(frozen=True, slots=True)
class DscpRow:
    """Code points of one traffic class."""

    code_points: str
    priority: int


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A transmit queue; ``ecn`` is empty or the thresholds at which it marks."""

    number: int
    strict: bool
    weight_pct: int
    ecn: tuple[EcnThresholds, ...]


@dataclass(frozen=True, slots=True)
class QosProfile:
    """What a port does to traffic, by name; ports of one speed share it."""

    name: str
    lossless: tuple[int, ...]
    queues: tuple[QueueRow, ...]


@dataclass(frozen=True, slots=True)
class PortRow:
    """A port's lines that are the class's; ``speed`` is empty where the port runs at what its optic says.

    ``shape`` is the port itself.
    """

    shape: PortShape
    speed: str
    fec: str
    profile: str


@dataclass(frozen=True, slots=True)
class HashRow:
    """What chooses among equal paths for packets of a family; ``word`` is ``ip`` or ``ipv6``."""

    word: str
    fields: str


@dataclass(frozen=True, slots=True)
class WatchdogTimes:
    """PFC watchdog: seconds as EOS writes them."""

    timeout_s: str
    recovery_s: str
    polling_s: str
    action: str


@dataclass(frozen=True, slots=True)
class ClassView:
    """What a class of EOS switches shares.

    Attributes:
        queue_word: How the ASIC's queues are called.
        pfc: Something pauses.
        moved_classes: Traffic classes whose queue EOS lets us choose.
        hashes: Header fields by family; none on sand, which keeps its default ones.
        max_routes: Most routes that a session accepts, of all families it carries.
    """

    fabric: str
    has_upper: bool
    has_lower: bool
    queue_word: str
    pfc: bool
    contract: Contract
    dscp: tuple[DscpRow, ...]
    moved_classes: tuple[int, ...]
    profiles: tuple[QosProfile, ...]
    watchdog: WatchdogTimes
    hashes: tuple[HashRow, ...]
    ports: tuple[PortRow, ...]
    bgp: ClassBgp
    max_routes: int
    routing: RoutingPolicy
    services: Services


@dataclass(slots=True)
class DeviceView(SwitchView):
    """What is one EOS switch's own.

    Attributes:
        links: Ports with a link.
        unused: Every other port of the box.
        bonds: Bonds of hosts and their subnet; None where no host bonds.
        management_word: ``ip`` or ``ipv6``, with which the commands of its management address begin.
        management_default: The default route of that family.
    """

    links: list[Link[PortRow]]
    unused: list[PortRow]
    bonds: Bonds | None
    bgp: Speaker
    management_word: str
    management_default: str


def class_view(cls: SwitchClass) -> ClassView:
    """The view of a class of switches."""
    contract = cls.contract
    ecn = {row.name: row for row in cls.ecn} if contract.mode != "pfc_only" else {}
    used = [shape for shape in cls.ports if shape.used]
    sand = cls.buffers.asic.startswith(SAND_ASICS)
    bgp = class_bgp(cls)
    return ClassView(
        fabric=cls.fabric,
        has_upper=cls.has_upper,
        has_lower=cls.role != "leaf",
        queue_word="tx-queue" if sand else "uc-tx-queue",
        pfc=bool(contract.lossless),
        contract=contract,
        dscp=_dscp_rows(contract),
        moved_classes=tuple(sorted({c.priority for c in contract.classes} - {FIXED_CLASS})),
        profiles=_profiles(used, contract, ecn),
        watchdog=_watchdog(cls),
        hashes=() if sand else _hashes(cls.routing, bgp),
        ports=tuple(_port_row(shape) for shape in cls.ports),
        bgp=bgp,
        max_routes=cls.routing.max_prefixes * (len(bgp.families) if cls.unnumbered else 1),
        routing=cls.routing,
        services=cls.services,
    )


def device_view(device: Switch, cls: ClassView) -> DeviceView:
    """The view of one switch."""
    links, unused = split_rows(cls.ports, device.ports)
    has_ipv6 = ":" in device.management
    return DeviceView(
        **switch_values(device),
        links=links,
        unused=unused,
        bonds=build_bonds(device, profile_name),
        bgp=build_speaker(device, cls.bgp),
        management_word="ipv6" if has_ipv6 else "ip",
        management_default="::/0" if has_ipv6 else "0.0.0.0/0",
    )


def profile_name(speed_gbps: int) -> str:
    """Name of the QoS profile of ports of one speed."""
    return f"ROCE-{speed_gbps}G"


def _port_row(shape: PortShape) -> PortRow:
    """A port's row; without published lanes there is no speed word, and the port follows its optic."""
    auto = "auto " if shape.autoneg == "on" else ""
    return PortRow(
        shape=shape,
        speed=f"{auto}{shape.speed_gbps}g-{len(shape.lanes)}" if shape.lanes else "",
        fec=FEC_LINES.get(shape.fec, ""),
        profile=profile_name(shape.speed_gbps),
    )


def _dscp_rows(contract: Contract) -> tuple[DscpRow, ...]:
    """All 64 code points, one row per traffic class."""
    by_priority: dict[int, list[str]] = {}
    for dscp, priority in enumerate(contract.priority_by_dscp):
        by_priority.setdefault(priority, []).append(str(dscp))
    return tuple(DscpRow(" ".join(by_priority[priority]), priority) for priority in sorted(by_priority))


def _profiles(used: Iterable[PortShape], contract: Contract, ecn: dict[str, EcnThresholds]) -> tuple[QosProfile, ...]:
    """One profile per speed that is in use."""
    marks = {shape.speed_gbps: shape.ecn for shape in used}
    return tuple(
        QosProfile(profile_name(speed), contract.lossless, _queues(contract, ecn.get(marks[speed])))
        for speed in sorted(marks)
    )


def _queues(contract: Contract, ecn: EcnThresholds | None) -> tuple[QueueRow, ...]:
    """The queue of every traffic class; lossless ones mark."""
    return tuple(
        QueueRow(row.priority, row.strict, row.weight_pct, (ecn,) if row.lossless and ecn else ())
        for row in contract.classes
    )


def _hashes(routing: RoutingPolicy, bgp: ClassBgp) -> tuple[HashRow, ...]:
    """Header fields of each family."""
    orders = {"ip": tuple(HASH_WORDS), "ipv6": HASH_ORDER6}
    return tuple(
        HashRow(family.word, " ".join(w for w in orders[family.word] if HASH_WORDS[w] in routing.hash_fields))
        for family in bgp.families
    )


def _watchdog(cls: SwitchClass) -> WatchdogTimes:
    """Watchdog times; EOS wants to poll at least twice within the shorter of the two.

    Source:
        Arista EOS User Manual, DCBX and Flow Control: polling-interval <= min(timeout, recovery-time) / 2.
    """
    dog = cls.watchdog
    poll_ms = max(SHORTEST_POLL_MS, min(dog.detection_ms, dog.restoration_ms, 2 * LONGEST_POLL_MS) // 2)
    return WatchdogTimes(
        timeout_s=f"{dog.detection_ms / 1000:.2f}",
        recovery_s=f"{dog.restoration_ms / 1000:.2f}",
        polling_s=f"{poll_ms / 1000:.3f}",
        action=WATCHDOG_ACTIONS[dog.action],
    )


ORIGINS: dict[str, dict[str, str | tuple[str, ...]]] = {
    "DscpRow": {"code_points": "Contract.priority_by_dscp", "priority": "TrafficClass.priority"},
    "QueueRow": {
        "number": "TrafficClass.priority",
        "strict": "TrafficClass.strict",
        "weight_pct": "TrafficClass.weight_pct",
        "ecn": ("Contract.mode", "SwitchClass.ecn", "TrafficClass.lossless"),
    },
    "QosProfile": {
        "name": "PortShape.speed_gbps",
        "lossless": "Contract.lossless",
        "queues": "Contract.classes",
    },
    "PortRow": {
        "shape": "SwitchClass.ports",
        "speed": ("PortShape.speed_gbps", "PortShape.lanes", "PortShape.autoneg"),
        "fec": "PortShape.fec",
        "profile": "PortShape.speed_gbps",
    },
    "HashRow": {
        "word": ("SwitchClass.ipv4", "SwitchClass.ipv6"),
        "fields": "RoutingPolicy.hash_fields",
    },
    "WatchdogTimes": {
        "timeout_s": "Watchdog.detection_ms",
        "recovery_s": "Watchdog.restoration_ms",
        "polling_s": ("Watchdog.detection_ms", "Watchdog.restoration_ms"),
        "action": "Watchdog.action",
    },
    "ClassView": same_fields(
        ClassView,
        SwitchClass,
        has_lower="SwitchClass.role",
        queue_word="Buffers.asic",
        pfc="Contract.lossless",
        dscp="Contract.priority_by_dscp",
        moved_classes="TrafficClass.priority",
        profiles=("SwitchClass.ports", "Contract.classes"),
        watchdog="SwitchClass.watchdog",
        hashes=("RoutingPolicy.hash_fields", "SwitchClass.ipv4", "SwitchClass.ipv6", "Buffers.asic"),
        bgp=("SwitchClass.ipv4", "SwitchClass.ipv6", "SwitchClass.unnumbered"),
        max_routes="RoutingPolicy.max_prefixes",
    ),
    **BOND_ORIGINS,
    **BGP_ORIGINS,
    **SESSION_ORIGINS,
    "Link": LINK_ORIGINS,
    "SwitchView": SWITCH_VIEW_ORIGINS,
    "DeviceView": {
        **SWITCH_VIEW_ORIGINS,
        "links": "Switch.ports",
        "unused": ("SwitchClass.ports", "Switch.ports"),
        "bonds": ("Switch.host_subnet", "Port.bond"),
        "bgp": "Switch.ports",
        "management_word": "Switch.management",
        "management_default": "Switch.management",
    },
}
"""View field to the device-model fields it derives from; the first decides it most directly."""
