"""Facts of a startup-config that the other ends of links rely on.

Source:
    Arista EOS User Manual 4.36: Ethernet Ports, Quality of Service, Border Gateway Protocol.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.platforms.reading.link_facts import Fact, Matter, pairs
from fabricgen.platforms.reading.reader import Tree

_ROUTER = "router bgp"
_OF_PORT = {
    Matter.MTU: "mtu",
    Matter.SPEED: "speed",
    Matter.FEC: "error-correction encoding",
    Matter.ADDRESS: "ip address",
}
_PRIORITY = re.compile(r"priority-flow-control priority (\d)")
_DSCP = re.compile(r"qos map dscp (\d+) to traffic-class")
_CLASS = re.compile(r"qos map traffic-class (\d) to (?:uc-)?tx-queue")
_NEIGHBOR = re.compile(r"neighbor (\S+) remote-as")
_INTERFACE = re.compile(r"neighbor interface (\S+)")


def list_facts(tree: Tree) -> Iterator[Fact]:
    """The facts of ports, the AS number, and those of neighbours."""
    maps = {Matter.DSCP: _numbered(tree, _DSCP), Matter.QUEUES: _numbered(tree, _CLASS)}
    for section, port in tree.items():
        if not section.startswith("interface Ethernet") or not isinstance(port, dict):
            continue
        name = section.removeprefix("interface ")
        for matter, key in _OF_PORT.items():
            yield Fact(matter, name, str(port.get(key, "none")), ((section, key),))
        profile = f"qos profile {port.get('service-profile', '')}"
        said = tree.get(profile)
        said = said if isinstance(said, dict) else {}
        paused = [found[1] for key in said if (found := _PRIORITY.fullmatch(key)) and said[key] == "no-drop"]
        on = "priority-flow-control on"
        value = ",".join(sorted(paused)) if said.get(on) == "yes" else ""
        yield Fact(Matter.PFC, name, value or "none", ((profile,), (section, "service-profile")))
        for matter, (shown, keys) in maps.items():
            yield Fact(matter, name, shown, keys)
    router = tree.get(_ROUTER)
    yield from _sessions(router) if isinstance(router, dict) else ()


def _numbered(tree: Tree, pattern: re.Pattern[str]) -> tuple[str, tuple[tuple[str, ...], ...]]:
    """A map of the whole switch in one line, and its lines."""
    found = {match[1]: (key, value) for key, value in tree.items() if (match := pattern.fullmatch(key))}
    shown = pairs({number: value for number, (_, value) in found.items()})
    return shown or "none", tuple((key,) for key, _ in found.values())


def _sessions(router: Tree) -> Iterator[Fact]:
    if "number" in router:
        yield Fact(Matter.ASN, "", str(router["number"]), ((_ROUTER, "number"),))
    for key, value in router.items():
        if named := _NEIGHBOR.fullmatch(key):
            yield Fact(Matter.PEER_ASN, named[1], str(value), ((_ROUTER, key),))
        elif (named := _INTERFACE.fullmatch(key)) and " remote-as " in f" {value}":
            yield Fact(Matter.PEER_ASN, named[1], str(value).rpartition("remote-as ")[2].split()[0], ((_ROUTER, key),))
