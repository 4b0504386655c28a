"""Identity of devices, hosts and links by their place in the regular plan, and the affine maps that number them."""

from __future__ import annotations

from socket import AF_INET6, inet_ntop
from typing import NamedTuple


class Coordinates(NamedTuple):
    """Position of a device; every field counts from 0 and is 0 where the tier has no such dimension.

    Leafs use ``group`` (rail group) and ``index`` (member of the group's pair); upper tiers use ``index``
    and, when their links are striped, ``group`` (stripe group).
    """

    zone: int = 0
    pod: int = 0
    unit: int = 0
    plane: int = 0
    group: int = 0
    index: int = 0  # type: ignore[assignment]  # hides tuple.index, which is unused here


class Numbering(NamedTuple):
    """An affine map from coordinates to a number: ``base + sum(stride * coordinate)``.

    The outermost dimension has the largest stride, so counting it further never moves a number. Where numbers are those
    of links, ``port`` is the stride from one link of the device to the next, and ``host`` that from one host of a leaf
    to the next; 0 where ports count on through the hosts.
    """

    base: int
    strides: Coordinates
    host: int = 0
    port: int = 2

    def at(self, where: Coordinates) -> int:
        """The number of the device at these coordinates."""
        s = self.strides
        return (
            self.base
            + s.zone * where.zone
            + s.pod * where.pod
            + s.unit * where.unit
            + s.plane * where.plane
            + s.group * where.group
            + s.index * where.index
        )

    @property
    def of_links(self) -> tuple[int, ...]:
        """Return the strides of a host and of a port; nothing where links follow each other."""
        return () if (self.host, self.port) == (0, 2) else (self.host, self.port)

    def at_port(self, where: Coordinates, position: int, per_host: int = 1) -> int:
        """The number of a link by its position on the device, at which each host takes as many as ``per_host``."""
        if not self.host:
            return self.at(where) + self.port * position
        host, port = divmod(position, per_host)
        return self.at(where) + self.host * host + self.port * port


def ipv4_text(number: int) -> str:
    """Dotted quad of a 32-bit number; a third of the cost of the standard library's classes."""
    return f"{number >> 24 & 255}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def ipv6_text(number: int) -> str:
    """Canonical text (RFC 5952) of a 128-bit number."""
    return inet_ntop(AF_INET6, number.to_bytes(16, "big"))


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
