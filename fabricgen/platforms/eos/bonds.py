"""View of the bonds of hosts for EOS's templates: a port channel each, and how EOS spells their common identity."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fabricgen.device.model import HostSubnet, Port, Switch


@dataclass(frozen=True, slots=True)
class Bond:
    """The bond of a host as one leaf has it; ``peer_ports`` are the ports of the host that meet this leaf."""

    number: Annotated[int, "Port.bond"]
    peer: Annotated[str, "Port.peer"]
    peer_ports: Annotated[str, "Port.peer_port"]
    profile: Annotated[str, "PortShape.speed_gbps"]


@dataclass(frozen=True, slots=True)
class Bonds:
    """Every bond of a leaf, and the subnet they stand in, with hosts that have but one port.

    Attributes:
        system_id: The LACP system id, in three groups of four digits.
        mtu_bytes: Largest packet that every host takes.
    """

    subnet: Annotated[HostSubnet, "Switch.host_subnet"]
    system_id: Annotated[str, "HostSubnet.lacp_system_id"]
    mtu_bytes: Annotated[int, "PortShape.mtu_bytes"]
    rows: Annotated[tuple[Bond, ...], "Port.bond", "Switch.ports"]


def build_bonds(device: Switch, profile: Callable[[int], str]) -> Bonds | None:
    """The bonds of a leaf; None where no host bonds.

    Args:
        device: The leaf.
        profile: Name of the QoS profile of ports of a speed.
    """
    if device.host_subnet is None:
        return None
    members: dict[int, list[Port]] = {}
    for port in device.ports:
        if port.bond:
            members.setdefault(port.bond, []).append(port)
    return Bonds(
        subnet=device.host_subnet,
        system_id=_dotted(device.host_subnet.lacp_system_id),
        mtu_bytes=min(shape.mtu_bytes for shape in device.cls.ports if shape.side == "down"),
        rows=tuple(
            Bond(number, ports[0].peer, " ".join(port.peer_port for port in ports), profile(ports[0].shape.speed_gbps))
            for number, ports in sorted(members.items())
        ),
    )


def _dotted(mac: str) -> str:
    """A MAC address as EOS prints a system id: ``0000.5e00.0101``."""
    digits = mac.replace(":", "")
    return ".".join(digits[at : at + 4] for at in (0, 4, 8))
