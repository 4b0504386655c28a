"""Rows of NVUE's templates: queues, profiles, cages, ports and logins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from fabricgen.device.model import EcnThresholds, PortShape, TrafficClass


@dataclass(frozen=True, slots=True)
class QueueRow:
    """A traffic class of the scheduler, and the class of the contract that uses it; one without gets nothing."""

    strict: Annotated[bool, "TrafficClass.strict"]
    weight_pct: Annotated[int, "TrafficClass.weight_pct"]
    traffic: Annotated[TrafficClass | None, "Contract.classes"]
    origins: Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class PfcProfile:
    """PFC of ports whose cables are at most this long; ``shape`` is the first of them."""

    name: Annotated[str, "PortShape.length_m"]
    whole_m: Annotated[int, "PortShape.length_m"]
    shape: Annotated[PortShape, "SwitchClass.ports"]


@dataclass(frozen=True, slots=True)
class MarkingProfile:
    """Congestion control of ports of one speed."""

    name: Annotated[str, "EcnThresholds.name"]
    ecn: Annotated[EcnThresholds, "SwitchClass.ecn"]


@dataclass(frozen=True, slots=True)
class CageRow:
    """A cage that is broken out into several ports."""

    name: Annotated[str, "PortShape.cage"]
    mode: Annotated[str, "PortShape.lanes"]


@dataclass(frozen=True, slots=True)
class PortRow:
    """A port's values that are the class's; ``pfc`` and ``marking`` are empty or the name of a profile.

    ``shape`` is the port itself, ``adaptive`` says that it takes part in adaptive routing.
    """

    shape: Annotated[PortShape, "SwitchClass.ports"]
    speed: Annotated[str, "PortShape.speed_gbps"]
    fec: Annotated[str, "PortShape.fec"]
    autoneg: Annotated[str, "PortShape.autoneg"]
    pfc: Annotated[str, "PortShape.length_m", "Contract.lossless"]
    marking: Annotated[str, "PortShape.ecn", "Contract.mode"]
    adaptive: Annotated[bool, "RoutingPolicy.load_balancing", "PortShape.peer_platform"]


@dataclass(frozen=True, slots=True)
class Login:
    """A local login; the key is empty, or its kind and its base64 text."""

    name: Annotated[str, "User.name"]
    password_hash: Annotated[str, "User.password_hash"]
    key_type: Annotated[str, "User.ssh_key"]
    key: Annotated[str, "User.ssh_key"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A TACACS+ server and its priority; the lowest is asked first."""

    address: Annotated[str, "Services.tacacs"]
    priority: Annotated[int, "Services.tacacs"]
