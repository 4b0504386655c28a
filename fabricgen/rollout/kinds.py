"""Changes sorted by what they ask of a rollout: traffic stays, switches that go out, hosts that leave their jobs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates, DeviceId, HostId
from fabricgen.platforms.patching.rollout import is_drained
from fabricgen.platforms.reading.semantics import LOGIN
from fabricgen.rollout.model import ChangedDevice

Device = DeviceId | HostId


class RolloutKinds(NamedTuple):
    """Devices in the order of the plan.

    Attributes:
        hitless: Switches and hosts that keep their traffic.
        login: Those of which the login alone is cut.
        leaving: Switches that go out.
        hosts: Hosts that leave their jobs.
    """

    hitless: list[Device]
    login: list[Device]
    leaving: list[DeviceId]
    hosts: list[HostId]
    disruptions: dict[Device, str]


def sort_changes(plan: FabricPlan, changes: Sequence[ChangedDevice]) -> RolloutKinds:
    """Return the changed devices by kind; a device that the plan does not have carries nothing and is left out.

    A reset of sessions or a flap of ports takes the traffic of the whole device away for a while, so both count as out.
    """
    known = {change.device: change for change in changes}
    found = RolloutKinds([], [], [], [], {})
    for device, name in _names(plan, hosts=any(change.is_host for change in changes)):
        change = known.get(name)
        if change is None:
            continue
        found.disruptions[device] = change.disruption
        if not is_drained(change.disruption):
            (found.login if change.disruption == LOGIN else found.hitless).append(device)
        elif isinstance(device, DeviceId):
            found.leaving.append(device)
        else:
            found.hosts.append(device)
    return found


def unit_of(device: Device) -> Coordinates | None:
    """Return the unit a leaf or host stands in; None of a switch above the leafs."""
    if isinstance(device, DeviceId) and device.tier:
        return None
    return Coordinates(device.where.zone, device.where.pod, device.where.unit)


def name_of(plan: FabricPlan, device: Device) -> str:
    """Return the name of a switch or host."""
    return plan.device_name(device) if isinstance(device, DeviceId) else plan.host_name(device)


def _names(plan: FabricPlan, *, hosts: bool) -> Iterator[tuple[Device, str]]:
    for device in plan.switches():
        yield device, plan.device_name(device)
    for host in plan.all_hosts() if hosts else ():
        yield host, plan.host_name(host)
