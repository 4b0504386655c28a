"""Shared views of every switch whose templates write its names and addresses, and of its class."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any

from fabricgen.device.model import RoutingPolicy, Services, Switch, SwitchClass


@dataclass(frozen=True, slots=True)
class SwitchClassView:
    """Properties of a class of switches; a platform's own view adds its tables."""

    fabric: Annotated[str, "SwitchClass.fabric"]
    has_upper: Annotated[bool, "SwitchClass.has_upper"]
    has_lower: Annotated[bool, "SwitchClass.role"]
    routing: Annotated[RoutingPolicy, "SwitchClass.routing"]
    services: Annotated[Services, "SwitchClass.services"]


def class_values(cls: SwitchClass) -> dict[str, Any]:
    """Return the values of the fields of ``SwitchClassView``, by name."""
    values = {name: getattr(cls, name) for name in ("fabric", "has_upper", "routing", "services")}
    return {**values, "has_lower": cls.role != "leaf"}


@dataclass(slots=True)
class SwitchView:
    """Names and addresses of one switch; a platform's own view adds its sessions and tables."""

    hostname: Annotated[str, "Switch.hostname"]
    place: Annotated[str, "Switch.place"]
    state: Annotated[str, "Switch.state"]
    reason: Annotated[str, "Switch.reason"]
    asn: Annotated[int, "Switch.asn"]
    router_id: Annotated[str, "Switch.router_id"]
    loopback: Annotated[str, "Switch.loopback"]
    loopback6: Annotated[str, "Switch.loopback6"]
    aggregate: Annotated[str, "Switch.aggregate"]
    aggregate6: Annotated[str, "Switch.aggregate6"]
    management: Annotated[str, "Switch.management"]
    management_len: Annotated[int, "Switch.management_len"]
    management_gateway: Annotated[str, "Switch.management_gateway"]


_NAMES = tuple(field.name for field in fields(SwitchView))


def switch_values(device: Switch) -> dict[str, Any]:
    """Values of the fields of ``SwitchView``, by name."""
    return {name: getattr(device, name) for name in _NAMES}
