"""Cabling of a whole fabric: cables that LLDP reports, from both ends, against those of the plan.

Every port is in one planned cable at most, and as a rule in one reported cable. Where the two disagree they form
chains, of which a cable that was moved and a pair that was swapped are the shortest. ``list_faults`` puts them into
words: what to do, by the rack where it is to be done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from fabricgen.platforms.observations.records import LldpNeighbor
from fabricgen.state.expected import Expected, ExpectedLink
from fabricgen.state.links import host_name, is_planned, list_keys, mac_digits

Label = Callable[[str, str], str]
"""Returns the label of a port that is printed on the device, by the names of both; empty where there is none."""


class PortEnd(NamedTuple):
    """A port of a device; of a neighbor that the plan does not have, what it calls itself."""

    device: str
    port: str


Cable = tuple[PortEnd, PortEnd]
"""Both ends, in the order of ``Cabling.join``."""


class LldpReport(NamedTuple):
    """A device with the neighbors that it reports."""

    expected: Expected
    neighbors: Sequence[LldpNeighbor]


class Cabling:
    """Cables of the devices that were read; ``unnamed`` are ports by the address of an unknown neighbor."""

    def __init__(self, seen: Mapping[str, LldpReport], label: Label) -> None:
        self.seen, self._label = seen, label
        self._rank = {name: number for number, name in enumerate(seen)}
        self._devices = {name.lower(): name for name in seen}
        self._ends: dict[tuple[str, str], PortEnd] = {}
        self.partner: dict[PortEnd, PortEnd] = {}
        self.unnamed: dict[PortEnd, str] = {}
        for name, report in seen.items():
            self._learn(name, report.expected)

    def _learn(self, name: str, expected: Expected) -> None:
        """Take a device's ports, and everything that the ports at their other ends may be called."""
        for port in expected.ports:
            self._ends[name.lower(), port.lower()] = PortEnd(name, port)
        for alias, port in expected.aliases.items():
            self._ends[name.lower(), alias.lower()] = PortEnd(name, port)
        for link in expected.links:
            own, other = PortEnd(name, link.port), PortEnd(link.peer, link.peer_port)
            self._devices.setdefault(link.peer.lower(), link.peer)
            self.partner[own], self.partner[other] = other, own
            for called in link.peer_names:
                self._ends[link.peer.lower(), called.lower()] = other
                if digits := mac_digits(called):
                    self._ends["", digits] = other

    def join(self, first: PortEnd, second: PortEnd) -> Cable:
        """Return two ends as a cable: leafs come before spines, switches before hosts, others last."""
        count = len(self._rank)
        one, other = sorted((first, second), key=lambda end: (self._rank.get(end.device, count), end))
        return one, other

    @cached_property
    def planned(self) -> tuple[Cable, ...]:
        """Cables of the plan of which an end was read."""
        return tuple(dict.fromkeys(self.join(own, other) for own, other in self.partner.items()))

    @cached_property
    def reported(self) -> dict[Cable, set[PortEnd]]:
        """Cables that were reported, each with the ends that report it."""
        found: dict[Cable, set[PortEnd]] = {}
        for name, report in self.seen.items():
            for end, other in self._read(name, report):
                found.setdefault(self.join(end, other), set()).add(end)
        return found

    def _read(self, name: str, report: LldpReport) -> Iterator[Cable]:
        """Yield each port of the fabric with the end that it reports; of several the planned one counts."""
        links: dict[str, ExpectedLink] = {link.port: link for link in report.expected.links}
        ports: dict[str, list[LldpNeighbor]] = {}
        for neighbor in report.neighbors:
            ports.setdefault(report.expected.aliases.get(neighbor.port, neighbor.port), []).append(neighbor)
        for port, neighbors in ports.items():
            own, link = PortEnd(name, port), links.get(port)
            if link and any(is_planned(link, neighbor) for neighbor in neighbors):
                yield own, self.partner[own]
            elif link or port in report.expected.ports:
                other = self._find(neighbors[0])
                if other.device:
                    yield own, other
                else:
                    self.unnamed[own] = other.port

    def _find(self, neighbor: LldpNeighbor) -> PortEnd:
        """Return the end that a neighbor is; without device where it has no name and its address is not known."""
        digits = (mac_digits(neighbor.peer_port), mac_digits(neighbor.chassis))
        for key in (*list_keys(neighbor), *(("", each) for each in digits if each)):
            if key in self._ends:
                return self._ends[key]
        device = host_name(neighbor.device)
        return PortEnd(self._devices.get(device, device), neighbor.peer_port or neighbor.chassis)

    def place(self, device: str) -> str:
        """Return where a device is: its rack or unit, or its tier; empty if it was not read."""
        report = self.seen.get(device)
        return (report.expected.place or report.expected.tier) if report else ""

    def label(self, end: PortEnd) -> str:
        """Return the label of a port as it is printed on the device, or the name of the port."""
        return self._label(end.device, end.port) or end.port

    def name(self, end: PortEnd) -> str:
        """Return a port in words."""
        return f"{end.device} port {self.label(end)}"


MISSING, SWAPPED, WRONG_PORT, WRONG_DEVICE = "missing", "swapped", "wrong port", "wrong device"
UNPLANNED, UNNAMED, ONE_WAY = "unplanned", "unnamed neighbor", "one way"


class CablingFault(NamedTuple):
    """A mistake of cabling.

    ``place`` is the rack or unit of the device where hands are needed, or its tier. ``ends`` begin with those there.
    """

    place: str
    kind: str
    ends: tuple[PortEnd, ...]
    text: str


class _Move(NamedTuple):
    """A cable whose one end is in the wrong port: ``kept`` is right, ``wrong`` belongs to ``right``."""

    kept: PortEnd
    wrong: PortEnd
    right: PortEnd


def list_faults(cabling: Cabling) -> list[CablingFault]:
    """Return the mistakes, by place in the order of the plan."""
    missing = {cable: None for cable in cabling.planned if cable not in cabling.reported}
    planned = set(cabling.planned)
    extra = {cable: None for cable in cabling.reported if cable not in planned}
    faults = [*_list_swaps(cabling, missing, extra), *_list_moves(cabling, missing, extra)]
    faults += [_missing(cabling, cable) for cable in missing]
    for first, second in extra:
        text = f"remove the cable between {cabling.name(first)} and {cabling.name(second)}: the plan has none"
        faults.append(_fault(cabling, UNPLANNED, (first, second), text))
    faults += _list_one_way(cabling)
    order = {place: number for number, place in enumerate(dict.fromkeys(map(cabling.place, cabling.seen)))}
    return sorted(faults, key=lambda fault: order.get(fault.place, len(order)))


def _fault(cabling: Cabling, kind: str, ends: tuple[PortEnd, ...], text: str) -> CablingFault:
    place = next((found for end in ends if (found := cabling.place(end.device))), "")
    return CablingFault(place, kind, ends, text)


def _list_swaps(cabling: Cabling, missing: dict[Cable, None], extra: dict[Cable, None]) -> Iterator[CablingFault]:
    """Yield the pairs of cables that are in each other's ports, and take them out of what is left to explain."""
    for first, second in list(extra):
        one, other = cabling.partner.get(first), cabling.partner.get(second)
        if one is None or other is None or first == second or (first, second) not in extra:
            continue
        if cabling.join(one, other) not in extra:
            continue
        for cable in ((first, second), cabling.join(one, other)):
            extra.pop(cable)
        for cable in (cabling.join(first, one), cabling.join(second, other)):
            missing.pop(cable, None)
        yield _swap(cabling, cabling.join(first, other), cabling.join(one, second))


def _swap(cabling: Cabling, near: Cable, far: Cable) -> CablingFault:
    """Return a pair of cables that is put right at either of two pairs of ports; one device is better than two."""
    pairs = sorted((near, far), key=lambda pair: cabling.join(pair[0], pair[1]) != pair)
    chosen = min(pairs, key=lambda pair: (pair[0].device != pair[1].device, _apart(cabling, pair)))
    left = pairs[1] if chosen is pairs[0] else pairs[0]
    first, second = chosen
    if first.device == second.device:
        text = f"swap the cables at {first.device} ports {cabling.label(first)} and {cabling.label(second)}"
    else:
        text = f"swap the cables at {cabling.name(first)} and {cabling.name(second)}"
    return _fault(cabling, SWAPPED, (*chosen, *left), text)


def _apart(cabling: Cabling, pair: Cable) -> bool:
    return cabling.place(pair[0].device) != cabling.place(pair[1].device)


def _list_moves(cabling: Cabling, missing: dict[Cable, None], extra: dict[Cable, None]) -> Iterator[CablingFault]:
    """Yield the cables of which one end is in the wrong port, and take them out of what is left to explain.

    Each explains one planned cable. Those that can explain only one come first, so that none is left over in a chain.
    """
    at: dict[PortEnd, list[Cable]] = {}
    for cable in extra:
        for end in cable:
            at.setdefault(end, []).append(cable)
    waiting = sorted(extra, key=lambda cable: -len(_list_options(cabling, missing, cable)))
    while waiting:
        cable = waiting.pop()
        options = _list_options(cabling, missing, cable) if cable in extra else []
        if not options:
            continue
        move = min(options, key=lambda option: option.wrong.device != option.right.device)
        extra.pop(cable)
        missing.pop(cabling.join(move.kept, move.right))
        waiting += [other for end in (move.kept, move.right) for other in at.get(end, ()) if other in extra]
        yield _moved(cabling, move)


def _list_options(cabling: Cabling, missing: dict[Cable, None], cable: Cable) -> list[_Move]:
    """Return the ways in which a cable can have come from its place in the plan."""
    first, second = cable
    found = []
    for kept, wrong in ((first, second), (second, first)):
        right = cabling.partner.get(kept)
        if right is not None and cabling.join(kept, right) in missing:
            found.append(_Move(kept, wrong, right))
    return found


def _moved(cabling: Cabling, move: _Move) -> CablingFault:
    kept, wrong, right = move
    if wrong.device == right.device:
        ports = f"from port {cabling.label(wrong)} to port {cabling.label(right)} of {right.device}"
        return _fault(cabling, WRONG_PORT, (wrong, right, kept), f"move the cable of {cabling.name(kept)} {ports}")
    text = f"move the cable of {cabling.name(kept)} from {cabling.name(wrong)} to {cabling.name(right)}"
    return _fault(cabling, WRONG_DEVICE, (wrong, right, kept), text)


def _missing(cabling: Cabling, cable: Cable) -> CablingFault:
    """Return a planned cable that no end reports; a neighbor without a name may be its other end."""
    for end in cable:
        if address := cabling.unnamed.get(end):
            found = f"{cabling.name(end)} is connected to {address}, which gives no name"
            wanted = f"{cabling.name(cabling.partner[end])}"
            return _fault(cabling, UNNAMED, cable, f"{found}: check that it is {wanted}, and add it to the asset list")
    first, second = map(cabling.name, cable)
    return _fault(cabling, MISSING, cable, f"connect {first} to {second}: LLDP reports no cable there")


def _list_one_way(cabling: Cabling) -> Iterator[CablingFault]:
    """Yield the planned cables that only one of two devices reports, where the other one receives nothing."""
    reported = {end for ends in cabling.reported.values() for end in ends} | set(cabling.unnamed)
    for cable in cabling.planned:
        ends = cabling.reported.get(cable, set())
        silent = [end for end in cable if end not in reported and end.device in cabling.seen]
        if ends and silent:
            (sender,) = ends
            text = f"check that LLDP is sent by {cabling.name(sender)}: {cabling.name(silent[0])} receives nothing"
            yield _fault(cabling, ONE_WAY, (sender, silent[0]), text)
