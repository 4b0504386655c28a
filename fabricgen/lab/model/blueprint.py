"""Blueprint of a lab as plain data: devices, cables, configurations; and its file format."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field

from fabricgen.validation.reading import read_json

PROBE_PORT = 20_000
"""UDP port of the lab's packets; below those that the kernel gives to sockets without one."""
NAMESPACE_PREFIX = "fglab."
"""Start of the name of every namespace; the names of the lab and of the device follow, with a dot between."""


@dataclass(frozen=True, slots=True)
class Interface:
    """One end of a cable.

    Attributes:
        name: Name in the lab, which is that of the device where Linux allows it.
        addresses: With their prefix length; empty where only link-local addresses are used.
        peer: Device at the other end, ``peer_interface`` its port, as planned.
        neighbors: What the routing configuration calls the BGP neighbours behind it: one in each family, or one that
            carries them all over a link without addresses.
        drained: Both ends ask for another way, as the plan says.
        watched: BFD watches the neighbour, from both ends.
        announces: Prefixes that the device brings into routing as long as the interface is up.
    """

    name: str
    mtu_bytes: int
    addresses: tuple[str, ...]
    peer: str
    peer_interface: str
    link: str
    neighbors: tuple[str, ...] = ()
    peer_asn: int = 0
    drained: bool = False
    watched: bool = False
    announces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LabNode:
    """One device.

    Attributes:
        tier: 0 for leafs, counting upwards; -1 for hosts.
        config: Routing configuration as the daemons get it; empty where none runs.
        equivalent: The configuration is not the device's own but another platform's from the same device model.
        adapted: What was left out of the rendered configuration or added to it.
        originates: Prefixes it brings into routing, whatever becomes of its links.
        settings: Kernel settings by path below /proc/sys.
        hash_rank: Switches of different ranks hash differently.
        detection_s: How long a neighbour that falls silent goes unnoticed if BFD watches it.
        hold_s: How long otherwise.
        table: Routing table of the kernel that BGP fills.
        packet_filter: What its own system lets in, as ``nft -f`` takes it; empty where it filters nothing.
        mac: MAC address of all its ports; empty where each has its own.
        platforms: Platforms of its software, the operating system first.
        files: Its rendered files by path on the device. A lab that runs has them in its folder, not in its blueprint.
    """

    name: str
    tier: int
    role: str
    asn: int
    state: str
    config: str
    adapted: tuple[str, ...]
    interfaces: tuple[Interface, ...]
    hash_rank: int
    detection_s: float
    hold_s: float
    equivalent: bool = False
    loopbacks: tuple[str, ...] = ()
    originates: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    settings: tuple[tuple[str, int], ...] = ()
    table: str = "main"
    packet_filter: str = ""
    mac: str = ""
    platforms: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = field(default=(), compare=False)

    @property
    def is_switch(self) -> bool:
        """Return whether it is a switch."""
        return self.tier >= 0

    @property
    def prefixes(self) -> tuple[str, ...]:
        """Every prefix it brings into routing while all its links are up."""
        announced = (prefix for end in self.interfaces for prefix in end.announces)
        return tuple(dict.fromkeys((*self.originates, *announced)))

    def interface(self, name: str) -> Interface:
        """The interface of that name, which has to be there."""
        return {each.name: each for each in self.interfaces}[name]


def have_session(node: LabNode, end: Interface, other: LabNode) -> bool:
    """Return whether a device and the other one, at the other end of a link, name each other's addresses and AS."""
    there = other.interface(end.peer_interface)
    numbers = (end.peer_asn, other.asn), (there.peer_asn, node.asn)
    return all(not named or named == asn for named, asn in numbers) and _names(end, there) and _names(there, end)


def _names(end: Interface, other: Interface) -> bool:
    """Return whether an interface has a neighbor that the other one is; one without addresses is named by the port."""
    own = {address.partition("/")[0] for address in other.addresses}
    return any(name == end.name or name in own for name in end.neighbors)


@dataclass(frozen=True, slots=True)
class Wire:
    """A cable as it is plugged in."""

    a: str
    a_interface: str
    b: str
    b_interface: str


@dataclass(frozen=True, slots=True)
class Blueprint:
    """A whole lab.

    Attributes:
        cut: The cut in words; empty for the whole fabric.
        notes: What the lab does not prove, one sentence each.
        root: Root folder of the system whose routing daemons run; ``/`` for this machine's.
        overlays: Overlays of the inventory that it was booted from, ``catalogs`` its own catalogs.
    """

    lab: str
    fabric: str
    cut: str
    notes: tuple[str, ...]
    nodes: tuple[LabNode, ...]
    wires: tuple[Wire, ...]
    root: str = "/"
    overlays: tuple[str, ...] = ()
    catalogs: tuple[str, ...] = ()

    def node(self, name: str) -> LabNode:
        """The device of that name, which has to be there."""
        return {each.name: each for each in self.nodes}[name]

    @property
    def switches(self) -> tuple[LabNode, ...]:
        """Every switch."""
        return tuple(node for node in self.nodes if node.is_switch)

    @property
    def hosts(self) -> tuple[LabNode, ...]:
        """Every host."""
        return tuple(node for node in self.nodes if not node.is_switch)

    @property
    def speakers(self) -> tuple[LabNode, ...]:
        """Every device that runs routing daemons."""
        return tuple(node for node in self.nodes if node.config)

    @property
    def uses_ipv6(self) -> bool:
        """Return whether anything in it has an IPv6 address or none at all, so that link-local ones are needed."""
        ends = [interface for node in self.nodes for interface in node.interfaces]
        return any(not end.addresses or any(":" in address for address in end.addresses) for end in ends)

    def namespace(self, device: str) -> str:
        """Name of a device's network namespace."""
        return f"{NAMESPACE_PREFIX}{self.lab}.{device}"


def lab_of(namespace: str) -> str:
    """The lab a namespace belongs to; empty if it belongs to none."""
    if not namespace.startswith(NAMESPACE_PREFIX):
        return ""
    return namespace.removeprefix(NAMESPACE_PREFIX).partition(".")[0]


def to_text(blueprint: Blueprint) -> str:
    """Write a blueprint, without the files of its devices."""
    nodes = tuple(dataclasses.replace(node, files=()) for node in blueprint.nodes)
    return json.dumps(dataclasses.asdict(dataclasses.replace(blueprint, nodes=nodes)))


def from_text(text: str) -> Blueprint:
    """Read a blueprint that ``to_text`` has written."""
    return read_json(Blueprint, text)
