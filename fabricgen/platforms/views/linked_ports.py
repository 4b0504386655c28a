"""Rows of a class's ports, joined with the links that one device has at them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Generic, Protocol, TypeVar

from fabricgen.device.model import Port, PortShape


class PortRow(Protocol):
    """A platform's row of a port: what is the class's."""

    @property
    def shape(self) -> PortShape:
        """The port itself."""


Row = TypeVar("Row", bound=PortRow)


@dataclass(slots=True)
class Link(Generic[Row]):
    """A port with a link: the class's row and what is this device's own."""

    row: Annotated[Row, "SwitchClass.ports"]
    port: Annotated[Port, "Switch.ports"]


def split_rows(rows: Sequence[Row], linked: Sequence[Port]) -> tuple[list[Link[Row]], list[Row]]:
    """Rows of the ports that have a link, with it, and rows of all others; both in the order of the box."""
    ports = {port.shape.name: port for port in linked}
    return (
        [Link(row, ports[row.shape.name]) for row in rows if row.shape.name in ports],
        [row for row in rows if row.shape.name not in ports],
    )
