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


class AddressPool(NamedTuple):
    """An address pool in the families it has: first address and prefix length of each.

    The numbers that devices have in it count from its first address, the IPv4 one where it has both. An IPv4 number is
    the address itself; ``shift`` leads from a number to the IPv6 address, so that both families number alike.
    """

    ipv4: tuple[int, int] | None = None
    ipv6: tuple[int, int] | None = None
    shift: int = 0

    @property
    def first(self) -> int:
        """The first number."""
        return (self.ipv4 or self.ipv6 or (0, 0))[0]

    def text4(self, number: int) -> str:
        """The IPv4 address of a number; empty where the pool has none."""
        return ipv4_text(number) if self.ipv4 else ""

    def text6(self, number: int) -> str:
        """The IPv6 address of a number; empty where the pool has none."""
        return ipv6_text(number + self.shift) if self.ipv6 else ""

    def text(self, number: int) -> str:
        """The address of a number in the first family the pool has."""
        return self.text4(number) or self.text6(number)

    def router_id(self, number: int) -> str:
        """A router id for what has a number here: its IPv4 address, or without IPv4 its place in the pool.

        Source:
            RFC 6286 section 2.1: a router id needs to be unique in its AS only, and not to be an address.
        """
        return ipv4_text(number if self.ipv4 else number - self.first)

    @property
    def prefix4(self) -> str:
        """The IPv4 pool as text; empty where it has none."""
        return f"{ipv4_text(self.ipv4[0])}/{self.ipv4[1]}" if self.ipv4 else ""

    @property
    def prefix6(self) -> str:
        """The IPv6 pool as text; empty where it has none."""
        return f"{ipv6_text(self.ipv6[0])}/{self.ipv6[1]}" if self.ipv6 else ""


class Identity(NamedTuple):
    """Name, numbers and addresses of a device; an empty field is as the rule has it.

    Attributes:
        management_len: Prefix length of its management address.
        path: Where the intent gives it what it has of its own.
    """

    name: str = ""
    asn: int = 0
    loopback: str = ""
    loopback6: str = ""
    router_id: str = ""
    management: str = ""
    management_len: int = 0
    management_gateway: str = ""
    path: tuple[str, ...] = ()


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
