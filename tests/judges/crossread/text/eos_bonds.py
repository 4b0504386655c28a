"""Arista EOS: port channels, their VLAN and LACP → the bonds of a switch."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..facts import Address, Bond, Device, address
from .indented import Block

LIFETIMES = {32: 14400, 128: 14400}
"""Seconds that EOS keeps a neighbour by default, by address length."""
MAC_AGING_S = 300

HARMLESS = re.compile(
    r"description |no shutdown|logging event |ipv6 nd cache refresh always|service-policy type qos input "
    r"|(no )?switchport|service-profile |spanning-tree portfast|link tracking group \S+ \w+"
)
"""Lines of a port channel or VLAN interface that decide nothing about its bond."""


IPV4 = 32
FAMILIES = {"ip": IPV4, "ipv6": 128}
"""First word of an address command, and the length of its addresses."""
SIDELINES = re.compile(r"vlan \d+$|link tracking group \S+$|no ip(v6)? icmp redirect$")
"""Top-level commands beside bonds that decide nothing about them."""


@dataclass(slots=True)
class _Vlan:
    """An interface of a VLAN as written."""

    addresses: list[Address] = field(default_factory=list)
    gateways: set[str] = field(default_factory=set)
    mtu: int = 1500
    answers_arp: bool = False
    exported: set[int] = field(default_factory=set)
    lifetimes: dict[int, int] = field(default_factory=lambda: dict(LIFETIMES))

    @property
    def families(self) -> set[int]:
        """Address lengths of the families that the VLAN has."""
        return {found.subnet.bits for found in self.addresses}


class Channels:
    """Port channels of a startup-config; ``finish`` makes the bonds of it."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        self.eager: set[str] = set()
        self.rows: dict[int, dict[str, str]] = {}
        self.own: dict[int, list[Address]] = {}
        self.vlans: dict[int, _Vlan] = {}
        self.port_ids = (0, 0)
        self.gateway_mac = ""
        self.unknown: list[str] = []
        self.mac_aging_s = MAC_AGING_S

    def member_line(self, port: str, words: list[str]) -> bool:
        """A line of an Ethernet port, if it is about its port channel."""
        if words[0] == "channel-group":
            self.numbers[port] = int(words[1])
            if words[2:] != ["mode", "active"]:
                self.unknown.append(f"{port}: {' '.join(words)}")
        elif words[:3] == ["lacp", "timer", "fast"]:
            self.eager.add(port)
        else:
            return words[:3] == ["link", "tracking", "group"]
        return True

    def top(self, block: Block) -> bool:
        """A top-level command, if it is about bonds."""
        words = block.words
        if words[0] == "interface" and words[1].startswith("Port-Channel"):
            self._channel(int(words[1].removeprefix("Port-Channel")), block.below)
        elif words[0] == "interface" and words[1].startswith("Vlan"):
            self._vlan(int(words[1].removeprefix("Vlan")), block.below)
        elif words[:2] == ["mac", "address-table"]:
            self.mac_aging_s = int(words[3])
        elif words[:2] == ["lacp", "port-id"]:
            self.port_ids = (int(words[3]), int(words[4]))
        elif words[:3] == ["ip", "virtual-router", "mac-address"]:
            self.gateway_mac = words[3]
        else:
            return bool(SIDELINES.match(block.line))
        return True

    def _channel(self, number: int, below: list[Block]) -> None:
        row = self.rows.setdefault(number, {})
        own = self.own.setdefault(number, [])
        for child in below:
            if child.words[:3] == ["switchport", "access", "vlan"]:
                row["vlan"] = child.words[3]
            elif child.words[:2] == ["lacp", "system-id"]:
                row["system"] = child.words[2]
            elif child.words[:2] == ["storm-control", "unknown-unicast"]:
                row["guard"] = child.line
            elif child.words[0] in FAMILIES and child.words[1] == "address":
                own.append(address(child.words[2]))
            elif child.words[0] in ("mtu", "mac-address"):
                row[child.words[0]] = child.words[1]
            elif child.words[0] == "description":
                row["description"] = child.line.partition(" ")[2]
            elif not HARMLESS.match(child.line):
                self.unknown.append(f"Port-Channel{number}: {child.line}")

    def _floods(self, name: str, vlan: _Vlan, row: dict[str, str]) -> str:
        """Return why packets to a silent host of a bond would be flooded."""
        oldest = max((vlan.lifetimes[bits] for bits in vlan.families), default=0)
        if self.mac_aging_s and oldest >= self.mac_aging_s:
            return f"forgets MACs after {self.mac_aging_s} s, their hosts after {oldest} s"
        return "" if "guard" in row else f"floods unknown unicast at {name} without limit"

    def _vlan(self, number: int, below: list[Block]) -> None:
        vlan = self.vlans.setdefault(number, _Vlan())
        for child in below:
            words = child.words
            if words[0] in FAMILIES and words[1] == "address":
                vlan.addresses.append(address(words[2]))
            elif words[0] in FAMILIES and words[1:3] == ["virtual-router", "address"]:
                vlan.gateways.add(words[3])
            elif words[0] == "mtu":
                vlan.mtu = int(words[1])
            elif words[:3] == ["arp", "aging", "timeout"] or words[:4] == ["ipv6", "nd", "cache", "expire"]:
                vlan.lifetimes[FAMILIES["ip" if words[0] == "arp" else "ipv6"]] = int(words[-1])
            elif child.line == "ip local-proxy-arp":
                vlan.answers_arp = True
            elif words[0] in FAMILIES and words[1:4] == ["attached-host", "route", "export"]:
                vlan.exported.add(FAMILIES[words[0]])
            elif not HARMLESS.match(child.line):
                self.unknown.append(f"Vlan{number}: {child.line}")

    def finish(self, device: Device) -> None:
        """Put the bonds into the device, and its addresses in their VLANs."""
        for line in self.unknown:
            device.say(f"startup-config: line not understood: {line}")
        for number, vlan in self.vlans.items():
            device.vlans[number] = vlan.addresses
        for number, row in self.rows.items():
            members = sorted(port for port, channel in self.numbers.items() if channel == number)
            own = self.own[number]
            vlan = self.vlans.get(
                int(row.get("vlan", "0")), _Vlan(own, {each.text for each in own}, int(row.get("mtu", "1500")))
            )
            name = f"Port-Channel{number}"
            device.bonds[name] = Bond(
                name,
                members,
                addresses=vlan.addresses,
                key=number,
                system_id=row.get("system", ""),
                port_ids=self.port_ids,
                vlan=int(row.get("vlan", "0")),
                gateways=frozenset(vlan.gateways),
                gateway_mac=row.get("mac-address", "") if own else self.gateway_mac,
                is_routed=bool(own),
                is_fast=set(members) <= self.eager,
                answers_arp=vlan.answers_arp or IPV4 not in vlan.families,
                exports_hosts=vlan.families <= vlan.exported,
                floods="" if own else self._floods(name, vlan, row),
                description=row.get("description", ""),
            )
            for port in members:
                device.interfaces[port].bond, device.interfaces[port].mtu = name, vlan.mtu
        for port, number in self.numbers.items():
            if number not in self.rows:
                device.say(f"{port}: is in Port-Channel{number}, which is not there")
