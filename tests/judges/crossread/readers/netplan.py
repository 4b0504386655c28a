"""Ubuntu host: netplan, sysctl, udev rules and units → neutral facts."""

from __future__ import annotations

import re

from ..facts import Device, Interface, Route, Rule, address
from ..policy import prefix
from ..text.netplan import cables, load_network
from ..text.sysctl import read_sysctl
from ..tree import Files, Reader

NETPLAN = "etc/netplan/"
UNITS = "etc/systemd/system/"
_KEY = re.compile(r'(\w+)(==|=|\+=)"([^"]*)"')
_UNIT = re.compile(r"([\w-]+)@[\w.-]+\.service")


def _read_netplan(path: str, text: str, device: Device) -> None:
    """Interfaces, routes and rules of one netplan file."""
    try:
        network = load_network(text)
    except ValueError as error:
        device.say(f"{path}: cannot be read: {error}")
        return
    cabled = cables(text)
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
        for route in row.get("routes", []):
            target = "0.0.0.0/0" if route["to"] == "default" else route["to"]
            device.routes.append(Route(prefix(target), str(route.get("via", "")), name, int(route.get("table", 0))))
        for field in ("gateway4", "gateway6"):
            if field in row:
                device.routes.append(Route(prefix("0.0.0.0/0"), str(row[field]), name))
        for rule in row.get("routing-policy", []):
            device.host.rules.append(Rule(prefix(rule["from"]), int(rule.get("table", 0)), name))


def _read_udev(path: str, text: str, files: Files, device: Device) -> None:
    """Names that udev gives to network and RDMA devices by PCI address."""
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        keys = {name: value for name, _, value in _KEY.findall(line)}
        wanted = _UNIT.search(line)
        if wanted and f"{UNITS}{wanted[1]}@.service" not in files.paths:
            device.say(f"{path}: starts {wanted[0]}, which is not there")
        if not keys:
            device.say(f"{path}: line not understood: {line}")
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


def read(files: Files, device: Device) -> bool:
    """Read what one Ubuntu host's operating system is told."""
    plans = files.under(NETPLAN, ".yaml")
    if not plans:
        return False
    for path, text in plans:
        _read_netplan(path, text, device)
    for path, text in files.under("etc/sysctl.d/", ".conf"):
        device.host.sysctl |= read_sysctl(path, text, device)
    for path, text in files.under("etc/udev/rules.d/", ".rules"):
        _read_udev(path, text, files, device)
    _pair_rdma(device)
    for path, text in files.under(UNITS, ".service"):
        _read_unit(path, text, files, device)
    return True


def _read_unit(path: str, text: str, files: Files, device: Device) -> None:
    """That what a unit starts is part of the tree."""
    for found in re.finditer(r"^ExecStart=[-@:+!]*(?:/bin/sh )?(/\S+)", text, re.MULTILINE):
        script = found[1].lstrip("/")
        if script.startswith("usr/local/") and script not in files.paths:
            device.say(f"{path}: starts /{script}, which is not there")


READER = Reader("host", read)
