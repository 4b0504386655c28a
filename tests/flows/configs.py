"""Rendered EOS and netplan files as text: addresses, sessions, policies, bonds and timers. Nothing of the product."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import NamedTuple

Block = tuple[int, int]
"""First address and length of a prefix of IPv4."""
Marks = frozenset[str]
"""Communities of a route."""


def block(text: str) -> Block:
    """Return a prefix from ``address/length``."""
    found = ip_network(text, strict=False)
    return int(found.network_address), found.prefixlen


def covers(outer: Block, inner: Block) -> bool:
    return outer[1] <= inner[1] and (outer[0] ^ inner[0]) >> (32 - outer[1]) == 0


Rules = tuple[tuple[Block, int, int], ...]
"""Prefixes of a list that permits them, each with the shortest and longest length."""


class Entry(NamedTuple):
    """One entry of a route map; lists are names, empty where it does not ask."""

    permit: bool
    prefixes: str
    community: str
    adds: str


class Clause(NamedTuple):
    """An entry of a policy by what its lists hold; None where it does not ask."""

    permit: bool
    rules: Rules | None
    community: str | None
    adds: str


class Policy:
    """A route map or prefix list; one stands for all with the same clauses, whatever switch they are on."""

    def __init__(self, clauses: tuple[Clause, ...]) -> None:
        self._clauses = clauses
        self._known: dict[tuple[Block, Marks], Marks | None] = {}

    def passes(self, route: Block, marks: Marks) -> Marks | None:
        """Return the communities with which a route passes; None where it is denied."""
        key = route, marks
        if key not in self._known:
            self._known[key] = self._pass(route, marks)
        return self._known[key]

    def _pass(self, route: Block, marks: Marks) -> Marks | None:
        for clause in self._clauses:
            listed = clause.rules is None or permits(clause.rules, route)
            if listed and (clause.community is None or clause.community in marks):
                return (marks | {clause.adds} if clause.adds else marks) if clause.permit else None
        return None


def permits(rules: Rules, route: Block) -> bool:
    return any(covers(inside, route) and low <= route[1] <= high for inside, low, high in rules)


@dataclass
class Switch:
    """A switch as its startup-config has it.

    ``ports``: own address of every routed port. ``asn_of``: AS number of each neighbour by its address; ``group_of``
    its peer group, ``list_of`` its prefix list. ``maps_of``: route maps of a peer group, inwards and outwards.
    ``bonds``: host and port at the other end of each Port-Channel; ``host_len``: length of a host's route. ``bfd_ms``:
    detection time of BFD; 0 without.
    """

    name: str
    asn: int = 0
    ports: list[int] = field(default_factory=list)
    asn_of: dict[int, int] = field(default_factory=dict)
    group_of: dict[int, str] = field(default_factory=dict)
    list_of: dict[int, str] = field(default_factory=dict)
    maps_of: dict[str, dict[str, str]] = field(default_factory=dict)
    lists: dict[str, list[tuple[Block, int, int]]] = field(default_factory=dict)
    communities: dict[str, str] = field(default_factory=dict)
    maps: dict[str, list[Entry]] = field(default_factory=dict)
    networks: set[Block] = field(default_factory=set)
    subnet: Block | None = None
    exports: bool = False
    host_len: int = 32
    bonds: list[tuple[str, str]] = field(default_factory=list)
    bfd_ms: int = 0

    def clauses(self, name: str) -> tuple[Clause, ...]:
        """Return the clauses of a route map; a list that is not there is a fault of the file."""
        return tuple(
            Clause(
                entry.permit,
                tuple(self.lists[entry.prefixes]) if entry.prefixes else None,
                self.communities[entry.community] if entry.community else None,
                entry.adds,
            )
            for entry in self.maps[name]
        )

    def permitted(self, name: str) -> tuple[Clause, ...]:
        """Return a prefix list as clauses."""
        return (Clause(True, tuple(self.lists[name]), None, ""),)


_RULE = re.compile(r"   seq \d+ permit (\S+)(?: ge (\d+) le (\d+))?")
_NEIGHBOR = re.compile(r" +neighbor (\S+) (remote-as|peer group|prefix-list|route-map) (\S+)(?: (in|out))?")


def read_switch(path: Path) -> Switch:
    """Read the startup-config of a switch, section by section."""
    switch = Switch(path.name)
    text = (path / "mnt/flash/startup-config").read_text()
    for section in filter(None, re.split(r"^(?=\S)", text, flags=re.MULTILINE)):
        head, *lines = section.splitlines()
        words = head.split()
        if words[:1] == ["interface"]:
            _interface(switch, words[1], lines)
        elif words[:2] == ["ip", "community-list"]:
            switch.communities[words[2]] = words[4]
        elif words[:2] == ["ip", "prefix-list"]:
            switch.lists[words[2]] = [_listed(line) for line in lines if line.strip()]
        elif words[:1] == ["route-map"]:
            switch.maps.setdefault(words[1], []).append(_entry(words[2] == "permit", lines))
        elif words[:2] == ["router", "bfd"]:
            every, times = re.findall(r"interval (\d+) min-rx \d+ multiplier (\d+)", section)[0]
            switch.bfd_ms = int(every) * int(times)
        elif words[:2] == ["router", "bgp"]:
            switch.asn = int(words[2])
            _speaker(switch, lines)
    if switch.bonds and switch.host_len < 32:
        (switch.subnet,) = (each for each in switch.networks if each[1] < 32)
    return switch


def _interface(switch: Switch, name: str, lines: list[str]) -> None:
    said = {line.strip() for line in lines}
    addresses = [line.split()[1] for line in (each.removeprefix("ip ") for each in said) if line.startswith("address ")]
    if name.startswith("Port-Channel"):
        host, port = next(line for line in said if line.startswith("description ")).split()[1].split(":")
        switch.bonds.append((host, port))
        switch.host_len = 31 if addresses else 32
    elif name.startswith("Vlan"):
        switch.subnet = block(addresses[0])
        switch.exports = "ip attached-host route export 19" in said
    elif name.startswith("Ethernet"):
        switch.ports += [int(ip_address(text.split("/")[0])) for text in addresses]


def _listed(line: str) -> tuple[Block, int, int]:
    found = _RULE.fullmatch(line)
    assert found, line
    inside = block(found[1])
    return inside, int(found[2] or inside[1]), int(found[3] or inside[1])


def _entry(permit: bool, lines: list[str]) -> Entry:
    text = "\n".join(lines)
    found = [re.search(rule, text) for rule in (r"prefix-list (\S+)", r"match community (\S+)", r"set community (\S+)")]
    return Entry(permit, *(each[1] if each else "" for each in found))


def _speaker(switch: Switch, lines: list[str]) -> None:
    for line in lines:
        found = _NEIGHBOR.match(line)
        if found:
            who, what, value, way = found.groups()
            if what == "route-map":
                switch.maps_of.setdefault(who, {})[way] = value
            elif what == "remote-as":
                switch.asn_of[int(ip_address(who))] = int(value)
            elif what == "peer group":
                switch.group_of[int(ip_address(who))] = value
            else:
                switch.list_of[int(ip_address(who))] = value
        elif line.strip() == "redistribute connected route-map HOSTS":
            switch.exports = True
        elif line.strip().startswith("network "):
            switch.networks.add(block(line.split()[1]))


class HostBond(NamedTuple):
    """A bond of a host: its rail, ports and address, and how long a silent leg lasts."""

    host: str
    rail: str
    ports: tuple[str, ...]
    address: int
    lacp_ms: int


_BOND = re.compile(r"^    (rail\d+):\n(?:      .*\n)*?      interfaces: \[(.*)\]\n((?:      .*\n)*)", re.MULTILINE)


def read_host(path: Path) -> list[HostBond]:
    """Read the bonds of a host's netplan file; LACP counts three periods: a second if fast, else thirty."""
    text = (path / "etc/netplan/60-fabricgen.yaml").read_text()
    found = []
    for rail, ports, rest in _BOND.findall(text[text.index("\n  bonds:") :]):
        address = re.search(r"addresses:\s+- ([\d.]+)/", rest)
        assert address, rest
        lacp_ms = 3000 if "lacp-rate: fast" in rest else 90_000
        found.append(HostBond(path.name, rail, tuple(ports.split(", ")), int(ip_address(address[1])), lacp_ms))
    return found
