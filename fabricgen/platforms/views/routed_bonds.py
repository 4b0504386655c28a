"""View of the routed bonds of a leaf in no platform's syntax: one for each NIC whose ports meet it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from fabricgen.device.model import Port


@dataclass(frozen=True, slots=True)
class RoutedBond:
    """A bond; the twins of the leaf have it with the same number and addresses.

    Attributes:
        number: Its number, which is its LACP key where a key can be set.
        members: Names of the leaf's ports in it; ``peer_ports`` are the ports of the host that meet this leaf.
    """

    number: Annotated[int, "Port.bond"]
    members: Annotated[tuple[str, ...], "PortShape.name", "Port.bond"]
    peer: Annotated[str, "Port.peer"]
    peer_ports: Annotated[str, "Port.peer_port"]
    mtu_bytes: Annotated[int, "PortShape.mtu_bytes"]
    address: Annotated[str, "Port.address"]
    prefix_len: Annotated[int, "Port.prefix_len"]
    address6: Annotated[str, "Port.address6"]
    prefix_len6: Annotated[int, "Port.prefix_len6"]


def routed_bonds(ports: Iterable[Port]) -> tuple[RoutedBond, ...]:
    """Return the bonds of a leaf that have addresses of their own, in the order of their numbers.

    Args:
        ports: Its used ports.
    """
    members: dict[int, list[Port]] = {}
    for port in ports:
        if port.bond and (port.address or port.address6):
            members.setdefault(port.bond, []).append(port)
    return tuple(_bond(number, found) for number, found in sorted(members.items()))


def _bond(number: int, ports: list[Port]) -> RoutedBond:
    first = ports[0]
    return RoutedBond(
        number=number,
        members=tuple(port.shape.name for port in ports),
        peer=first.peer,
        peer_ports=" ".join(port.peer_port for port in ports),
        mtu_bytes=first.shape.mtu_bytes,
        address=first.address,
        prefix_len=first.prefix_len,
        address6=first.address6,
        prefix_len6=first.prefix_len6,
    )
