"""Cabling of a whole fabric: cables that LLDP reports, from both ends, against those of the plan.

Every port is in one planned cable at most, and as a rule in one reported cable. Where the two disagree they form
chains, of which a cable that was moved and a pair that was swapped are the shortest; ``cabling_faults`` puts them into
words.
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
    """Planned and reported cables of the devices that were read.

    Attributes:
        partner: Other end of each planned port.
        unnamed: Ports whose neighbor gives no name and has no address that is known, with that address.
    """

    def __init__(self, seen: Mapping[str, LldpReport], label: Label) -> None:
        """Prepare for devices.

        Args:
            seen: The devices by name, in the order of the plan.
            label: Labels of ports.
        """
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
