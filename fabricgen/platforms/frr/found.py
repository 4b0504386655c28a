"""A plain Linux router as its files describe it, for imports: netplan, the script of the ports, frr.conf, services.

A router without the script has no classes, and ports whose speed is not known.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from ipaddress import ip_interface
from typing import Any

from fabricgen.platforms import found_settings
from fabricgen.platforms.families.vtysh.found import find_routing
from fabricgen.platforms.found import FoundPort, FoundSetting, FoundSwitch, Spot, Trees
from fabricgen.platforms.found_links import is_interface, split_description
from fabricgen.platforms.frr.port_script import PATH as SCRIPT
from fabricgen.platforms.frr.view import QUANTUM_PER_PCT
from fabricgen.platforms.reading.reader import Tree, look_up, number_of

_NETPLAN, _SYSCTL = "etc/netplan/60-fabricgen.yaml", "etc/sysctl.d/90-fabricgen.conf"
_own = partial(Spot, _NETPLAN)
_HASH = "net.ipv4.fib_multipath_hash_policy"
_PORT = re.compile(r"swp([0-9]+)(?:s([0-9]+))?")
_SPLIT = re.compile(r"(swp[0-9]+) ([0-9]+)")
_ROW = re.compile(r"(\S+) ([0-9]+)000 [0-9]+ (\w+) \w+ ([0-9]+)")
_POINTS = re.compile(r"dscp-prio ((?:[0-9]+:[0-7] ?)+)")
_BANDS = re.compile(r"bands 8 strict ([0-8]) quanta ([0-9 ]*)priomap ((?:[0-7] ?)+)")
_MARKED = re.compile(r"parent 1:([1-8]) handle \S+: red")
_PAUSED = re.compile(r"prio-pfc all:off((?: [0-7]:on)+)")
_DEFAULT_MTU = 1500
"""Of an Ethernet device of Linux: ETH_DATA_LEN in include/uapi/linux/if_ether.h."""
_SERVERS = {
    "ntp": ("etc/chrony/conf.d/60-fabricgen.conf", re.compile(r"server (\S+).*")),
    "syslog": ("etc/rsyslog.d/60-fabricgen.conf", re.compile(r'\S+ action\(type="omfwd" target="([^"]+)".*')),
}
_RESOLVED = "etc/systemd/resolved.conf.d/60-fabricgen.conf"


def find_switch(name: str, trees: Trees, routing: str) -> FoundSwitch | None:
    """Return a switch; None without a frr.conf. ``routing`` is its path."""
    if routing not in trees:
        return None
    bgp = find_routing(routing, trees[routing])
    network = look_up(trees.get(_NETPLAN, {}), "network")
    apart = [port for row in look_up(network, "vrfs").values() for port in row.get("interfaces", ())]
    rows = {port: look_up(network, "ethernets", port) for port in ("lo", *apart, "eth0")}
    loopbacks = sorted(_addresses(rows.pop("lo")), key=lambda text: ":" in text)
    management = next((port for port, row in rows.items() if _addresses(row)), "eth0")
    routes = [each for each in rows[management].get("routes", ()) if each.get("to") in ("default", "0.0.0.0/0", "::/0")]
    place = _own(("network", "ethernets")).below
    identity = {
        "loopbacks": (
            tuple(each.partition("/")[0] for each in loopbacks if not each.startswith(("127.", "::1/"))),
            place("lo"),
        ),
        "management": (next(iter(_addresses(rows[management])), ""), place(management)),
        "gateway": (str(routes[0].get("via", "")) if routes else "", place(management)),
        "asn": (bgp.asn, Spot(routing, ("router bgp",))),
        "router_id": (bgp.router_id, Spot(routing, ("router bgp", "bgp router-id"))),
    }
    script = trees.get(SCRIPT, {})
    ports = tuple(sorted(_ports(network, script, bgp.described), key=lambda port: port.order))
    settings = (*bgp.settings, *_contract(script), *_hash(trees), *found_settings.describe_services(_services(trees)))
    given = {"prefixes": bgp.prefixes, "prefix_limit": bgp.prefix_limit, "sessions": bgp.sessions}
    return found_settings.describe_switch(name, "frr", identity, ports=ports, settings=settings, **given)


def _addresses(row: Tree) -> list[str]:
    """Return the addresses of a definition of netplan; one with options is a mapping of itself to them."""
    found = [next(iter(each)) if isinstance(each, dict) else str(each) for each in row.get("addresses", ())]
    return list(filter(is_interface, found))


def _ports(network: Tree, script: Tree, described: Mapping[str, str]) -> Iterator[FoundPort]:
    bonds = {port: bond for bond, row in look_up(network, "bonds").items() for port in row.get("interfaces", ())}
    splits = {found[1]: found[2] for found in _found(script, _SPLIT)}
    speeds = {found[1]: found for found in _found(script, _ROW)}
    for name, row in look_up(network, "ethernets").items():
        place = _PORT.fullmatch(name)
        if place is None:
            continue
        bond = bonds.get(name, "")
        routed = look_up(network, "bonds", bond) if bond else row
        addresses = tuple(_addresses(routed))
        speed = speeds.get(name)
        description = next((described[peer] for peer in (name, *_others(addresses)) if peer in described), "")
        yield FoundPort(
            name,
            _own(("network", "ethernets", name)),
            (int(place[1]), int(place[2] or 0)),
            row.get("activation-mode") not in (False, "manual"),
            speed_gbps=int(speed[2]) if speed else 0,
            breakout=splits.get(f"swp{place[1]}", ""),
            fec=speed[3] if speed else "",
            mtu=number_of(str(routed.get("mtu", ""))) or _DEFAULT_MTU,
            addresses=addresses,
            description=description,
            neighbor=split_description(description),
            headroom_bytes=int(speed[4]) if speed else 0,
            bond=bond,
        )


def _found(script: Tree, pattern: re.Pattern[str]) -> list[re.Match[str]]:
    """Return the lines of the script that are as a pattern says."""
    return [found for line in script.get("lines", ()) if (found := pattern.fullmatch(line))]


def _others(addresses: tuple[str, ...]) -> Iterator[str]:
    """Yield the other addresses of networks of two."""
    for each in map(ip_interface, addresses):
        if each.network.num_addresses == 2:
            yield from (str(other) for other in each.network if other != each.ip)


def _contract(script: Tree) -> Iterator[FoundSetting]:
    """Yield the classes as the script sets every port up, and the thresholds of each speed."""
    words = " ".join(" ".join(script.get("lines", ())).replace("\\", " ").split())
    points, bands, paused = (each.search(words) for each in (_POINTS, _BANDS, _PAUSED))
    if points is None or bands is None:
        return
    priorities = {int(band): priority for priority, band in enumerate(bands[3].split())}
    quanta = dict(enumerate(map(int, bands[2].split()), int(bands[1])))
    marked = [priorities[int(band) - 1] for band in _MARKED.findall(words)]
    marking = look_up(script, "marking")
    speeds: dict[int, tuple[found_settings.Queues, Spot]] = {}
    for row in _found(script, _ROW):
        low, high, probability = str(marking.get(row[1], "0 0 0")).split()[:3]
        marks = (int(low), int(high), round(100 * float(probability)))
        queues = found_settings.Queues(
            {int(point): int(priority) for point, priority in (pair.split(":") for pair in points[1].split())},
            {int(pair[0]) for pair in paused[1].split()} if paused else (),
            {priorities[band] for band in range(int(bands[1]))},
            {priorities[band]: quantum // QUANTUM_PER_PCT for band, quantum in quanta.items()},
            dict.fromkeys(marked, marks) if marks[0] else {},
        )
        speeds.setdefault(int(row[2]), (queues, Spot(SCRIPT, ("lines",))))
    yield from found_settings.describe_contract(speeds)


def _hash(trees: Trees) -> Iterator[FoundSetting]:
    if trees.get(_SYSCTL, {}).get(_HASH) == "1":
        yield FoundSetting("routing.ecmp.hash", ["five_tuple"], Spot(_SYSCTL, (_HASH,)))


def _services(trees: Trees) -> Iterator[tuple[str, Any, Spot]]:
    for name, (path, pattern) in _SERVERS.items():
        yield name, [found[1] for found in _found(trees.get(path, {}), pattern)], Spot(path, ("lines",))
    servers = look_up(trees.get(_RESOLVED, {}), "Resolve").get("DNS", ())
    yield "dns", [each.partition("%")[0] for each in servers], Spot(_RESOLVED, ("Resolve", "DNS"))
