"""What the view of every switch has whose templates write its names, addresses and BGP sessions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fabricgen.device.model import Port, Switch
from fabricgen.platforms.view_origins import same_fields


@dataclass(slots=True)
class SwitchView:
    """Names, addresses and sessions of one switch; a platform's own view adds its tables.

    Attributes:
        upper: Links to switches above; ``lower`` those to switches below.
        drained_upper: Those of ``upper`` that are drained; ``drained_lower`` the same below.
    """

    hostname: str
    place: str
    state: str
    reason: str
    asn: int
    router_id: str
    loopback: str
    loopback6: str
    aggregate: str
    aggregate6: str
    management: str
    management_len: int
    management_gateway: str
    upper: list[Port]
    lower: list[Port]
    drained_upper: list[Port]
    drained_lower: list[Port]


SWITCH_VIEW_ORIGINS = same_fields(
    SwitchView,
    Switch,
    upper="Switch.ports",
    lower="Switch.ports",
    drained_upper=("Port.drained", "Switch.ports"),
    drained_lower=("Port.drained", "Switch.ports"),
)
"""Origins of ``SwitchView``, which a view derived from it repeats."""


def switch_values(device: Switch) -> dict[str, Any]:
    """Values of the fields of ``SwitchView``, by name."""
    upper = [port for port in device.ports if port.peer_asn and port.shape.side == "up"]
    lower = [port for port in device.ports if port.peer_asn and port.shape.side == "down"]
    return {
        "hostname": device.hostname,
        "place": device.place,
        "state": device.state,
        "reason": device.reason,
        "asn": device.asn,
        "router_id": device.router_id,
        "loopback": device.loopback,
        "loopback6": device.loopback6,
        "aggregate": device.aggregate,
        "aggregate6": device.aggregate6,
        "management": device.management,
        "management_len": device.management_len,
        "management_gateway": device.management_gateway,
        "upper": upper,
        "lower": lower,
        "drained_upper": [port for port in upper if port.drained],
        "drained_lower": [port for port in lower if port.drained],
    }
