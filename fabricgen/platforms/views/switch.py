"""What the view of every switch has whose templates write its names and addresses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fabricgen.device.model import Switch
from fabricgen.platforms.views.origins import same_fields


@dataclass(slots=True)
class SwitchView:
    """Names and addresses of one switch; a platform's own view adds its sessions and tables."""

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


SWITCH_VIEW_ORIGINS = same_fields(SwitchView, Switch)
"""Origins of ``SwitchView``, which a view derived from it repeats."""


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
