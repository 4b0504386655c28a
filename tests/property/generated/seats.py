"""Ports of a tier's switches for links, in lists as long as the reservation: a link's port is its item."""

from __future__ import annotations

from typing import NamedTuple

from .hardware import BOXES, Seat
from .records import Place, room, speed
from .wording import Wording

COPPER = ("dac", "aec")
EVERY_PORT = 10**6


class Seats(NamedTuple):
    """Ports of a tier's switches."""

    down: list[Seat]
    up: list[Seat]
    fits: bool


def seats_of(said: Wording, at: int, tier: str) -> Seats:
    """Seats of a tier's switches: downwards from the first cage up, upwards from the last cage down."""
    box = BOXES[said.data["tiers"][tier]["model"]]
    cages = list(range(1, box.cages + 1))
    up: list[Seat] = []
    wanted = 0
    if at + 1 < len(said.tiers):
        above = said.tiers[at + 1]
        link = said.link_below(above)
        wanted = said.width(above, room) * link.get("per_pair", 1)
        up, taken = _fill(list(reversed(cages)), [(wanted, box.ports[speed(link)])])
        cages = [cage for cage in cages if cage not in taken]
    runs = _host_runs(said, box.ports) if at == 0 else [_run_below(said, tier, box.ports)]
    down, _ = _fill(cages, runs)
    needed = _needed_below(said, tier) if at else sum(count for count, _ in runs)
    return Seats(down, up, len(down) >= needed and len(up) >= wanted)


def _host_runs(said: Wording, ports: dict[int, int]) -> list[tuple[int, int]]:
    """Ports for the host groups in the order of their names; another speed or kind of cable has other cages."""
    runs: list[tuple[int, int]] = []
    before = None
    for group in sorted(said.data["hosts"]):
        link = said.links_of(group)[1]
        kind = (speed(link), link["cable"]["media"] in COPPER)
        count = said.slots(group) * said.host_room(group)
        if kind == before:
            runs[-1] = (runs[-1][0] + count, runs[-1][1])
        else:
            runs.append((count, ports[speed(link)]))
        before = kind
    return runs


def _run_below(said: Wording, tier: str, ports: dict[int, int]) -> tuple[int, int]:
    """Ports for the tier below; all that are left where the outermost dimension may grow without end."""
    return EVERY_PORT if said.may_grow(tier) else _needed_below(said, tier), ports[speed(said.link_below(tier))]


def _needed_below(said: Wording, tier: str) -> int:
    return sum(1 for _ in said.lowers(tier, Place(), room)) * int(said.link_below(tier).get("per_pair", 1))


def _fill(cages: list[int], runs: list[tuple[int, int]]) -> tuple[list[Seat], set[int]]:
    """Seats for runs of (how many, ports per cage), each run on cages of its own; what does not fit is left out."""
    seats: list[Seat] = []
    left = list(cages)
    for count, ports in runs:
        run: list[Seat] = []
        while len(run) < count and left:
            cage = left.pop(0)
            run += [Seat(cage, sub, ports) for sub in range(ports)]
        seats += run[:count]
    return seats, set(cages) - set(left)
