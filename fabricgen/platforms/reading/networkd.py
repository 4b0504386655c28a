"""Files of systemd-networkd beside those that netplan writes for it, in the steps of a netplan file.

netplan writes ``/run/systemd/network/10-netplan-NAME.network``. A drop-in changes single settings of it; of several
files that match an interface, networkd takes the first by name, and no setting of any other.
systemd.network(5); netplan 0.104, src/networkd.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import Any

from fabricgen.platforms.reading import unit_files
from fabricgen.platforms.reading.patterns import matches
from fabricgen.platforms.reading.reader import Tree, look_up

_DROP_IN = re.compile(r"10-netplan-(.+)\.network\.d")
_DHCP = {"yes": ("4", "6"), "true": ("4", "6"), "ipv4": ("4",), "ipv6": ("6",), "no": (), "false": ()}
_KINDS = ("ethernets", "bonds")
_LINK_LOCAL = {"yes": ["ipv4", "ipv6"], "ipv4": ["ipv4"], "ipv6": ["ipv6"], "no": []}


def read_merged(text: str, path: str, ours: Tree) -> Tree:
    """Read a drop-in of netplan's file of an interface, or a file that networkd may take in its place."""
    file = PurePosixPath(path)
    tree = unit_files.read(text)
    drop_in = _DROP_IN.fullmatch(file.parent.name)
    if drop_in:
        found: dict[str, Any] = {drop_in[1]: _settings(tree)}
    else:
        found = {name: f"as {path} has it" for name in _list_later(path, ours) if _is_named(tree, name)}
    return {"network": dict.fromkeys(_KINDS, found)}


def list_unjudged(text: str, path: str, ours: Tree) -> Iterator[str]:
    """Yield why it is not known whether a file is of an interface of ours, in words that complete "FILE: …"."""
    match = look_up(unit_files.read(text), "Match")
    keys = [key for key in match if key != "Name" or any("!" in line for line in match[key])]
    if keys and not _DROP_IN.fullmatch(PurePosixPath(path).parent.name) and any(_list_later(path, ours)):
        yield f"it matches interfaces by {' and '.join(keys)}; whether ours are among them is not judged"


def _list_later(path: str, ours: Tree) -> Iterator[str]:
    """Yield interfaces of ours whose files networkd takes after a file of others, if that matches them."""
    file = PurePosixPath(path)
    for name in (name for kind in _KINDS for name in look_up(ours, "network", kind)):
        if file.name <= f"10-netplan-{name}{file.suffix}":
            yield name


def _is_named(tree: Tree, name: str) -> bool:
    """Return whether a file matches an interface by its name and by nothing else."""
    match = look_up(tree, "Match")
    words = [word for line in match.get("Name", []) for word in line.split()]
    return match.keys() == {"Name"} and any(matches(word, name) for word in words)


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
