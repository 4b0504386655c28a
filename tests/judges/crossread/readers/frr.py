"""A plain Linux router: frr.conf, netplan, sysctl and the rehearsed script that sets its ports up → neutral facts."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from functools import reduce
from math import gcd
from typing import Any

from ..facts import Bond, Device, Interface, Qos, address
from ..rehearsal import Rehearsal, Stage, code_of, rehearse
from ..text.frr import adopt_frr
from ..text.netplan import bonds_with, cables, load_network
from ..text.sysctl import read_sysctl
from ..tree import Files, Reader

FRR = "etc/frr/frr.conf"
DAEMONS = "etc/frr/daemons"
NETPLAN = "etc/netplan/60-fabricgen.yaml"
SYSCTL = "etc/sysctl.d/90-fabricgen.conf"
SCRIPT = "usr/local/sbin/fabricgen-port"
RULES = "etc/udev/rules.d/70-fabricgen-ports.rules"
UNIT = "etc/systemd/system/fabricgen-port@.service"
LOOPBACK, MANAGEMENT = "lo", "eth0"
TOOLS = ("dcb", "devlink", "ethtool", "tc")
PRIORITIES = range(8)
LACKS = frozenset({"watchdog", "watchdog_timers"})
"""The kernel has no PFC watchdog."""

FORWARDING = {
    "net.ipv4.ip_forward": "1",
    "net.ipv6.conf.all.forwarding": "1",
    "net.ipv4.fib_multipath_hash_policy": "1",
    "net.ipv6.fib_multipath_hash_policy": "1",
}
"""Without these a router is none, or sends all flows of two hosts over one link."""


def _ports(path: str, text: str, device: Device) -> None:
    """Interfaces, loopback and management of the netplan file."""
    network, cabled = load_network(path, text, device), cables(text)
    vrf: dict[str, Any] = network.get("vrfs", {})
    for name, row in network.get("ethernets", {}).items():
        addresses = [address(text) for text in row.get("addresses", [])]
        if name == LOOPBACK:
            device.loopbacks = addresses
        elif name == MANAGEMENT:
            device.management = addresses
            device.management_gateway = "".join(route["via"] for route in row.get("routes", []))
            tables = {route.get("table") for route in row.get("routes", [])}
            if not any(MANAGEMENT in v["interfaces"] and tables == {v["table"]} for v in vrf.values()):
                device.say(f"{path}: management is not kept apart in a VRF")
        else:
            peer, _, port = cabled.get(name, "").partition(" ")
            device.interfaces[name] = Interface(
                name,
                addresses=addresses,
                mtu=int(row.get("mtu", 1500)),
                up=True,
                link_local="ipv6" in row.get("link-local", ["ipv6"]),
                description=cabled.get(name, ""),
                neighbor=(peer, port) if port else None,
            )
    for name, row in network.get("bonds", {}).items():
        _bond(path, name, row, bonds_with(text).get(name, ""), device)


def _bond(path: str, name: str, row: dict[str, Any], described: str, device: Device) -> None:
    """A bond with a host: the kernel's LACP system id is the bond's MAC address, its key follows from the speed."""
    parameters, members = row.get("parameters", {}), list(row.get("interfaces", []))
    if parameters.get("mode") != "802.3ad" or not parameters.get("mii-monitor-interval"):
        device.say(f"{path}: {name} is no LACP bond that watches its ports")
    mac = str(row.get("macaddress", ""))
    addresses = [address(text) for text in row.get("addresses", [])]
    device.bonds[name] = Bond(
        name,
        members,
        addresses=addresses,
        system_id=mac,
        gateways=frozenset(each.text for each in addresses),
        gateway_mac=mac,
        is_routed=True,
        is_fast=parameters.get("lacp-rate") == "fast",
        description=described,
    )
    for port in members:
        member = device.interfaces.get(port)
        if member is None or member.addresses or member.bond or member.mtu != int(row.get("mtu", 1500)):
            device.say(f"{path}: {port} of {name} is not there, has addresses, another bond or another MTU")
        else:
            member.bond = name


def _kernel(text: str, device: Device) -> None:
    """Forwarding and hashing."""
    said = read_sysctl(SYSCTL, text, device)
    for key, wanted in FORWARDING.items():
        if said.get(key) != wanted:
            device.say(f"{SYSCTL}: {key} is {said.get(key, 'not set')}, not {wanted}")
    device.hash_identity = f"seed {said.get('net.ipv4.fib_multipath_hash_seed', 'of the kernel')}"


def read_routing(text: str, daemons: str, device: Device) -> None:
    """BGP, and that its daemon runs."""
    routing = adopt_frr(text, device)
    if routing.hostname != device.name:
        device.say(f"frr.conf: hostname is {routing.hostname or 'not set'}")
    running = {line.partition("=")[0] for line in daemons.splitlines() if line.endswith("=yes")}
    for daemon, wanted in (("bgpd", routing.bgp is not None), ("bfdd", " bfd" in text)):
        if wanted and daemon not in running:
            device.say(f"{DAEMONS}: {daemon} does not run")


class _Script:
    """Settings of every port after the rehearsed script."""

    def __init__(self, done: Rehearsal, device: Device) -> None:
        self.device, self.done = device, done
        self.bands: dict[str, list[int]] = {}

    def calls(self, tool: str, *first: str) -> Iterator[list[str]]:
        return (words for words in self.done.calls[tool] if tuple(words[: len(first)]) == first)

    def of_ports(self, tool: str, *first: str) -> Iterator[tuple[Interface, list[str]]]:
        for words in self.calls(tool, *first):
            name = words[words.index("dev") + 1] if "dev" in words else words[1]
            if name in self.device.interfaces:
                yield self.device.interfaces[name], words
            else:
                self.device.say(f"{SCRIPT}: sets {name}, which netplan does not bring up")

    def read(self) -> None:
        """Fill speed, FEC and treatment of traffic of every port."""
        for port in self.device.interfaces.values():
            port.qos = Qos(tc_to_queue={p: p for p in PRIORITIES}, pfc_to_queue={p: p for p in PRIORITIES})
        self.links()
        for port, words in self.of_ports("dcb"):
            self.dcb(port.qos, words)
        for kind, act in (("ets", self.ets), ("red", self.red)):
            for port, words in self.of_ports("tc", "qdisc", "replace"):
                if kind in words:
                    act(port, words)

    def links(self) -> None:
        """Speed and FEC; that every part of a cage comes from a split."""
        for port, words in self.of_ports("ethtool", "-s"):
            port.speed_gbps = int(words[words.index("speed") + 1]) // 1000
            port.autoneg = words[words.index("autoneg") + 1]
        for port, words in self.of_ports("ethtool", "--set-fec"):
            port.fec = words[words.index("encoding") + 1]
        parts = {words[2]: int(words[4]) for words in self.calls("devlink", "port", "split")}
        for name in self.device.interfaces:
            whole, _, number = name.rpartition("s")
            if number.isdigit() and not int(number) < parts.get(whole, 0):
                self.device.say(f"{name}: {whole} is split into {parts.get(whole, 'no')} parts")

    @staticmethod
    def dcb(qos: Qos, words: list[str]) -> None:
        """One call of dcb: keywords, each with pairs of a number and a value."""
        keyword, said = "", dict[str, dict[int, str]]()
        for word in words[words.index("dev") + 2 :]:
            number, colon, value = word.partition(":")
            if not colon:
                keyword = word
                continue
            for index in PRIORITIES if number == "all" else (int(number),):
                said.setdefault(keyword, {})[index] = value
        qos.dscp_to_tc |= {n: int(v) for n, v in said.get("dscp-prio", {}).items()}
        qos.tc_to_pg |= {n: int(v) for n, v in said.get("prio-buffer", {}).items()}
        qos.headroom |= {n for n, v in said.get("buffer-size", {}).items() if int(v) > 0}
        qos.pfc |= {n for n, v in said.get("prio-pfc", {}).items() if v == "on"}

    def ets(self, port: Interface, words: list[str]) -> None:
        """Bands to priorities; weights as small whole numbers."""
        strict = int(words[words.index("strict") + 1])
        quanta = [int(word) for word in words[words.index("quanta") + 1 : words.index("priomap")]]
        unit = reduce(gcd, quanta)
        for priority, word in enumerate(words[words.index("priomap") + 1 :]):
            band = int(word)
            port.qos.scheduler[priority] = "strict" if band < strict else quanta[band - strict] // unit
        port.qos.tc_to_pg = port.qos.tc_to_pg or dict.fromkeys(PRIORITIES, 0)
        self.bands[port.name] = [int(word) for word in words[words.index("priomap") + 1 :]]

    def red(self, port: Interface, words: list[str]) -> None:
        """Marking of one band."""
        band = int(words[words.index("parent") + 1].partition(":")[2]) - 1
        value = {name: words[words.index(name) + 1] for name in ("min", "max", "probability")}
        if "ecn" in words:
            marks = (int(value["min"]), int(value["max"]), round(float(value["probability"]) * 100))
            port.qos.ecn[self.bands[port.name].index(band)] = marks


def _rehearse(script: str, device: Device) -> None:
    whole = {name.rpartition("s")[0] for name in device.interfaces} - {"", "w"}
    folders = tuple(f"class/net/{name}" for name in sorted({*device.interfaces, *whole}))
    try:
        done = rehearse(code_of(script), (), Stage(tuple((tool, "") for tool in TOOLS), (), folders))
    except (PermissionError, subprocess.TimeoutExpired) as error:
        device.say(f"{SCRIPT}: {error}")
        return
    if done.status:
        device.say(f"{SCRIPT}: ends with {done.status}: {done.complaint}")
    _Script(done, device).read()


def read(files: Files, device: Device) -> bool:
    text, network = files.text(FRR), files.text(NETPLAN)
    if text is None or network is None:
        return False
    device.lacks = LACKS
    _ports(NETPLAN, network, device)
    _kernel(files.text(SYSCTL) or "", device)
    read_routing(text, files.text(DAEMONS) or "", device)
    _rehearse(files.text(SCRIPT) or "exit 1", device)
    for path, wanted in ((RULES, "fabricgen-port@"), (UNIT, f"/{SCRIPT}")):
        if wanted not in (files.text(path) or ""):
            device.say(f"{path}: does not start {wanted}")
    for folder in ("etc/chrony/conf.d/", "etc/rsyslog.d/", "etc/systemd/resolved.conf.d/"):
        files.under(folder, ".conf")
    return True


READER = Reader("switch", read)
