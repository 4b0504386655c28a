"""Devices of a plan as targets: where each is reached, and what is read from it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from fabricgen.api.collection.addresses import Address
from fabricgen.collect.fetch_codes import NO_READINGS
from fabricgen.collect.target import SSH_PORT, Target
from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import Asset, FabricPlan
from fabricgen.platforms.manifest.readings import Reading
from fabricgen.platforms.manifest.spec import PlatformSpec, find_platform

_NO_ASSET = Asset()


def list_names(plan: FabricPlan) -> list[str]:
    """Return the names of all devices.

    Args:
        plan: The plan.
    """
    switches = [plan.device_name(device) for device in plan.switches()]
    return switches + [plan.host_name(host) for host in plan.all_hosts()]


def list_targets(
    plan: FabricPlan,
    specs: Mapping[str, PlatformSpec],
    chosen: Collection[str] | None,
    addresses: Mapping[str, Address],
    bag: Bag,
    *,
    port: int = SSH_PORT,
    states: bool = True,
) -> list[Target]:
    """Return the devices to collect: switches, then hosts, in the order of the plan.

    Args:
        plan: The plan.
        specs: Platforms by name.
        chosen: Names of devices; None for all.
        addresses: Addresses in place of those of the plan.
        bag: Takes a diagnostic for each platform that does not say how its devices are read.
        port: TCP port of devices whose address has none.
        states: Read states as well as outputs.
    """
    found = []
    for name, kind, group, platforms, address in _list_devices(plan):
        if chosen is not None and name not in chosen:
            continue
        readings = _list_readings(platforms, specs, bag, states=states)
        given = addresses.get(name, Address(address))
        found.append(Target(name, kind, group, platforms, given.host, given.port or port, readings))
    return found


def _list_devices(plan: FabricPlan) -> Iterator[tuple[str, str, str, tuple[str, ...], str]]:
    """Yield name, kind, tier or host group, platforms and management address of every device."""
    pool = plan.addressing.management
    for device in plan.switches():
        tier = plan.tiers[device.tier]
        address = pool.text(tier.layout.management.at(device.where))
        yield plan.device_name(device), "switches", tier.name, (tier.platform,), address
    for host in plan.all_hosts():
        group, name = plan.hosts[host.group], plan.host_name(host)
        address = plan.assets.get(name, _NO_ASSET).management_ip or name
        yield name, "hosts", group.name, (group.os, group.nic_family), address


def _list_readings(
    platforms: tuple[str, ...], specs: Mapping[str, PlatformSpec], bag: Bag, *, states: bool
) -> tuple[Reading, ...]:
    """Return the readings of all platforms of a device, outputs first."""
    found: list[Reading] = []
    for name in platforms:
        spec = find_platform(specs, name, "switch", "host", "nic")
        if spec is None:
            continue
        if not spec.readings:
            bag.add(NO_READINGS, f"platform {name} does not say how its devices are read")
        found += spec.readings
    outputs = [reading for reading in found if reading.path]
    # What two platforms of a host read is asked for once, as the operating system has it.
    unique = {reading.state: reading for reading in reversed(found) if reading.state}
    return (*outputs, *(reading for reading in found if states and unique.get(reading.state) is reading))
