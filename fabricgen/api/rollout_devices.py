"""Devices of a plan as a rollout names them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.compiler.compile import Compiled
from fabricgen.plan.model.fabric import Asset, FabricPlan


class DevicePlace(NamedTuple):
    """A device's place in the fabric: plane from 0, 0 for hosts, and address of management, or name of a host."""

    tier: str
    plane: int
    platform: str
    address: str


def find_deployed(plan: FabricPlan, before: Compiled | None) -> dict[str, DevicePlace]:
    """Return the devices of a plan by name, with the management addresses of the deployed plan, if it is known."""
    former = list_addresses(before.plan) if before is not None and before.plan is not None else {}
    return {name: each._replace(address=former.get(name, each.address)) for name, each in list_devices(plan)}


def list_addresses(plan: FabricPlan) -> dict[str, str]:
    """Return the management addresses of a plan's devices by name."""
    return {name: device.address for name, device in list_devices(plan)}


def list_devices(plan: FabricPlan) -> Iterator[tuple[str, DevicePlace]]:
    """Yield every device of a plan with its name."""
    for switch in plan.switches():
        tier = plan.tier_of(switch)
        identity = plan.identity(switch)
        yield identity.name, DevicePlace(tier.name, switch.where.plane, tier.platform, identity.management)
    for host in plan.all_hosts():
        group = plan.hosts[host.group]
        name = plan.host_name(host)
        yield name, DevicePlace(group.name, 0, group.os, plan.assets.get(name, Asset()).management_ip or name)
