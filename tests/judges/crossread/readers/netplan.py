"""Ubuntu host: netplan, sysctl, udev rules and units → neutral facts."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from ..facts import Bond, Device, Interface, Route, Rule, address
from ..policy import prefix
from ..text.netplan import cables, load_network
from ..text.sysctl import read_sysctl
from ..tree import Files, Reader

NETPLAN = "etc/netplan/"
UNITS = "etc/systemd/system/"
_KEY = re.compile(r'(\w+)(==|=|\+=)"([^"]*)"')
_SPREADS_ARP = re.compile(r"^ExecStart=\S*/ip link set dev %i type bond broadcast_neighbor on$", re.MULTILINE)
_UNIT = re.compile(r"([\w-]+)@[\w.-]+\.service")


def _read_netplan(path: str, text: str, device: Device) -> None:
    """Interfaces, routes and rules of one netplan file."""
    network, cabled = load_network(path, text, device), cables(text)
    for name, row in network.get("ethernets", {}).items():
        if name in device.interfaces:
            device.say(f"{path}: {name} is configured twice")
        device.interfaces[name] = Interface(
            name,
            addresses=[address(text) for text in row.get("addresses", [])],
            mtu=int(row.get("mtu", 1500)),
            up=True,
            description=cabled.get(name, ""),
        )
    for name, row in network.get("bonds", {}).items():
        _read_bond(path, name, row, device)
    for name, row in {**network.get("ethernets", {}), **network.get("bonds", {})}.items():
        closed = {route["to"] for route in row.get("routes", []) if route.get("type") == "unreachable"}
        for route in row.get("routes", []):
            target = "0.0.0.0/0" if route["to"] == "default" else route["to"]
            if route.get("type") != "unreachable":
                device.routes.append(Route(prefix(target), str(route.get("via", "")), name, int(route.get("table", 0))))
            if {"table", "via"} <= route.keys() and route["to"] not in closed:
                device.say(f"{path}: what binds no address of {name} leaves by the default route towards {target}")
        for field in ("gateway4", "gateway6"):
            if field in row:
                device.routes.append(Route(prefix("0.0.0.0/0"), str(row[field]), name))
        for rule in row.get("routing-policy", []):
            numbers = int(rule.get("table", 0)), name, int(rule.get("priority", 0))
            device.host.rules.append(Rule(prefix(rule["from"]), *numbers))


def _read_networkd(path: str, text: str, files: Files, device: Device) -> None:
    """Rules for lookups by interface of one file of systemd-networkd, on a link that is made for it."""
    made = re.search(r"^Name=(.*)\nKind=bridge$", files.text(path.replace(".network", ".netdev")) or "", re.MULTILINE)
    if made is None or f"[Match]\nName={made[1]}\n" not in text:
        device.say(f"{path}: the link of these rules is not made")
    for section in text.split("[RoutingPolicyRule]\n")[1:]:
        row = dict(line.split("=", 1) for line in section.splitlines() if line)
        if row.keys() != {"From", "OutgoingInterface", "Table", "Priority"}:
            device.say(f"{path}: not a rule by interface: {row}")
            continue
        rule = Rule(prefix(row["From"]), int(row["Table"]), row["OutgoingInterface"], int(row["Priority"]))
        device.host.asked.append(rule)


WANTED_BOND = {"mode": "802.3ad", "mii-monitor-interval": 100, "transmit-hash-policy": "layer3+4", "min-links": 1}
"""Parameters without which a bond is none by LACP, misses a dead link, or keeps a flow's packets on one port."""


def _read_bond(path: str, name: str, row: dict[str, Any], device: Device) -> None:
    parameters = row.get("parameters", {})
    device.bonds[name] = Bond(
        name,
        list(row.get("interfaces", [])),
        addresses=[address(text) for text in row.get("addresses", [])],
        is_fast=parameters.get("lacp-rate") == "fast",
    )
    for key, value in WANTED_BOND.items():
        if parameters.get(key) != value:
            device.say(f"{path}: {name}: {key} is {parameters.get(key)}, not {value}")
    for port in row.get("interfaces", []):
        if port not in device.interfaces:
            device.say(f"{path}: {name} bonds {port}, which is not there")
            continue
        member = device.interfaces[port]
        if member.addresses or member.bond:
            device.say(f"{path}: {port} is a port of {name}, and has an address or another bond")
        if member.mtu != int(row.get("mtu", 1500)):
            device.say(f"{path}: {port} has MTU {member.mtu}, its bond {name} {row.get('mtu')}")
        member.bond = name


def _read_bond_starts(keys: dict[str, str], wanted: re.Match[str] | None, files: Files, device: Device) -> None:
    """Bonds whose ARP goes over every port, because udev starts the unit that says so."""
    bond = device.bonds.get(keys.get("KERNEL", ""))
    if wanted is None or bond is None or wanted[0] != f"{wanted[1]}@{bond.name}.service":
        return
    unit = files.text(f"{UNITS}{wanted[1]}@.service") or ""
    bond.spreads_arp = bool(_SPREADS_ARP.search(unit))


@lru_cache(maxsize=65536)
def _udev_line(line: str) -> tuple[dict[str, str], re.Match[str] | None]:
    """Keys of a rule, and the unit it starts; hosts have most of their lines in common."""
    return {name: value for name, _, value in _KEY.findall(line)}, _UNIT.search(line)


def _read_udev(path: str, text: str, files: Files, device: Device) -> None:
    """Names that udev gives to network and RDMA devices by PCI address."""
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        keys, wanted = _udev_line(line)
        if wanted and f"{UNITS}{wanted[1]}@.service" not in files.paths:
            device.say(f"{path}: starts {wanted[0]}, which is not there")
        if not keys:
            device.say(f"{path}: line not understood: {line}")
        _read_bond_starts(keys, wanted, files, device)
        bdf = keys.get("KERNELS", "")
        name = keys.get("NAME") or keys.get("PROGRAM", "").rpartition("NAME_FIXED ")[2]
        if not bdf or not name:
            continue
        if name in device.host.bdf:
            device.say(f"{path}: {name} is given to {device.host.bdf[name]} and to {bdf}")
        device.host.bdf[name] = bdf


def _pair_rdma(device: Device) -> None:
    """Join the network and the RDMA device that sit at one PCI address."""
    by_bdf: dict[str, list[str]] = {}
    for name, bdf in device.host.bdf.items():
        by_bdf.setdefault(bdf, []).append(name)
    for bdf, names in by_bdf.items():
        interfaces = [n for n in names if n in device.interfaces]
        others = [n for n in names if n not in device.interfaces]
        if len(interfaces) > 1 or len(others) > 1:
            device.say(f"udev gives {bdf} several names: {', '.join(sorted(names))}")
        elif interfaces and others:
            device.host.rdma[interfaces[0]] = others[0]
    for bond in device.bonds.values():
        named = [device.host.rdma[port] for port in bond.members if port in device.host.rdma]
        if len(named) > 1:
            device.say(f"{bond.name}: its ports have {len(named)} RDMA devices, a bond has one")
        device.host.rdma |= {port: named[0] for port in bond.members if named and port in device.host.bdf}


def read(files: Files, device: Device) -> bool:
    plans = files.under(NETPLAN, ".yaml")
    if not plans:
        return False
    for path, text in plans:
        _read_netplan(path, text, device)
    for path, text in files.under("etc/systemd/network/", ".network"):
        _read_networkd(path, text, files, device)
    for path, text in files.under("etc/sysctl.d/", ".conf"):
        device.host.sysctl |= read_sysctl(path, text, device)
    for path, text in files.under("etc/lldpd.d/", ".conf"):
        _read_lldp(path, text, device)
    for path, text in files.under("etc/udev/rules.d/", ".rules"):
        _read_udev(path, text, files, device)
    _pair_rdma(device)
    for path, text in files.under(UNITS, ".service"):
        _read_unit(path, text, files, device)
    return True


def _read_lldp(path: str, text: str, device: Device) -> None:
    """Read a command of lldpd: ``configure``, subject and value."""
    for line in text.splitlines():
        if line and not line.startswith("#"):
            verb, _, rest = line.partition(" ")
            what, _, value = rest.rpartition(" ")
            if verb != "configure" or not what:
                device.say(f"{path}: not a command of lldpd: {line}")
            device.host.lldp[what] = value


def _read_unit(path: str, text: str, files: Files, device: Device) -> None:
    """Require that a program that a unit starts is part of the tree."""
    for found in re.finditer(r"^ExecStart=[-@:+!]*(?:/bin/sh )?(/\S+)", text, re.MULTILINE):
        script = found[1].lstrip("/")
        if script.startswith("usr/local/") and script not in files.paths:
            device.say(f"{path}: starts /{script}, which is not there")


READER = Reader("host", read)
