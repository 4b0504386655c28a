"""Answers of a Linux system: the kernel's routes and links, and what it says of a port in ``/sys/class/net``.

Source:
    iproute2, ip(8), option -json; Linux Documentation/ABI/testing/sysfs-class-net: speed in Mbit/s.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from fabricgen.platforms.observations import ethtool, lldpcli
from fabricgen.platforms.observations.content import (
    MisreadError,
    as_list,
    as_map,
    as_number,
    as_text,
    decode_text,
    read_document,
    refuse_nothing,
)
from fabricgen.platforms.observations.records import (
    ERRORS,
    ActiveSetting,
    Counter,
    InstalledRoute,
    Observation,
    PortState,
    Reader,
    Readers,
)
from fabricgen.platforms.reading import netplan, settings_files, unit_files
from fabricgen.platforms.reading.reader import ReadFault, Tree

_BGP = ("bgp", "186")
"""BGP in the kernel's table of routing protocols, by name or by number."""
_USELESS = frozenset({"dead", "linkdown"})
_LINE = re.compile(r"/sys/class/net/([^/]+)/(operstate|mtu|speed|carrier):(.*)")


def read_routes(data: bytes) -> list[Observation]:
    """Return the routes of BGP in ``ip -j route``, with the next hops that are alive."""
    return list(_routes(as_list(read_document(data), "the answer")))


def _routes(entries: Any) -> Iterator[InstalledRoute]:
    for item in entries:
        entry = as_map(item, "route")
        prefix = as_text(entry.get("dst"), "dst")
        if str(entry.get("protocol")) not in _BGP:
            continue
        if "/" not in prefix and prefix != "default":
            prefix = f"{prefix}/{128 if ':' in prefix else 32}"
        hops = [as_map(hop, f"route {prefix}") for hop in as_list(entry.get("nexthops", [entry]), f"route {prefix}")]
        live = (hop for hop in hops if not _USELESS.intersection(as_list(hop.get("flags", []), f"route {prefix}")))
        yield InstalledRoute(prefix, tuple(as_text(hop["dev"], f"route {prefix}") for hop in live if "dev" in hop))


def read_errors(data: bytes) -> list[Observation]:
    """Return the errors of each link of ``ip -j -s link``."""
    found: list[Observation] = []
    for item in as_list(read_document(data), "the answer"):
        link = as_map(item, "link")
        if not link:
            continue
        name = as_text(link.get("ifname"), "ifname")
        stats = as_map(link.get("stats64"), f"{name} stats64")
        ways = [as_map(stats.get(way), f"{name} {way}") for way in ("rx", "tx")]
        found.append(Counter(name, ERRORS, sum(as_number(way.get("errors"), f"{name} errors") for way in ways)))
    return found


def read_ports(data: bytes) -> list[Observation]:
    """Return the state of ports from lines ``/sys/class/net/PORT/ATTRIBUTE:VALUE``; one that is down has no speed."""
    values: dict[str, dict[str, str]] = {}
    for line in decode_text(data).splitlines():
        if match := _LINE.fullmatch(line):
            values.setdefault(match[1], {})[match[2]] = match[3].strip()
    if not values:
        raise MisreadError("it has no line of /sys/class/net")
    return [_port(name, facts) for name, facts in values.items()]


def _port(name: str, facts: Mapping[str, str]) -> PortState:
    speed, mtu = facts.get("speed", ""), facts.get("mtu", "")
    return PortState(
        port=name,
        up=facts["operstate"] == "up" if "operstate" in facts else None,
        speed_gbps=as_number(speed, f"{name} speed") / 1000 if speed and not speed.startswith("-") else None,
        mtu_bytes=as_number(mtu, f"{name} mtu") if mtu else None,
    )


def list_settings(state: str, tree: Tree, above: str = "") -> Iterator[ActiveSetting]:
    """Yield each value of a tree.

    Args:
        state: State reading that shows it, or is to show it.
        tree: The tree.
        above: Path of the tree itself, with a separator at its end.
    """
    for key, value in tree.items():
        if isinstance(value, dict):
            yield from list_settings(state, value, f"{above}{key} > ")
        elif value is not None:
            yield ActiveSetting(state, f"{above}{key}", _write(value))


def _write(value: Any) -> str:
    """Return a value as text; the order of a list's items and of their keys means nothing."""
    if isinstance(value, list):
        return ", ".join(sorted(map(_write, value))) or "none"
    if isinstance(value, dict):
        return " ".join(f"{key}={_write(below)}" for key, below in sorted(value.items()))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _read(state: str, read: Callable[[str], Tree], data: bytes) -> list[Observation]:
    try:
        tree = read(decode_text(data))
    except ReadFault as fault:
        raise MisreadError(str(fault)) from None
    found: list[Observation] = [*list_settings(state, tree)]
    refuse_nothing(found, "setting")
    return found


def _read_parameters(text: str) -> Tree:
    return settings_files.read_merged(text, "", {})


def _read_network(text: str) -> Tree:
    tree = netplan.read(text)
    return tree if tree.keys() == {"network"} else {}


read_sysctl: Reader = partial(_read, "sysctl", _read_parameters)
"""Reads ``sysctl -a``: a line for each parameter, procps 4.0."""
read_netplan: Reader = partial(_read, "netplan", _read_network)
"""Reads ``netplan get``: YAML of all files together."""
read_units: Reader = partial(_read, "units", unit_files.read)
"""Reads ``systemctl cat``: a unit and its drop-ins, in the order in which systemd reads them."""


READERS: Readers = {
    "routes": read_routes,
    "routes6": read_routes,
    "lldp": lldpcli.read_neighbors,
    "ports": read_ports,
    "errors": read_errors,
    "fec": ethtool.read_fec,
    "optics": ethtool.read_optics,
}
"""Readers of what every Linux system answers, by state reading."""
