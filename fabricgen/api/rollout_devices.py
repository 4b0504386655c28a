"""Devices of a plan as a rollout names them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.plan.model.fabric import FabricPlan


class Device(NamedTuple):
    """A device's place in the fabric.

    Attributes:
        tier: Tier of a switch, group of a host.
        plane: Plane of a switch, from 0; 0 for hosts.
    """

    tier: str
    plane: int
    platform: str


def list_devices(plan: FabricPlan) -> Iterator[tuple[str, Device]]:
    """Yield every device of a plan with its name."""
    for switch in plan.switches():
        tier = plan.tiers[switch.tier]
        yield plan.device_name(switch), Device(tier.name, switch.where.plane, tier.platform)
    for host in plan.all_hosts():
        group = plan.hosts[host.group]
        yield plan.host_name(host), Device(group.name, 0, group.os)
