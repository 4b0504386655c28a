"""What the view of every switch has whose templates write its names and addresses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from fabricgen.device.model import Switch


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


def switch_values(device: Switch) -> dict[str, Any]:
    """Values of the fields of ``SwitchView``, by name."""
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
    }
