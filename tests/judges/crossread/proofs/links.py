"""Both ends of every link agree: subnet, addresses, neighbour entries, descriptions, MTU, speed, FEC."""

from __future__ import annotations

from ..facts import End, Interface
from ..graph import described_neighbor, ends, interface, interfaces, place
from .case import Case


def prove_graphs_agree(case: Case) -> list[str]:
    """The graph of subnets and sessions and the graph of neighbour entries are the same graph."""
    graph, found = case.graph, []
    for link in sorted(graph.by_neighbor - graph.routed(), key=sorted):
        first, second = ends(link)
        if case.is_absent(first[0]) or case.is_absent(second[0]):
            continue
        found.append(f"{place(first)}: neighbour entries join it to {place(second)}, addresses do not")
    for link in sorted(graph.routed() - graph.by_neighbor, key=sorted):
        first, second = ends(link)
        found.append(f"{place(first)}: addresses join it to {place(second)}, neighbour entries do not")
    return found


def prove_subnets(case: Case) -> list[str]:
    """Every link subnet is a point-to-point block with exactly two ends."""
    found = []
    for subnet, members in sorted(case.graph.subnets.items()):
        names = ", ".join(place(end) for end in members)
        if subnet.length != subnet.bits - 1:
            found.append(f"{names}: {subnet} is not a point-to-point subnet")
        if len(members) > 2:
            found.append(f"{names}: {len(members)} ports in {subnet}")
        if len(members) == 1:
            port = interface(case.fabric, members[0])
            outside = members[0][1] in case.fabric.devices[members[0][0]].clock.outside
            if not (outside or (port and port.neighbor and case.is_absent(port.neighbor[0]))):
                found.append(f"{names}: alone in {subnet}")
    return found


def prove_neighbors(case: Case) -> list[str]:
    """Every neighbour entry names a port that exists and that names it back; descriptions say the same."""
    found = []
    for device, port in interfaces(case.fabric):
        here = (device.name, port.name)
        if port.neighbor and not case.is_absent(port.neighbor[0]):
            found += _neighbor(case, here, port.neighbor)
        if device.kind == "switch" and port.up and port.name not in device.clock.outside:
            found += _description(case, here, port)
        if device.kind == "host" and port.description:
            far = case.graph.other_end.get(here)
            if far is None or described_neighbor(case.fabric, port.description) != far:
                found.append(f"{place(here)}: is said to go to {port.description}, its address to {far}")
    return found


def _neighbor(case: Case, here: End, there: End) -> list[str]:
    peer = interface(case.fabric, there)
    if peer is None:
        return [f"{place(here)}: neighbour {place(there)} does not exist"]
    if peer.neighbor and peer.neighbor != here:
        return [f"{place(here)}: neighbour {place(there)} says its neighbour is {place(peer.neighbor)}"]
    if case.fabric.devices[there[0]].kind == "switch" and not peer.neighbor:
        return [f"{place(here)}: neighbour {place(there)} names no neighbour"]
    return []


def _description(case: Case, here: End, port: Interface) -> list[str]:
    if port.neighbor is None:
        return [f"{place(here)}: is up but names no neighbour"]
    if case.is_absent(port.neighbor[0]):
        return []
    named = described_neighbor(case.fabric, port.description)
    if named == port.neighbor:
        return []
    says = place(named) if named else "no port that exists"
    return [f"{place(here)}: description {port.description!r} names {says}, the neighbour is {place(port.neighbor)}"]


def prove_ends_agree(case: Case) -> list[str]:
    """Same MTU, speed, FEC and autonegotiation at both ends, both up; of a host what its text says counts."""
    found = []
    for link in sorted(case.graph.links(), key=sorted):
        first, second = ends(link)
        one, two = interface(case.fabric, first), interface(case.fabric, second)
        if one is None or two is None:
            continue
        for name in ("mtu", "speed_gbps", "fec", "autoneg"):
            here, there = getattr(one, name), getattr(two, name)
            if here != there and (name == "mtu" or (here and there)):
                found.append(f"{place(first)}: {name} {here}, but {place(second)} has {there}")
        for end, port in ((first, one), (second, two)):
            if not port.up:
                found.append(f"{place(end)}: is down although it is a link's end")
    return found


def prove_unused_ports(case: Case) -> list[str]:
    """A port without a link is down, and has neither address nor anything lossless."""
    used = {end for link in case.graph.links() for end in link}
    found = []
    for device, port in interfaces(case.fabric):
        here = (device.name, port.name)
        if device.kind != "switch" or here in used:
            continue
        if port.up and port.name not in device.clock.outside:
            found.append(f"{place(here)}: is up although no link ends there")
        for what in ("pfc", "headroom", "watchdog"):
            if getattr(port.qos, what):
                found.append(f"{place(here)}: {what} {sorted(getattr(port.qos, what))} on an unused port")
    return found
