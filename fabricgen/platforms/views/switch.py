"""Shared views of every switch whose templates write its names and addresses, of its class, and of its bonds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Annotated, Any, Generic, Protocol, TypeVar

from fabricgen.device.model import Contract, Grandmaster, Port, PortShape, RoutingPolicy, Services, Switch, SwitchClass


@dataclass(frozen=True, slots=True)
class SwitchClassView:
    """Properties of a class of switches; a platform's own view adds its tables."""

    fabric: Annotated[str, "SwitchClass.fabric"]
    has_upper: Annotated[bool, "SwitchClass.has_upper"]
    has_lower: Annotated[bool, "SwitchClass.role"]
    routing: Annotated[RoutingPolicy, "SwitchClass.routing"]
    services: Annotated[Services, "SwitchClass.services"]


def class_values(cls: SwitchClass) -> dict[str, Any]:
    """Return the values of the fields of ``SwitchClassView``, by name."""
    values = {name: getattr(cls, name) for name in ("fabric", "has_upper", "routing", "services")}
    return {**values, "has_lower": cls.role != "leaf"}


@dataclass(frozen=True, slots=True)
class TacacsServer:
    """A TACACS+ server and its priority: SONiC asks the highest one first, NVUE the lowest."""

    address: Annotated[str, "Services.tacacs"]
    priority: Annotated[int, "Services.tacacs"]


@dataclass(slots=True)
class SwitchView:
    """Names and addresses of one switch; a platform's own view adds its sessions and tables."""

    hostname: Annotated[str, "Switch.hostname"]
    place: Annotated[str, "Switch.place"]
    state: Annotated[str, "Switch.state"]
    reason: Annotated[str, "Switch.reason"]
    asn: Annotated[int, "Switch.asn"]
    router_id: Annotated[str, "Switch.router_id"]
    loopback: Annotated[str, "Switch.loopback"]
    loopback6: Annotated[str, "Switch.loopback6"]
    aggregate: Annotated[str, "Switch.aggregate"]
    aggregate6: Annotated[str, "Switch.aggregate6"]
    management: Annotated[str, "Switch.management"]
    management_len: Annotated[int, "Switch.management_len"]
    management_gateway: Annotated[str, "Switch.management_gateway"]
    grandmaster: Annotated[Grandmaster | None, "Switch.grandmaster"]


_NAMES = tuple(field.name for field in fields(SwitchView))


def switch_values(device: Switch) -> dict[str, Any]:
    """Values of the fields of ``SwitchView``, by name."""
    return {name: getattr(device, name) for name in _NAMES}


class PortRow(Protocol):
    """A platform's row of a port: what is the class's."""

    @property
    def shape(self) -> PortShape:
        """The port itself."""


Row = TypeVar("Row", bound=PortRow)


@dataclass(slots=True)
class LinkedPort(Generic[Row]):
    """A port with a link: the class's row and what is this device's own."""

    row: Annotated[Row, "SwitchClass.ports"]
    port: Annotated[Port, "Switch.ports"]


def split_rows(rows: Sequence[Row], device: Switch) -> tuple[list[LinkedPort[Row]], list[Row]]:
    """Rows of the ports that have a link, with it, and rows of those without cable; both in the order of the box."""
    ports = {port.shape.name: port for port in device.ports}
    cabled = {*ports, device.grandmaster.port} if device.grandmaster else ports
    return (
        [LinkedPort(row, ports[row.shape.name]) for row in rows if row.shape.name in ports],
        [row for row in rows if row.shape.name not in cabled],
    )


@dataclass(frozen=True, slots=True)
class CodePoint:
    """A DSCP and the priority of its packets; ``origins`` names its own item of the contract's table."""

    dscp: Annotated[int, "Contract.priority_by_dscp"]
    priority: Annotated[int, "Contract.priority_by_dscp"]
    origins: tuple[str, ...]


def groups_by_class(contract: Contract) -> tuple[int, ...]:
    """Priority group of each traffic class; one that no class uses shares group 0."""
    groups = {traffic.priority: traffic.priority_group for traffic in contract.classes}
    return tuple(groups.get(number, 0) for number in range(8))


def code_points(contract: Contract) -> tuple[CodePoint, ...]:
    """Every code point."""
    return tuple(
        CodePoint(dscp, priority, (f"Contract.priority_by_dscp[{dscp}]",))
        for dscp, priority in enumerate(contract.priority_by_dscp)
    )


def code_point_rows(contract: Contract, per_row: int) -> tuple[tuple[CodePoint, ...], ...]:
    """Every code point, some to a row."""
    points = code_points(contract)
    return tuple(points[first : first + per_row] for first in range(0, len(points), per_row))


@dataclass(frozen=True, slots=True)
class LeafBond:
    """A bond of a host; the twins of the leaf have it with the same number, and if it is routed the same addresses.

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


def leaf_bonds(ports: Iterable[Port]) -> tuple[LeafBond, ...]:
    """Return the bonds of a leaf, by number, given its used ports."""
    members: dict[int, list[Port]] = {}
    for port in ports:
        if port.bond:
            members.setdefault(port.bond, []).append(port)
    return tuple(_bond(number, found) for number, found in sorted(members.items()))


def _bond(number: int, ports: list[Port]) -> LeafBond:
    first = ports[0]
    return LeafBond(
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
