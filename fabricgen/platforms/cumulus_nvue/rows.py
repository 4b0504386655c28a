"""Rows of NVUE's templates: queues, profiles, cages, ports and logins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fabricgen.device.model import EcnThresholds, PortShape, TrafficClass


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A traffic class of the scheduler, and the class of the contract that uses it; one without gets nothing."""

    strict: bool
    weight_pct: int
    traffic: TrafficClass | None
    origins: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PfcProfile:
    """PFC of ports whose cables are at most this long; ``shape`` is the first of them."""

    name: str
    whole_m: int
    shape: PortShape


@dataclass(frozen=True, slots=True)
class MarkingProfile:
    """Congestion control of ports of one speed."""

    name: str
    ecn: EcnThresholds


@dataclass(frozen=True, slots=True)
class CageRow:
    """A cage that is broken out into several ports."""

    name: str
    mode: str


@dataclass(frozen=True, slots=True)
class PortRow:
    """A port's values that are the class's; ``pfc`` and ``marking`` are empty or the name of a profile.

    ``shape`` is the port itself, ``adaptive`` says that it takes part in adaptive routing.
    """

    shape: PortShape
    speed: str
    fec: str
    autoneg: str
    pfc: str
    marking: str
    adaptive: bool


@dataclass(frozen=True, slots=True)
class Login:
    """A local login; the key is empty, or its kind and its base64 text."""

    name: str
    password_hash: str
    key_type: str
    key: str


@dataclass(frozen=True, slots=True)
class Ranked:
    """A TACACS+ server and its priority; the lowest is asked first."""

    address: str
    priority: int


ROW_ORIGINS: dict[str, dict[str, str | tuple[str, ...]]] = {
    "QueueRow": {
        "strict": "TrafficClass.strict",
        "weight_pct": "TrafficClass.weight_pct",
        "traffic": "Contract.classes",
    },
    "PfcProfile": {"name": "PortShape.cable_m", "whole_m": "PortShape.cable_m", "shape": "SwitchClass.ports"},
    "MarkingProfile": {"name": "EcnThresholds.name", "ecn": "SwitchClass.ecn"},
    "CageRow": {"name": "PortShape.cage", "mode": "PortShape.lanes"},
    "PortRow": {
        "shape": "SwitchClass.ports",
        "speed": "PortShape.speed_gbps",
        "fec": "PortShape.fec",
        "autoneg": "PortShape.autoneg",
        "pfc": ("PortShape.cable_m", "Contract.lossless"),
        "marking": ("PortShape.ecn", "Contract.mode"),
        "adaptive": ("RoutingPolicy.load_balancing", "PortShape.side"),
    },
    "Login": {
        "name": "User.name",
        "password_hash": "User.password_hash",
        "key_type": "User.ssh_key",
        "key": "User.ssh_key",
    },
    "Ranked": {"address": "Services.tacacs", "priority": "Services.tacacs"},
}
"""View field to the device-model fields it derives from; the first decides it most directly."""
