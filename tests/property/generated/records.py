"""Parts of a fabric: places, devices and cables, and the reading of counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from .hardware import Seat

Data = dict[str, Any]


class Place(NamedTuple):
    """Position of a device, everything counted from 0; an absent dimension is 0."""

    zone: int = 0
    pod: int = 0
    unit: int = 0
    plane: int = 0
    group: int = 0
    member: int = 0


@dataclass(frozen=True)
class Switch:
    """One switch."""

    name: str
    tier: str
    place: Place


@dataclass(frozen=True)
class Server:
    """One host; spares are no capacity."""

    name: str
    group: str
    place: Place
    number: int
    spare: bool


@dataclass(frozen=True)
class Cable:
    """One cable, the lower end first.

    ``a_port``: port of a host; of a switch it follows from ``a_seat``. ``position``: which of the ports for links
    downwards the upper end has.
    """

    link: str
    a: str
    b: str
    b_seat: Seat
    position: int
    mtu: int
    length_m: float
    a_seat: Seat | None = None
    a_port: str = ""
    group: str = ""
    rail: int = -1
    there: bool = True
    drained: bool = False


def number(count: Any) -> int:
    return int(count["count"] if isinstance(count, dict) else count)


def room(count: Any, *, outermost: bool = False) -> int:
    """Return how many there is room for: the maximum, or the next power of two; the outermost count needs none."""
    if isinstance(count, dict) and "max" in count:
        return int(count["max"])
    now, power = number(count), 1
    while power < now:
        power *= 2
    return now if outermost else power


def speed(link: Data) -> int:
    """Speed of a link, Gb/s."""
    return int(link["speed"].removesuffix("G"))
