"""What a cage turns into in a breakout mode: its logical ports with their lanes."""

from __future__ import annotations

from dataclasses import dataclass

from fabricgen.catalog.records import Cage, Mode, Sku


@dataclass(frozen=True, slots=True)
class LogicalPort:
    """A logical port of a cage.

    Attributes:
        number: The cage's base plus the offset of the port's first lane: the number in port names.
        lanes: Serdes numbers of the ASIC; empty where the catalog does not know them.
        alias: The second name the vendor gives the port; empty if it gives none.
        index: Front-panel number of the cage.
        speed_gbps: Speed the mode gives the port.
        subport: 0 if the port has the cage for itself, else 1 and up in lane order.
    """

    number: int
    lanes: tuple[int, ...]
    alias: str
    index: int
    speed_gbps: int
    subport: int


def logical_ports(cage: Cage, mode: Mode) -> tuple[LogicalPort, ...]:
    """Split a cage by a mode; every port takes its lanes in order.

    Source:
        sonic-net/sonic-buildimage, src/sonic-config-engine, portconfig.
    """
    ports: list[LogicalPort] = []
    at = 0
    for position, port in enumerate(mode.ports):
        ports.append(
            LogicalPort(
                number=cage.base + at,
                lanes=cage.lanes[at : at + port.lanes],
                alias=mode.aliases[position] if mode.aliases else "",
                index=cage.index,
                speed_gbps=port.speed_gbps,
                subport=position + 1 if len(mode.ports) > 1 else 0,
            )
        )
        at += port.lanes
    return tuple(ports)


def mode_of_cage(cage: Cage, sku: Sku) -> Mode | None:
    """The mode a port profile gives a cage; None if the cage does not exist in that profile."""
    text = sku.mode_by_cage.get(cage.index)
    if text is None:
        return None
    known = next((mode for mode in cage.modes if mode.text == text), None)
    return known or next((named_for(cage, mode) for mode in sku.own_modes if mode.text == text), None)


def named_for(cage: Cage, mode: Mode) -> Mode:
    """The mode with its alias patterns filled in: ``{i}`` is the cage's front-panel number, ``{c}`` its name."""
    aliases = (alias.replace("{i}", str(cage.index)).replace("{c}", cage.name) for alias in mode.aliases)
    return Mode(mode.text, mode.ports, tuple(aliases))
