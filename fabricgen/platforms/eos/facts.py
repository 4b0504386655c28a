"""Facts of a startup-config that the other ends of links rely on, and lines that flood lossless packets to a VLAN.

A bond's leg that sends nothing loses its MAC entry while its ARP entry stays: the switch goes on saying that the host
is here, and floods every packet to it. In a class under PFC that can end in a deadlock.

Source:
    Arista EOS User Manual 4.36: Ethernet Ports, Quality of Service, Border Gateway Protocol.
    Guo et al., RDMA over Commodity Ethernet at Scale, SIGCOMM 2016, section 4.2; Arista EOS User Manual, show
    running-config all of EOS 4.21.7M (batfish/batfish): ARP 14,400 s, MAC 300 s.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from fabricgen.platforms.reading.reader import Tree, is_tree, number_of
from fabricgen.platforms.reading.traffic import Fact, Matter, pairs

MAC_DEFAULT_S, ARP_DEFAULT_S = 300, 14400
"""Lifetimes where nothing is written; that of ND is taken to be ARP's."""
GUARD = "storm-control unknown-unicast"
_UNSET = ("", "no", "yes")
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
        lines = tree.get(profile)
        lines = lines if isinstance(lines, dict) else {}
        paused = [found[1] for key in lines if (found := _PRIORITY.fullmatch(key)) and lines[key] == "no-drop"]
        on = "priority-flow-control on"
        value = ",".join(sorted(paused)) if lines.get(on) == "yes" else ""
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


def list_floods(tree: Tree) -> Iterator[str]:
    """Name each VLAN whose neighbours outlive their MAC entries, and each of its ports without a limit."""
    sections = {name.removeprefix("interface "): part for name, part in tree.items() if name.startswith("interface ")}
    ports = {name: part for name, part in sections.items() if is_tree(part) and "switchport access vlan" in part}
    lossless = {name: part for name, part in ports.items() if _pauses(tree, part)}
    vlans = {str(part["switchport access vlan"]) for part in lossless.values()}
    for number in sorted(vlans, key=int):
        yield from _vlan(tree, f"Vlan{number}", sections.get(f"Vlan{number}"))
    for name, part in sorted(lossless.items()):
        if "channel-group" not in part and str(part.get(GUARD, "")) in _UNSET:
            yield f"{name} has no {GUARD}"


def _vlan(tree: Tree, name: str, part: object) -> Iterator[str]:
    """Neighbours of a VLAN that live as long as their MAC entries; a MAC entry that never ages is safe."""
    mac_s = _seconds(tree, "mac address-table aging-time", MAC_DEFAULT_S)
    if not isinstance(part, dict) or not mac_s:
        return
    lifetimes = []
    if "ip address" in part:
        default_s = _seconds(tree, "arp aging timeout default", ARP_DEFAULT_S)
        lifetimes.append(("ARP", _seconds(part, "arp aging timeout", default_s)))
    if any(key.startswith("ipv6 address") for key in part):
        lifetimes.append(("ND", _seconds(part, "ipv6 nd cache expire", ARP_DEFAULT_S)))
    for what, lifetime_s in lifetimes:
        if lifetime_s >= mac_s:
            yield f"{name} keeps {what} entries for {lifetime_s} s, MAC entries for {mac_s}"


def _seconds(part: Tree, key: str, default: int) -> int:
    value = number_of(part.get(key))
    return default if value is None else value


def _pauses(tree: Tree, port: Tree) -> bool:
    """Return whether the profile of a port has a priority under PFC."""
    profile = tree.get(f"qos profile {port.get('service-profile', '')}")
    return isinstance(profile, dict) and any(
        key.startswith("priority-flow-control priority") and value == "no-drop" for key, value in profile.items()
    )
