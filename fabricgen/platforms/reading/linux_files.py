"""Files of a Linux system to trees: settings of sysctl and their kin, units of systemd, netplan.

Settings are one ``key = value`` per line: sysctl.conf, nccl.conf, rccl.conf. A unit has sections of ``Key=value``
lines: a key that systemd gathers from all of its lines is a list, any other the last value; an empty value empties what
came before.

netplan takes texts for truth values whatever their case and quotes; it writes ``10-netplan-ID.network`` and ``.link``
for each definition, and of several that match an interface systemd takes the first by name, with no setting of any
other. A drop-in changes single settings of netplan's own file.

Source:
    sysctl.d(5); systemd.syntax(7), systemd.unit(5), systemd.service(5), resolved.conf(5), systemd.network(5).
    netplan 0.106, parse.c and ``netplan get``; netplan 0.104, src/networkd.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from fabricgen.platforms.reading.file_format import FileFormat, write_yaml
from fabricgen.platforms.reading.reader import Tree, look_up, matches, read_yaml, subtree

_SLASHES = str.maketrans("/.", "./")
_WORDS = re.compile(
    r"Before|After|Wan\w+|Requi\w+|BindsTo|PartOf|Uph\w+|Conflicts|On(Failure|Success)|Also|Alias"
    r"|(Fallback)?(DNS|NTP)|Domains"
)
"""Keys whose lines are lists of words."""
_LISTED = re.compile(r"Exec\w+|(Condition|Assert)\w+|Environment(File)?|PassEnvironment|Documentation|Address|Name")
"""Keys whose lines are items of a list."""
_GATES = re.compile(r"(Condition|Assert)\w+|ExecCondition")
"""Keys by which a unit may not run at all."""
_DROP_IN = re.compile(r"10-netplan-(.+)\.network\.d")
_DHCP = {"yes": ("4", "6"), "true": ("4", "6"), "ipv4": ("4",), "ipv6": ("6",), "no": (), "false": ()}
_KINDS = ("ethernets", "bonds")
_LINK_LOCAL = {"yes": ["ipv4", "ipv6"], "ipv4": ["ipv4"], "ipv6": ["ipv6"], "no": []}
_TRUTH = dict.fromkeys(("true", "on", "yes", "y"), True) | dict.fromkeys(("false", "off", "no", "n"), False)
_NETWORKD = "etc/systemd/network/"


def _settings_of(text: str) -> Iterator[tuple[str, str]]:
    """Yield keys and values; a line without ``=`` sets nothing."""
    for raw in text.split("\n"):
        line = raw.strip()
        key, equals, value = line.partition("=")
        if equals and line[0] not in "#;":
            # systemd lets a dash say that a key may be unknown; it sets the same.
            yield key.strip().removeprefix("-"), value.strip()


def _read_settings(text: str) -> Tree:
    """Read settings: the last of equal keys counts."""
    return dict(_settings_of(text))


def merge_settings(text: str, _path: str, _ours: Tree) -> Tree:
    """Read a file of others: what is no setting sets nothing, and the last of equal keys counts.

    A key of sysctl may have slashes; one with a pattern never overrides a key that is written out. sysctl.d(5).
    """
    tree: Tree = {}
    for key, value in _settings_of(text):
        if "*" not in key:
            tree[key.translate(_SLASHES) if "/" in key.partition(".")[0] else key] = value.strip("\"'")
    return tree


def _write_settings(tree: Tree) -> str:
    """Write settings, one ``key=value`` a line."""
    return "".join(f"{key}={value}\n" for key, value in tree.items())


SETTINGS = FileFormat(_read_settings, _write_settings, read_merged=merge_settings)


def read_unit(text: str) -> Tree:
    """Read a file; what systemd would skip, lines without a section or an equals sign, is skipped."""
    tree: Tree = {}
    section: Tree | None = None
    for line in _unit_lines(text):
        if line.startswith("[") and line.endswith("]"):
            section = subtree(tree, line[1:-1])
            continue
        key, equals, value = (part.strip() for part in line.partition("="))
        if not equals or section is None:
            continue
        if not (_WORDS.fullmatch(key) or _LISTED.fullmatch(key)):
            section[key] = value
        elif not value:
            section[key] = [""]
        else:
            section.setdefault(key, []).extend(value.split() if _WORDS.fullmatch(key) else [value])
    return tree


def _merge_unit(text: str, path: str, _ours: Tree) -> Tree:
    """Read a drop-in: a list begins with an empty item where it takes the place of the unit's own."""
    return read_unit(text) if _is_drop_in(path) else {}


def _list_unjudged_of_unit(text: str, path: str, ours: Tree) -> Iterator[str]:
    """Yield what of a file of others may keep ours from its effect, in words that complete "FILE: …"."""
    if not _is_drop_in(path):
        yield "it takes the place of the unit of ours for one instance; what it does is not judged"
        return
    for name, section in read_unit(text).items():
        for key in section.keys() - look_up(ours, name).keys():
            if _GATES.fullmatch(key):
                yield f"{key} decides whether the unit runs; that is not judged"


def _is_drop_in(path: str) -> bool:
    return PurePosixPath(path).parent.name.endswith(".d")


def _write_unit(tree: Tree) -> str:
    """Write a file, one value a line."""
    parts = []
    for name, section in tree.items():
        parts.append(f"[{name}]")
        for key, value in section.items():
            parts += [f"{key}={item}" for item in (value if isinstance(value, list) else [value])]
    return "".join(f"{line}\n" for line in parts)


def _unit_lines(text: str) -> Iterator[str]:
    """Yield lines without comments, each with those that continue it."""
    kept = ""
    for raw in text.split("\n"):
        line = raw.strip()
        if not line or line[0] in "#;":
            continue
        kept += line
        if kept.endswith("\\"):
            kept = f"{kept[:-1]} "
        else:
            yield kept
            kept = ""
    if kept:
        yield kept.strip()


UNIT = FileFormat(read_unit, _write_unit, read_merged=_merge_unit, list_unjudged=_list_unjudged_of_unit)


def read_network(text: str) -> Tree:
    """Read a file; a text that netplan takes for a truth value is one."""
    return {key: _settle(value) for key, value in read_yaml(text).items()}


def _settle(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _settle(below) for key, below in value.items()}
    if isinstance(value, list):
        return [_settle(item) for item in value]
    return _TRUTH.get(value.lower(), value) if isinstance(value, str) else value


def merge_netplan(text: str, path: str, ours: Tree) -> Tree:
    """Read a file of others: definitions by name, and whole in the place of ours that they match and come before."""
    if path.startswith(_NETWORKD):
        return _read_networkd(text, path, ours)
    network: Tree = {}
    for kind, definitions in look_up(read_network(text), "network").items():
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


def _list_unjudged_of_netplan(text: str, path: str, ours: Tree) -> Iterator[str]:
    """Yield what of a file of others may concern an interface of ours, in words that complete "FILE: …"."""
    if path.startswith(_NETWORKD):
        yield from _list_networkd(text, path, ours)
        return
    for kind, definitions in look_up(read_network(text), "network").items():
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
    tree = read_unit(text)
    drop_in = _DROP_IN.fullmatch(file.parent.name)
    if drop_in:
        found: dict[str, Any] = {drop_in[1]: _settings(tree)}
    else:
        found = {name: f"as {path} has it" for name in _list_later(path, ours) if _is_named(tree, name)}
    return {"network": dict.fromkeys(_KINDS, found)}


def _list_networkd(text: str, path: str, ours: Tree) -> Iterator[str]:
    """Yield why it is not known whether a file is of an interface of ours, in words that complete "FILE: …"."""
    match = look_up(read_unit(text), "Match")
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


NETPLAN = FileFormat(read_network, write_yaml, read_merged=merge_netplan, list_unjudged=_list_unjudged_of_netplan)
"""The format, with files of systemd-networkd among those that are merged."""
