"""A view module as platforms have it, for the tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fabricgen.device.model import PortShape, Switch, SwitchClass


@dataclass(frozen=True, slots=True)
class Row:
    """A port as the templates want it."""

    name: Annotated[str, "PortShape.name"]
    speed_mbps: Annotated[int, "PortShape.speed_gbps"]
    admin: Annotated[str, "PortShape.used"]


@dataclass(frozen=True, slots=True)
class Headroom:
    """A priority group of a port."""

    port: Annotated[str, "PortShape.name"]
    profile: Annotated[str, "PortShape.headroom", "PgProfile.name"]


@dataclass(frozen=True, slots=True)
class Knob:
    """A setting by name; where it comes from differs from one to the next."""

    name: Annotated[str, "Contract.mode"]
    value: Annotated[int, "Contract.mode"]
    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClassView:
    """The class."""

    rows: Annotated[tuple[Row, ...], "SwitchClass.ports"]
    headroom: Annotated[tuple[Headroom, ...], "SwitchClass.ports"]
    queues: Annotated[tuple[str, ...], "TrafficClass.name"]
    weights: Annotated[tuple[int, ...], "TrafficClass.weight_pct"]
    knobs: Annotated[tuple[Knob, ...], "SwitchClass.contract", "SwitchClass.watchdog"]


@dataclass(slots=True)
class Described:
    """A port of one device."""

    row: Annotated[Row, "SwitchClass.ports"]
    shape: Annotated[PortShape, "SwitchClass.ports"]
    description: Annotated[str, "Port.peer", "Port.peer_port"]


@dataclass(slots=True)
class DeviceView:
    """The device."""

    hostname: Annotated[str, "Switch.hostname"]
    ports: Annotated[list[Described], "Switch.ports"]
    secret_sauce: str


def class_view(cls: SwitchClass) -> ClassView:
    """The view of a class."""
    return ClassView(
        tuple(Row(shape.name, shape.speed_gbps * 1000, "up" if shape.used else "down") for shape in cls.ports),
        tuple(Headroom(shape.name, shape.headroom.name) for shape in cls.ports if shape.headroom),
        tuple(f"q.{item.name}" for item in cls.contract.classes),
        tuple({item.priority: item.weight_pct for item in cls.contract.classes}.get(number, 0) for number in range(8)),
        (
            Knob("CNP_DSCP", 46, ("TrafficClass.dscp",)),
            Knob("DETECTION", cls.watchdog.detection_ms, ("Watchdog.detection_ms",)),
        ),
    )


def device_view(device: Switch, cls: ClassView) -> DeviceView:
    """The view of a device."""
    if device.hostname == "leaf-broken":
        raise LookupError("no such rack")
    rows = {row.name: row for row in cls.rows}
    ports = [Described(rows[port.shape.name], port.shape, f"{port.peer}:{port.peer_port}") for port in device.ports]
    return DeviceView(device.hostname, ports, "made up here")
