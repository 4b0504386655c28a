"""Files of netplan: truth values in all of their spellings, and interfaces that are matched in place of named.

netplan takes texts for truth values whatever their case and quotes; it writes ``10-netplan-ID.network`` and ``.link``
for each definition, and of several that match an interface systemd takes the first by name, with no setting of any
other. A drop-in changes single settings of netplan's own file. netplan 0.106, parse.c and ``netplan get``; netplan
0.104, src/networkd.c; systemd.network(5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from fabricgen.platforms.reading import unit_files
from fabricgen.platforms.reading.file_format import FileFormat, write_yaml
from fabricgen.platforms.reading.patterns import matches
from fabricgen.platforms.reading.reader import Tree, look_up, read_yaml

_DROP_IN = re.compile(r"10-netplan-(.+)\.network\.d")
_DHCP = {"yes": ("4", "6"), "true": ("4", "6"), "ipv4": ("4",), "ipv6": ("6",), "no": (), "false": ()}
_KINDS = ("ethernets", "bonds")
_LINK_LOCAL = {"yes": ["ipv4", "ipv6"], "ipv4": ["ipv4"], "ipv6": ["ipv6"], "no": []}
_TRUTH = dict.fromkeys(("true", "on", "yes", "y"), True) | dict.fromkeys(("false", "off", "no", "n"), False)
_NETWORKD = "etc/systemd/network/"


def read(text: str) -> Tree:
    """Read a file; a text that netplan takes for a truth value is one."""
    return {key: _settle(value) for key, value in read_yaml(text).items()}


def _settle(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _settle(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_settle(item) for item in value]
    return _TRUTH.get(value.lower(), value) if isinstance(value, str) else value


def read_merged(text: str, path: str, ours: Tree) -> Tree:
    """Read a file of others: definitions by name, and whole in the place of ours that they match and come before."""
    if path.startswith(_NETWORKD):
        return _read_networkd(text, path, ours)
    network: Tree = {}
    for kind, definitions in look_up(read(text), "network").items():
        if not isinstance(definitions, dict):
            network[kind] = definitions
            continue
        own = look_up(ours, "network", kind)
        found = network[kind] = {name: each for name, each in definitions.items() if not _is_matched(name, each, own)}
        for name, each in definitions.items():
            pattern = _name_matched(each) if _is_matched(name, each, own) else ""
            later = (ourselves for ourselves in own if matches(pattern, ourselves) and _is_first(name, ourselves))
            found |= {ourselves: f"as {name} of {path} has it" for ourselves in later if pattern}
    return {"network": network}


def list_unjudged(text: str, path: str, ours: Tree) -> Iterator[str]:
    """Yield what of a file of others may concern an interface of ours, in words that complete "FILE: …"."""
    if path.startswith(_NETWORKD):
        yield from _list_networkd(text, path, ours)
        return
    for kind, definitions in look_up(read(text), "network").items():
        own = look_up(ours, "network", kind)
        for name, each in definitions.items() if isinstance(definitions, dict) else ():
            if name in own and isinstance(each, dict) and "match" in each:
                yield f"it gives {name} a match, so what {name} of ours configures depends on it; that is not judged"
            elif _is_matched(name, each, own) and not _name_matched(each) and any(_is_first(name, it) for it in own):
                keys = " and ".join(each["match"])
                yield f"{name} matches interfaces by {keys}; whether ours are among them is not judged"


def _is_matched(name: str, definition: Any, own: Mapping[str, Any]) -> bool:
    """Return whether a definition is of interfaces that it matches, and not one of ours by its name."""
    return name not in own and isinstance(definition, dict) and isinstance(definition.get("match"), dict)


def _name_matched(definition: Tree) -> str:
    """Return the name, or its pattern, of the interfaces of a definition; empty if it is not known."""
    match = definition["match"]
    return str(definition.get("set-name") or (match["name"] if match.keys() == {"name"} else ""))


def _is_first(name: str, other: str) -> bool:
    """Return whether systemd takes the file of one definition before that of another."""
    return f"{name}.network" < f"{other}.network"


def _read_networkd(text: str, path: str, ours: Tree) -> Tree:
    """Read a drop-in of netplan's file of an interface, or a file that networkd may take in its place."""
    file = PurePosixPath(path)
    tree = unit_files.read(text)
    drop_in = _DROP_IN.fullmatch(file.parent.name)
    if drop_in:
        found: dict[str, Any] = {drop_in[1]: _settings(tree)}
    else:
        found = {name: f"as {path} has it" for name in _list_later(path, ours) if _is_named(tree, name)}
    return {"network": dict.fromkeys(_KINDS, found)}


def _list_networkd(text: str, path: str, ours: Tree) -> Iterator[str]:
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


NETPLAN = FileFormat(read, write_yaml, read_merged=read_merged, list_unjudged=list_unjudged)
"""The format, with files of systemd-networkd among those that are merged."""
