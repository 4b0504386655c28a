"""View of a switch for the templates of a plain Linux router: its links, and its ports as kernel tools set them up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from fabricgen.device.model import Contract, Port, PortShape, Switch, SwitchClass, TrafficClass
from fabricgen.platforms.views.bgp import ClassBgp, DeviceBgp, class_bgp, device_bgp
from fabricgen.platforms.views.switch import (
    CodePoint,
    LeafBond,
    SwitchClassView,
    SwitchView,
    class_values,
    code_point_rows,
    leaf_bonds,
    switch_values,
)

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

    port: Annotated[str, "PortShape.name"]
    count: Annotated[int, "PortShape.subport", "SwitchClass.ports"]


@dataclass(frozen=True, slots=True)
class FrrPortRow:
    """A port with a link; bytes are 0 where nothing on it is lossless, or nothing marks."""

    shape: Annotated[PortShape, "SwitchClass.ports"]
    speed_mbps: Annotated[int, "PortShape.speed_gbps"]
    lanes: Annotated[int, "PortShape.lanes"]
    headroom_bytes: Annotated[int, "PgProfile.size_bytes", "PortShape.headroom"]
    kmin_bytes: Annotated[int, "EcnThresholds.kmin_bytes", "PortShape.ecn"]
    kmax_bytes: Annotated[int, "EcnThresholds.kmax_bytes", "PortShape.ecn"]
    probability: Annotated[str, "EcnThresholds.pmax_pct", "PortShape.ecn"]
    burst: Annotated[int, "EcnThresholds.kmax_bytes", "EcnThresholds.kmin_bytes"]


@dataclass(frozen=True, slots=True)
class Band:
    """A band of the ets queueing discipline, counted from 1 in the order of service; strict ones have no quantum.

    ``traffic`` is the class it serves; None where no class has its priority.
    """

    number: Annotated[int, "TrafficClass.priority", "TrafficClass.strict"]
    quantum: Annotated[int, "TrafficClass.weight_pct", "TrafficClass.priority"]
    marked: Annotated[bool, "Contract.mode", "TrafficClass.lossless"]
    traffic: Annotated[TrafficClass | None, "Contract.classes"]


@dataclass(frozen=True, slots=True)
class LosslessBuffer:
    """The buffer of a port that holds a lossless priority."""

    priority: Annotated[int, "Contract.lossless"]
    buffer: Annotated[int, "TrafficClass.priority_group"]


@dataclass(frozen=True, slots=True)
class FrrClassView(SwitchClassView):
    """Properties that a class of switches shares.

    Attributes:
        band_by_priority: Band of each priority, counted from 0 as ``priomap`` has it.
    """

    tier: Annotated[str, "SwitchClass.tier"]
    mode: Annotated[str, "Contract.mode"]
    reason: Annotated[str, "Contract.reason"]
    bgp: Annotated[ClassBgp, "SwitchClass.prefixes"]
    bond_mac: Annotated[str, "SwitchClass.bond_mac"]
    hash_seed: Annotated[int, "RoutingPolicy.hash_rank"]
    splits: Annotated[tuple[Split, ...], "SwitchClass.modes"]
    rows: Annotated[tuple[FrrPortRow, ...], "SwitchClass.ports"]
    bands: Annotated[tuple[Band, ...], "Contract.classes"]
    strict: Annotated[int, "TrafficClass.strict"]
    band_by_priority: Annotated[tuple[int, ...], "TrafficClass.priority", "TrafficClass.strict"]
    lossless: Annotated[tuple[LosslessBuffer, ...], "Contract.lossless"]
    dscp_rows: Annotated[tuple[tuple[CodePoint, ...], ...], "Contract.priority_by_dscp"]


@dataclass(slots=True)
class FrrDeviceView(SwitchView):
    """Properties of one switch; ``links`` are its ports with a link."""

    links: Annotated[list[Port], "Switch.ports"]
    bonds: Annotated[tuple[LeafBond, ...], "Switch.ports", "Port.bond"]
    bgp: Annotated[DeviceBgp, "Switch.ports"]


def class_view(cls: SwitchClass) -> FrrClassView:
    """The view of a class of switches."""
    contract = cls.contract
    order = _order(contract)
    return FrrClassView(
        **class_values(cls),
        tier=cls.tier,
        mode=contract.mode,
        reason=contract.reason,
        bgp=class_bgp(cls, demotes=False),
        bond_mac=cls.bond_mac,
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


def device_view(device: Switch, cls: FrrClassView) -> FrrDeviceView:
    """The view of one switch."""
    bonds = leaf_bonds(device.ports)
    return FrrDeviceView(**switch_values(device), links=device.ports, bonds=bonds, bgp=device_bgp(device, cls.bgp))


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
    parts = [(shape.name.rpartition("s")[0], shape.used) for shape in ports if shape.subport]
    linked = {whole for whole, used in parts if used}
    return tuple(Split(port, count) for port, count in Counter(port for port, _ in parts).items() if port in linked)


def _row(shape: PortShape, cls: SwitchClass) -> FrrPortRow:
    """One port's row."""
    ecn = next((row for row in cls.ecn if row.name == shape.ecn and cls.contract.mode != "pfc_only"), None)
    kmin, kmax = (ecn.kmin_bytes, ecn.kmax_bytes) if ecn else (0, 0)
    group = shape.headroom
    return FrrPortRow(
        shape=shape,
        speed_mbps=shape.speed_gbps * 1000,
        lanes=len(shape.lanes),
        headroom_bytes=group.held_bytes if group else 0,
        kmin_bytes=kmin,
        kmax_bytes=kmax,
        probability=f"{ecn.pmax_pct / 100:g}" if ecn else "0",
        # tc-red(8): the burst covers (2 * min + max) / (3 * avpkt).
        burst=-(-(2 * kmin + kmax) // (3 * MARKING_PACKET_BYTES)),
    )
