"""A fabric as a plain list of cables, on which exceptions are carried out one cable at a time.

Nothing of the planning of exceptions is used here. The list begins as what the regular fabric has; what an exception
says is then done to the cables it names, as somebody with a ladder and a label printer would.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from fabricgen.device.lower import Lowering
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.tables.tables import list_links

PORTS_PER_CAGE, NUMBERS_PER_CAGE = 2, 8
"""The switch of the test splits each cage in two and numbers its ports by lanes."""


class Seen(NamedTuple):
    """One end of a cable as the configuration of that end has it; ``length_m`` decides headroom and cable length."""

    device: str
    port: str
    address: str
    peer: str
    peer_port: str
    peer_address: str
    mtu: int
    length_m: float
    drained: bool


@dataclass(frozen=True)
class Cable:
    """One cable of the list."""

    link: str
    a: str
    a_port: str
    a_address: str
    b: str
    b_port: str
    b_address: str
    mtu: int
    length_m: float
    drained: bool = False
    there: bool = True

    def ends(self) -> Iterator[Seen]:
        """Yield what its two ends must be configured as."""
        host = self.link.startswith("host-")
        shared = (self.mtu, self.length_m, self.drained and not host)
        yield Seen(self.a, self.a_port, self.a_address, self.b, self.b_port, self.b_address, *shared)
        yield Seen(self.b, self.b_port, self.b_address, self.a, self.a_port, self.a_address, *shared)


def port_name(text: str) -> str:
    """The name of a port that is given as cage and sub-port."""
    cage, _, subport = text.partition("/")
    per_port = NUMBERS_PER_CAGE // PORTS_PER_CAGE
    return f"Ethernet{(int(cage) - 1) * NUMBERS_PER_CAGE + (int(subport or 1) - 1) * per_port}"


def port_text(name: str) -> str:
    """Cage and sub-port of a port."""
    number = int(name.removeprefix("Ethernet"))
    cage, lane = divmod(number, NUMBERS_PER_CAGE)
    return f"{cage + 1}/{lane * PORTS_PER_CAGE // NUMBERS_PER_CAGE + 1}"


class Expanded:
    """The cables of a fabric, in the order in which parallel ones are counted."""

    def __init__(self, regular: FabricPlan) -> None:
        """List the cables of a fabric without exceptions."""
        lengths = {group.name: group.length_m for group in regular.links}
        self.absent: set[str] = set()
        self.cables = [
            Cable(
                str(row["link"]), str(row["a"]), str(row["a_port"]), str(row["a_address"]), str(row["b"]),
                str(row["b_port"]), str(row["b_address"]), int(row["mtu"]), lengths[str(row["link"])],
            )
            for row in list_links(regular)
        ]  # fmt: skip
        self._regular = list(self.cables)
        self._host_base = {
            row.b: min(_address(other.b_address) for other in self._regular if other.b == row.b)
            for row in self._regular
            if row.link.startswith("host-")
        }

    def between(self, a: str, b: str) -> list[int]:
        """Indices of the parallel cables of the regular fabric, counted by the addresses of the lower end."""
        found = [at for at, row in enumerate(self._regular) if (row.a, row.b) == (a, b)]
        return sorted(found, key=lambda at: _address(self._regular[at].a_address))

    def carry_out(self, exception: dict[str, Any]) -> None:
        """Do what one exception says; one without ``ports`` for the end that moves leaves that port open."""
        if "link" not in exception:
            if exception.get("state") == "absent":
                self.absent.add(exception.get("device") or exception["host"])
            return
        a, b = exception["link"]
        parallel = self.between(a, b)
        chosen = [parallel[exception["n"] - 1]] if "n" in exception else parallel
        for at in chosen:
            self.cables[at] = self._changed(self.cables[at], exception)

    def _changed(self, cable: Cable, said: dict[str, Any]) -> Cable:
        ports = said.get("ports", {})
        if said.get("state") == "absent":
            return replace(cable, there=False)
        if said.get("state") == "drained":
            cable = replace(cable, drained=True)
        if "cable" in said:
            cable = replace(cable, length_m=said["cable"]["length_m"])
        if "set" in said:
            cable = replace(cable, mtu=said["set"]["mtu"])
        if "to" in said:
            cable = replace(cable, b=said["to"], b_port="?")
        if cable.a in ports:
            cable = replace(cable, a_port=port_name(ports[cable.a]))
        if cable.b in ports:
            cable = replace(cable, b_port=port_name(ports[cable.b]))
        if "to" in said and cable.link.startswith("host-"):
            # A host's address is that of the leaf's port, counted from the first one.
            cage, _, subport = ports[cable.b].partition("/")
            number = self._host_base[cable.b] + 2 * ((int(cage) - 1) * PORTS_PER_CAGE + int(subport) - 1)
            cable = replace(cable, a_address=_text(number + 1), b_address=_text(number))
        return cable

    def land(self, ends: set[Seen]) -> None:
        """Fill in the ports that were left open, by what the lower ends say."""
        by_end = {(end.device, end.port): end for end in ends}
        self.cables = [
            replace(cable, b_port=by_end[cable.a, cable.a_port].peer_port) if cable.b_port == "?" else cable
            for cable in self.cables
        ]

    def ends(self) -> set[Seen]:
        """Return what every switch and host must be configured as; a rail whose leaf is absent keeps its cable."""
        found = set()
        for cable in self.cables:
            for end in cable.ends() if cable.there else ():
                is_host = end.device == cable.a and cable.link.startswith("host-")
                if end.device not in self.absent and (is_host or end.peer not in self.absent):
                    found.add(end)
        return found


def configured(plan: FabricPlan) -> set[Seen]:
    """Every end of a cable as the models of the devices have it."""
    lowering, found = Lowering(plan), set()
    for device in plan.switches():
        switch = lowering.lower_switch(device)
        used = {shape.name for shape in switch.cls.ports if shape.used}
        assert used == {port.shape.name for port in switch.ports}
        for port in switch.ports:
            shape = port.shape
            peer = (port.peer, port.peer_port, port.peer_address)
            mine = (switch.hostname, shape.name, port.address)
            found.add(Seen(*mine, *peer, shape.mtu_bytes, shape.length_m, port.drained))
    for host_id in plan.all_hosts():
        host = lowering.lower_host(host_id)
        for rail in host.rails:
            mine = (host.hostname, rail.shape.interface, rail.address)
            peer = (rail.peer, rail.peer_port, rail.gateway)
            found.add(Seen(*mine, *peer, rail.shape.mtu_bytes, rail.shape.length_m, False))
    return found


def _address(text: str) -> int:
    number = 0
    for part in text.split("."):
        number = number << 8 | int(part)
    return number


def _text(number: int) -> str:
    return ".".join(str(number >> shift & 255) for shift in (24, 16, 8, 0))
