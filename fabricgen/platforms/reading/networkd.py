"""Files of systemd-networkd beside those that netplan writes for it, in the steps of a netplan file.

netplan writes ``/run/systemd/network/10-netplan-NAME.network``. A drop-in changes single settings of it; of several
files that match an interface, networkd takes the first by name, and no setting of any other.
systemd.network(5); netplan 0.104, src/networkd.c.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import Any

from fabricgen.platforms.reading import unit_files
from fabricgen.platforms.reading.reader import Tree, look_up

_DROP_IN = re.compile(r"10-netplan-(.+)\.network\.d")
_DHCP = {"yes": ("4", "6"), "true": ("4", "6"), "ipv4": ("4",), "ipv6": ("6",), "no": (), "false": ()}
_LINK_LOCAL = {"yes": ["ipv4", "ipv6"], "ipv4": ["ipv4"], "ipv6": ["ipv6"], "no": []}


def read_merged(text: str, path: str) -> Tree:
    """Read a drop-in of netplan's file of an interface, or a file that networkd may take in its place."""
    file = PurePosixPath(path)
    tree = unit_files.read(text)
    drop_in = _DROP_IN.fullmatch(file.parent.name)
    if drop_in:
        found: dict[str, Any] = {drop_in[1]: _settings(tree)}
    else:
        names = [name for line in look_up(tree, "Match").get("Name", []) for name in line.split()]
        found = {name: f"as {path} has it" for name in names if file.name <= f"10-netplan-{name}.network"}
    return {"network": dict.fromkeys(("ethernets", "bonds"), found)}


def _settings(tree: Tree) -> Tree:
    """Return what a drop-in sets, in the words of netplan."""
    link, network = look_up(tree, "Link"), look_up(tree, "Network")
    settings: Tree = {}
    if "MTUBytes" in link:
        settings["mtu"] = link["MTUBytes"]
    families = _DHCP.get(str(network.get("DHCP", "")).lower())
    if families is not None:
        settings |= {f"dhcp{family}": family in families for family in "46"}
    if "IPv6AcceptRA" in network:
        settings["accept-ra"] = network["IPv6AcceptRA"]
    if network.get("LinkLocalAddressing") in _LINK_LOCAL:
        settings["link-local"] = _LINK_LOCAL[network["LinkLocalAddressing"]]
    addresses = [*network.get("Address", []), *look_up(tree, "Address").get("Address", [])]
    return settings | ({"addresses": addresses} if addresses else {})
