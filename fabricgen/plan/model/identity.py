"""Identity of a device, a host and a link: its position in the regular plan, whatever the exceptions."""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.plan.model.numbering import Coordinates


class DeviceId(NamedTuple):
    """Identity of a switch: the number of its tier and its coordinates."""

    tier: int
    where: Coordinates


class HostId(NamedTuple):
    """Identity of a host: the number of its group, the unit it stands in, and its number there."""

    group: int
    where: Coordinates
    host: int


class NicId(NamedTuple):
    """Identity of a NIC: a host and one of its rails."""

    host: HostId
    rail: int


class FabricLinkId(NamedTuple):
    """Identity of a link between switches: its lower end and the uplink position it has there."""

    lower: DeviceId
    position: int


class HostLinkId(NamedTuple):
    """Identity of a link between a host and a leaf: the rail and the port of its NIC."""

    host: HostId
    rail: int
    port: int


LinkId = FabricLinkId | HostLinkId
