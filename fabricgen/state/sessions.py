"""BGP sessions that the plan gives each device, by what its routing daemon calls the neighbor."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fabricgen.device.model import Host, Port, Switch


@dataclass(frozen=True, slots=True)
class ExpectedSession:
    """A session of one device.

    Attributes:
        neighbor: Address of the neighbor; the own port where the link has no addresses.
        port: Own port, ``peer`` the device at the other end, ``peer_port`` its port.
        asn: AS number of the neighbor; ``local_asn`` is the device's own.
        families: Address families whose prefixes it carries: ``ipv4``, ``ipv6``.
        watched: BFD watches it, from both ends.
        drained: Its link, or a device at one of its ends, asks for every other way.
        received: Prefixes that the device accepts over it, by family; a family is left out where the plan does not
            determine their number.
    """

    neighbor: str
    port: str
    peer: str
    peer_port: str
    local_asn: int
    asn: int
    families: tuple[str, ...]
    watched: bool
    drained: bool = False
    above: bool = False
    received: tuple[tuple[str, int], ...] = ()


def neighbor_names(port: Port) -> tuple[str, ...]:
    """Return what routing calls the neighbors behind a port: one in each family, or one that carries them all."""
    if not port.peer_asn:
        return ()
    return tuple(address for address in (port.peer_address, port.peer_address6) if address) or (port.shape.name,)


def is_watched(switch: Switch, port: Port) -> bool:
    """Return whether BFD watches the sessions over a port."""
    policy = switch.cls.routing
    return bool(port.peer_asn) and (policy.bfd_upper if port.shape.side == "up" else policy.bfd_lower)


def list_sessions(switch: Switch) -> Iterator[ExpectedSession]:
    """Yield the sessions of a switch, in the order of its ports."""
    every = tuple(name for name, there in (("ipv4", switch.cls.ipv4), ("ipv6", switch.cls.ipv6)) if there)
    for port in switch.ports:
        for name in neighbor_names(port):
            yield ExpectedSession(
                neighbor=name,
                port=port.shape.name,
                peer=port.peer,
                peer_port=port.peer_port,
                local_asn=switch.asn,
                asn=port.peer_asn,
                families=every if name == port.shape.name else (_family(name),),
                watched=is_watched(switch, port),
                drained=port.drained or bool(switch.state),
                above=port.shape.side == "up",
            )


def list_host_sessions(host: Host) -> Iterator[ExpectedSession]:
    """Yield the sessions of a host that speaks BGP; none of one whose routes are static."""
    bgp = host.cls.bgp
    for rail in host.rails if bgp else ():
        for gateway in (rail.gateway, rail.gateway6):
            if bgp and gateway:
                yield ExpectedSession(
                    neighbor=gateway,
                    port=rail.shape.interface,
                    peer=rail.peer,
                    peer_port=rail.peer_port,
                    local_asn=bgp.asn,
                    asn=rail.peer_asn,
                    families=(_family(gateway),),
                    watched=bgp.policy.bfd_lower,
                    above=True,
                )


def _family(address: str) -> str:
    return "ipv6" if ":" in address else "ipv4"
