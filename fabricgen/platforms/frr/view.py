"""View of a switch for the templates of a plain Linux router: its links, and its ports as kernel tools set them up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fabricgen.device.model import (
    Contract,
    PgProfile,
    Port,
    PortShape,
    RoutingPolicy,
    Services,
    Switch,
    SwitchClass,
    TrafficClass,
)
from fabricgen.platforms.views.bgp import ClassBgp, DeviceBgp, class_bgp, device_bgp
from fabricgen.platforms.views.bgp_origins import ORIGINS as BGP_ORIGINS
from fabricgen.platforms.views.code_points import CODE_POINT_ORIGINS, CodePoint, code_point_rows
from fabricgen.platforms.views.origins import same_fields
from fabricgen.platforms.views.switch import SWITCH_VIEW_ORIGINS, SwitchView, switch_values

PRIORITIES = range(8)
DSCP_PER_ROW = 8
QUANTUM_PER_PCT = 10_000
"""Bytes a class may send in its turn for each percent of its weight: every class more than one packet of any MTU."""
IDLE_QUANTUM = QUANTUM_PER_PCT
"""A priority that no class uses."""
MARKING_PACKET_BYTES = 1000
"""Packet size by which tc-red(8) counts its averaging burst."""


@dataclass(frozen=True, slots=True)
class Split:
    """A cage that is broken out."""

    port: str
    count: int


@dataclass(frozen=True, slots=True)
class PortRow:
    """A port with a link; bytes are 0 where nothing on it is lossless, or nothing marks."""

    shape: PortShape
    speed_mbps: int
    lanes: int
    headroom_bytes: int
    kmin_bytes: int
    kmax_bytes: int
    probability: str
    burst: int


@dataclass(frozen=True, slots=True)
class Band:
    """A band of the ets queueing discipline, counted from 1 in the order of service; strict ones have no quantum.

    ``traffic`` is the class it serves; None where no class has its priority.
    """

    number: int
    quantum: int
    marked: bool
    traffic: TrafficClass | None


@dataclass(frozen=True, slots=True)
class LosslessBuffer:
    """The buffer of a port that holds a lossless priority."""

    priority: int
    buffer: int


@dataclass(frozen=True, slots=True)
class ClassView:
    """What a class of switches shares.

    Attributes:
        strict: How many bands are strict.
        band_by_priority: Band of each priority, counted from 0 as ``priomap`` has it.
        dscp_rows: Every code point with its priority.
    """

    fabric: str
    tier: str
    mode: str
    reason: str
    has_upper: bool
    has_lower: bool
    bgp: ClassBgp
    routing: RoutingPolicy
    services: Services
    hash_seed: int
    splits: tuple[Split, ...]
    rows: tuple[PortRow, ...]
    bands: tuple[Band, ...]
    strict: int
    band_by_priority: tuple[int, ...]
    lossless: tuple[LosslessBuffer, ...]
    dscp_rows: tuple[tuple[CodePoint, ...], ...]


@dataclass(slots=True)
class DeviceView(SwitchView):
    """What is one switch's own; ``links`` are its ports with a link."""

    links: list[Port]
    bgp: DeviceBgp


def class_view(cls: SwitchClass) -> ClassView:
    """The view of a class of switches."""
    contract = cls.contract
    order = _order(contract)
    return ClassView(
        fabric=cls.fabric,
        tier=cls.tier,
        mode=contract.mode,
        reason=contract.reason,
        has_upper=cls.has_upper,
        has_lower=cls.role != "leaf",
        bgp=class_bgp(cls),
        routing=cls.routing,
        services=cls.services,
        # 0 would be a random seed.
        hash_seed=cls.routing.hash_rank + 1,
        splits=_splits(cls.ports),
        rows=tuple(_row(shape, cls) for shape in cls.ports if shape.used),
        bands=_bands(contract, order),
        strict=sum(traffic.strict for traffic in contract.classes),
        band_by_priority=tuple(map(order.index, PRIORITIES)),
        lossless=tuple(
            LosslessBuffer(traffic.priority, traffic.priority_group)
            for traffic in contract.classes
            if traffic.priority in contract.lossless
        ),
        dscp_rows=code_point_rows(contract, DSCP_PER_ROW),
    )


def device_view(device: Switch, cls: ClassView) -> DeviceView:
    """The view of one switch."""
    return DeviceView(**switch_values(device), links=device.ports, bgp=device_bgp(device, cls.bgp))


def _order(contract: Contract) -> list[int]:
    """Priorities in the order of their bands: strict ones first, the higher the earlier."""
    strict = {traffic.priority for traffic in contract.classes if traffic.strict}
    return sorted(PRIORITIES, key=lambda priority: (priority not in strict, -priority))


def _bands(contract: Contract, order: list[int]) -> tuple[Band, ...]:
    """The bands, each with its weight and whether it marks."""
    classes = {traffic.priority: traffic for traffic in contract.classes}
    bands = []
    for number, priority in enumerate(order, start=1):
        traffic = classes.get(priority)
        quantum = IDLE_QUANTUM if traffic is None else traffic.weight_pct * QUANTUM_PER_PCT
        marked = traffic is not None and traffic.lossless and contract.mode != "pfc_only"
        bands.append(Band(number, quantum, marked, traffic))
    return tuple(bands)


def _splits(ports: Iterable[PortShape]) -> tuple[Split, ...]:
    """Broken-out cages with a link; the whole port is called as its parts are, without what counts them."""
    counts: dict[str, int] = {}
    linked = set()
    for shape in ports:
        if shape.subport:
            whole = shape.name.rpartition("s")[0]
            counts[whole] = counts.get(whole, 0) + 1
            linked |= {whole} if shape.used else set()
    return tuple(Split(port, count) for port, count in counts.items() if port in linked)


def _row(shape: PortShape, cls: SwitchClass) -> PortRow:
    """One port's row."""
    ecn = next((row for row in cls.ecn if row.name == shape.ecn and cls.contract.mode != "pfc_only"), None)
    kmin, kmax = (ecn.kmin_bytes, ecn.kmax_bytes) if ecn else (0, 0)
    return PortRow(
        shape=shape,
        speed_mbps=shape.speed_gbps * 1000,
        lanes=len(shape.lanes),
        headroom_bytes=_headroom_bytes(shape.headroom) if shape.headroom else 0,
        kmin_bytes=kmin,
        kmax_bytes=kmax,
        probability=f"{ecn.pmax_pct / 100:g}" if ecn else "0",
        # tc-red(8): the burst covers (2 * min + max) / (3 * avpkt).
        burst=-(-(2 * kmin + kmax) // (3 * MARKING_PACKET_BYTES)),
    )


def _headroom_bytes(group: PgProfile) -> int:
    """The whole buffer of a lossless priority; some vendors' size leaves out what arrives after XOFF."""
    return max(group.size_bytes, group.xon_bytes + group.xoff_bytes)


ORIGINS: dict[str, dict[str, str | tuple[str, ...]]] = {
    **BGP_ORIGINS,
    "CodePoint": CODE_POINT_ORIGINS,
    "Split": {"port": "PortShape.name", "count": ("PortShape.subport", "SwitchClass.ports")},
    "PortRow": {
        "shape": "SwitchClass.ports",
        "speed_mbps": "PortShape.speed_gbps",
        "lanes": "PortShape.lanes",
        "headroom_bytes": ("PgProfile.size_bytes", "PortShape.headroom"),
        "kmin_bytes": ("EcnThresholds.kmin_bytes", "PortShape.ecn"),
        "kmax_bytes": ("EcnThresholds.kmax_bytes", "PortShape.ecn"),
        "probability": ("EcnThresholds.pmax_pct", "PortShape.ecn"),
        "burst": ("EcnThresholds.kmax_bytes", "EcnThresholds.kmin_bytes"),
    },
    "Band": {
        "number": ("TrafficClass.priority", "TrafficClass.strict"),
        "quantum": ("TrafficClass.weight_pct", "TrafficClass.priority"),
        "marked": ("Contract.mode", "TrafficClass.lossless"),
        "traffic": "Contract.classes",
    },
    "LosslessBuffer": {"priority": "Contract.lossless", "buffer": "TrafficClass.priority_group"},
    "ClassView": same_fields(
        ClassView,
        SwitchClass,
        mode="Contract.mode",
        reason="Contract.reason",
        has_lower="SwitchClass.role",
        bgp="SwitchClass.prefixes",
        hash_seed="RoutingPolicy.hash_rank",
        splits="SwitchClass.modes",
        rows="SwitchClass.ports",
        bands="Contract.classes",
        strict="TrafficClass.strict",
        band_by_priority=("TrafficClass.priority", "TrafficClass.strict"),
        lossless="Contract.lossless",
        dscp_rows="Contract.priority_by_dscp",
    ),
    "SwitchView": SWITCH_VIEW_ORIGINS,
    "DeviceView": {**SWITCH_VIEW_ORIGINS, "links": "Switch.ports", "bgp": "Switch.ports"},
}
"""View field to the device-model fields it derives from; the first decides it most directly."""
