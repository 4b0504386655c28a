"""A view module as platforms have it, for the tests."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.device.model import PortShape, Switch, SwitchClass


@dataclass(frozen=True, slots=True)
class Row:
    """A port as the templates want it."""

    name: str
    speed_mbps: int
    admin: str


@dataclass(frozen=True, slots=True)
class Headroom:
    """A priority group of a port."""

    port: str
    profile: str


@dataclass(frozen=True, slots=True)
class Knob:
    """A setting by name; where it comes from differs from one to the next."""

    name: str
    value: int
    origins: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClassView:
    """The class."""

    rows: tuple[Row, ...]
    headroom: tuple[Headroom, ...]
    queues: tuple[str, ...]
    weights: tuple[int, ...]
    knobs: tuple[Knob, ...]


@dataclass(slots=True)
class Described:
    """A port of one device."""

    row: Row
    shape: PortShape
    description: str


@dataclass(slots=True)
class DeviceView:
    """The device."""

    hostname: str
    ports: list[Described]
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


ORIGINS: dict[str, dict[str, str | tuple[str, ...]]] = {
    "Row": {"name": "PortShape.name", "speed_mbps": "PortShape.speed_gbps", "admin": "PortShape.used"},
    "Headroom": {"port": "PortShape.name", "profile": ("PortShape.headroom", "PgProfile.name")},
    "Knob": {"name": "Contract.mode", "value": "Contract.mode"},
    "ClassView": {
        "rows": "SwitchClass.ports",
        "headroom": "SwitchClass.ports",
        "queues": "TrafficClass.name",
        "weights": "TrafficClass.weight_pct",
        "knobs": ("SwitchClass.contract", "SwitchClass.watchdog"),
    },
    "Described": {
        "row": "SwitchClass.ports",
        "shape": "SwitchClass.ports",
        "description": ("Port.peer", "Port.peer_port"),
    },
    "DeviceView": {"hostname": "Switch.hostname", "ports": "Switch.ports"},
}
