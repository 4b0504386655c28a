"""The graph of a fabric, rebuilt twice: from subnets and sessions, and from what ports say of their neighbours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from .facts import Device, End, Fabric, Interface, Link
from .policy import Prefix

_TOKEN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]*")


def place(end: End) -> str:
    """A port in a finding."""
    return f"{end[0]} {end[1]}"


@dataclass(slots=True)
class Graph:
    """Cabling of a fabric.

    ``by_subnet``: links between two ports that stand in one point-to-point subnet, or whose bonds stand in one subnet.
    ``by_session``: links without addresses, between two ports over which each end runs a session to the other.
    ``by_neighbor``: links that a port's neighbour entry or description names. ``level``: 0 for hosts, 1 for switches
    that hosts hang on, and so on upwards.
    """

    by_subnet: set[Link] = field(default_factory=set)
    by_session: set[Link] = field(default_factory=set)
    by_neighbor: set[Link] = field(default_factory=set)
    subnets: dict[Prefix, list[End]] = field(default_factory=dict)
    level: dict[str, int] = field(default_factory=dict)
    peers: dict[str, dict[str, list[Link]]] = field(default_factory=dict)
    other_end: dict[End, End] = field(default_factory=dict)

    def links(self) -> set[Link]:
        return self.by_subnet | self.by_session | self.by_neighbor

    def routed(self) -> set[Link]:
        """Every link that carries traffic: its ends reach each other."""
        return self.by_subnet | self.by_session


def ends(link: Link) -> tuple[End, End]:
    """The two ends of a link, in stable order."""
    first, second = sorted(link)
    return first, second


def interfaces(fabric: Fabric) -> Iterator[tuple[Device, Interface]]:
    for device in fabric.devices.values():
        for interface in device.interfaces.values():
            yield device, interface


def interface(fabric: Fabric, end: End) -> Interface | None:
    """The interface at an end, or None where the tree has no such port."""
    device = fabric.devices.get(end[0])
    return device.interfaces.get(end[1]) if device else None


def described_neighbor(fabric: Fabric, text: str) -> End | None:
    """The port that a description names: a device of the tree, and one of its interfaces."""
    words = _TOKEN.findall(text)
    for word in words:
        device = fabric.devices.get(word)
        if device:
            port = next((w for w in words if w in device.interfaces), None)
            return (word, port) if port else None
    return None


def rebuild(fabric: Fabric) -> Graph:
    graph = Graph()
    for device, port in interfaces(fabric):
        end = (device.name, port.name)
        for address in port.addresses:
            graph.subnets.setdefault(address.subnet, []).append(end)
        if port.neighbor and port.neighbor != end:
            graph.by_neighbor.add(frozenset((end, port.neighbor)))
            if _bond_subnets(fabric, end) & _bond_subnets(fabric, port.neighbor):
                graph.by_subnet.add(frozenset((end, port.neighbor)))
    for members in graph.subnets.values():
        if len(members) == 2 and members[0] != members[1]:
            graph.by_subnet.add(frozenset(members))
    graph.by_session = _by_session(fabric, graph.by_neighbor)
    for link in sorted(graph.routed(), key=sorted):
        first, second = ends(link)
        graph.other_end[first], graph.other_end[second] = second, first
        graph.peers.setdefault(first[0], {}).setdefault(second[0], []).append(link)
        graph.peers.setdefault(second[0], {}).setdefault(first[0], []).append(link)
    _count_levels(fabric, graph)
    return graph


def _by_session(fabric: Fabric, candidates: set[Link]) -> set[Link]:
    """Links of which both ends run a session over the port itself."""
    found = set()
    over = {(d.name, s.peer) for d in fabric.switches() if d.bgp for s in d.bgp.sessions}
    for link in candidates:
        ports = [interface(fabric, end) for end in link]
        if link <= over and all(port is not None and port.link_local for port in ports):
            found.add(link)
    return found


def _bond_subnets(fabric: Fabric, end: End) -> set[Prefix]:
    port = interface(fabric, end)
    return {a.subnet for a in fabric.devices[end[0]].bonds[port.bond].addresses} if port and port.bond else set()


def _count_levels(fabric: Fabric, graph: Graph) -> None:
    """Breadth first from the hosts upwards."""
    frontier = [device.name for device in fabric.hosts()]
    level = 0
    while frontier:
        for name in frontier:
            graph.level[name] = level
        level += 1
        found = {peer for name in frontier for peer in graph.peers.get(name, {})}
        frontier = sorted(found - graph.level.keys())


def graph_links(fabric: Fabric) -> frozenset[Link]:
    """Every link of the fabric, for comparison with what the product says the links are."""
    return frozenset(rebuild(fabric).links())
