"""Devices of a plan as targets: where each is reached, and what is read from it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fabricgen.collect.collect_codes import BAD_ADDRESS, NO_READINGS, NO_WAY
from fabricgen.collect.target import PORTS, SSH, SSH_PORT, CollectTarget
from fabricgen.diagnostics import Bag, Place
from fabricgen.diagnostics.words import Nearest
from fabricgen.files import Refused, read_file
from fabricgen.plan.model.fabric import Asset, FabricPlan
from fabricgen.platforms.manifest.readings import Reading
from fabricgen.platforms.manifest.spec import PlatformSpec, find_platform

_FORM = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[A-Za-z0-9._-]+))(?::(?P<port>[0-9]{1,5}))?")
_BARE_SIX = re.compile(r"[0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f.]*")
_FILE_MAX_BYTES = 16 * 1024 * 1024
_PORT_MAX = 65535


class Address(NamedTuple):
    """Host, a port and a way where they are given; 0 and nothing for those of all devices."""

    host: str
    port: int = 0
    via: str = ""


def read_addresses(options: Sequence[str], files: Sequence[Path], names: Iterable[str], bag: Bag) -> dict[str, Address]:
    """Return addresses by device, of which names are known; each line that is none is reported.

    Options, ``NAME=[WAY://]HOST[:PORT]`` each, count before the same lines of files, which may have a blank or a comma
    in place of ``=``, and comments after ``#``.
    """
    known = frozenset(names)
    found: dict[str, Address] = {}
    for file in files:
        data = read_file(file, _FILE_MAX_BYTES)
        if isinstance(data, Refused):
            bag.add(BAD_ADDRESS, f"{file} {data.reason}", hint="name a file with lines NAME HOST[:PORT]")
            continue
        for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
            text = line.partition("#")[0].strip()
            if text:
                _read(text, known, found, Place(str(file), number, 1), bag)
    for option in options:
        _read(option, known, found, None, bag)
    return found


def parse_address(text: str) -> Address | None:
    """Return the address of ``HOST``, ``HOST:PORT``, an IPv6 address, or one in brackets with a port; None if none."""
    if _BARE_SIX.fullmatch(text):
        return Address(text)
    match = _FORM.fullmatch(text)
    if match is None or int(match["port"] or 1) not in range(1, _PORT_MAX + 1):
        return None
    return Address(match["six"] or match["host"], int(match["port"] or 0))


def _read(text: str, known: frozenset[str], found: dict[str, Address], place: Place | None, bag: Bag) -> None:
    name, _, rest = re.sub(r"\s*[=,\s]\s*", "=", text.strip(), count=1).partition("=")
    way, _, place_there = rest.strip().rpartition("://")
    address = parse_address(place_there) if way in ("", *PORTS) else None
    if address is None:
        bag.add(BAD_ADDRESS, f"{text!r} is no NAME=HOST[:PORT]", place=place)
    elif name not in known:
        near = Nearest().find(name, known)
        bag.add(BAD_ADDRESS, f"there is no device {name!r}", place=place, hint=f"did you mean {near}?" if near else "")
    else:
        found[name] = address._replace(via=way)


_NO_ASSET = Asset()


def list_names(plan: FabricPlan) -> list[str]:
    """Return the names of all devices."""
    switches = [plan.device_name(device) for device in plan.switches()]
    return switches + [plan.host_name(host) for host in plan.all_hosts()]


class DeviceAccess(NamedTuple):
    """Ways and addresses of devices.

    Attributes:
        port: TCP port of SSH servers whose address has none.
        ways: Ways to take where the platform has them, with their TCP ports; 0 for the usual one; SSH elsewhere.
    """

    addresses: Mapping[str, Address] = {}
    port: int = SSH_PORT
    ways: Mapping[str, int] = {}


def list_targets(
    plan: FabricPlan,
    specs: Mapping[str, PlatformSpec],
    chosen: Collection[str] | None,
    reach: DeviceAccess,
    bag: Bag,
    *,
    states: bool = True,
) -> list[CollectTarget]:
    """Return the devices to collect, all if none are chosen: switches, then hosts, in the order of the plan.

    Each platform that does not say how its devices are read is reported, and each way that there is not.
    """
    found: list[CollectTarget] = []
    for name, kind, group, platforms, address in _list_devices(plan):
        if chosen is not None and name not in chosen:
            continue
        given = reach.addresses.get(name, Address(address))
        way = _choose_way(given, reach, [spec.api for spec in _list_specs(platforms, specs)])
        if not way:
            bag.add(NO_WAY, f"{name} cannot be reached by {given.via}: its platform is {platforms[0]}", device=name)
            continue
        readings = _list_readings(platforms, specs, bag, states=states, via=way)
        usual = reach.port if way == SSH else reach.ways.get(way, 0) or PORTS[way]
        found.append(CollectTarget(name, kind, group, platforms, given.host, given.port or usual, readings, way))
    _report_idle_ways(reach, found, bag)
    return found


def _choose_way(given: Address, reach: DeviceAccess, apis: Sequence[str]) -> str:
    """Return the way to a device; empty if its platform does not have the one of its address."""
    if given.via:
        return given.via if given.via in (SSH, *apis) else ""
    return next((way for way in reach.ways if way in apis), SSH)


def _report_idle_ways(reach: DeviceAccess, targets: Sequence[CollectTarget], bag: Bag) -> None:
    """Report ways that lead to no device, where there are devices at all."""
    for way in sorted(reach.ways.keys() - {SSH, *(target.via for target in targets)}) if targets else ():
        bag.add(NO_WAY, f"none of the devices has {way}")


def _list_devices(plan: FabricPlan) -> Iterator[tuple[str, str, str, tuple[str, ...], str]]:
    """Yield name, kind, tier or host group, platforms and management address of every device."""
    for device in plan.switches():
        tier, identity = plan.tier_of(device), plan.identity(device)
        yield identity.name, "switches", tier.name, (tier.platform,), identity.management
    for host in plan.all_hosts():
        group, name = plan.hosts[host.group], plan.host_name(host)
        address = plan.assets.get(name, _NO_ASSET).management_ip or name
        yield name, "hosts", group.name, (group.os, group.nic_family), address


def _list_specs(platforms: tuple[str, ...], specs: Mapping[str, PlatformSpec]) -> list[PlatformSpec]:
    found = (find_platform(specs, name, "switch", "host", "nic") for name in platforms)
    return [spec for spec in found if spec is not None]


def _list_readings(
    platforms: tuple[str, ...], specs: Mapping[str, PlatformSpec], bag: Bag, *, states: bool, via: str
) -> tuple[Reading, ...]:
    """Return the readings of all platforms of a device, outputs first."""
    found: list[Reading] = []
    for spec in _list_specs(platforms, specs):
        if not spec.readings:
            bag.add(NO_READINGS, f"platform {spec.name} does not say how its devices are read")
        found += spec.readings if via == SSH else spec.readings_by_api()
    outputs = [reading for reading in found if reading.path]
    # What two platforms of a host read is asked for once, as the operating system has it.
    unique = {reading.name: reading for reading in reversed(found) if not reading.path}
    return (*outputs, *(reading for reading in found if states and unique.get(reading.name) is reading))
