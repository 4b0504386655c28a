"""Facts of a rendered fabric by the names in ``guides``: by device, or one value that holds on every cabled port."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from tests.judges.crossread import Fabric, graph_links
from tests.judges.crossread.facts import Address, Device, Qos

Said = Mapping[str, Any]
"""Return type of a fact: by device, or by key."""


def _text(address: Address) -> str:
    return f"{address.text}/{address.subnet.length}"


def _each(fabric: Fabric, said: Said, fact: Callable[[Device], object]) -> Said:
    return {name: fact(fabric.devices[name]) for name in said}


def _ports(fabric: Fabric, said: Said, fact: Callable[[Device, str], object]) -> Said:
    return {name: {port: fact(fabric.devices[name], port) for port in ports} for name, ports in said.items()}


def _address(device: Device, port: str) -> str:
    found = device.interfaces.get(port)
    return ", ".join(map(_text, found.addresses)) if found else ""


def _cables(fabric: Fabric, said: Said) -> Said:
    """Return the other end of each port that a guide names."""
    ends = {}
    for link in graph_links(fabric):
        one, other = link
        ends[one], ends[other] = other, one
    return _ports(fabric, said, lambda device, port: " ".join(ends.get((device.name, port), ("no cable",))))


def _host_subnets(fabric: Fabric, said: Said) -> Said:
    """Return the prefix that the subnets of all NICs fill without gap and overlap, and their length."""
    interfaces = [interface for host in fabric.hosts() for interface in host.interfaces.values()]
    found = sorted(ip_network(_text(address), strict=False) for each in interfaces for address in each.addresses)
    whole = [*ip_network(said["inside"]).subnets(new_prefix=said["length"])]
    return said if found == whole else {"inside": [str(each) for each in found]}


def _host_routes(fabric: Fabric, said: Said) -> Said:
    """Return where the routes of each NIC lead."""

    def of(host: Device, nic: str) -> str:
        return ", ".join(str(route.prefix) for route in host.routes if route.device == nic)

    return _ports(fabric, said, of)


def _networks(fabric: Fabric, said: Said) -> Said:
    """Return those announced prefixes of each switch that a guide names."""
    announced = {name: [str(each) for each in d.bgp.networks] for name, d in fabric.devices.items() if d.bgp}
    return {name: [each for each in announced[name] if each in prefixes] for name, prefixes in said.items()}


def _everywhere(fabric: Fabric, fact: Callable[[Qos], object]) -> object:
    """Return a fact on which every port with a cable of every switch agrees; where they do not, all that they say."""
    cabled = {end for link in graph_links(fabric) for end in link}
    ports = [i for switch in fabric.switches() for i in switch.interfaces.values() if (switch.name, i.name) in cabled]
    found = [fact(port.qos) for port in ports]
    return found[0] if found and all(each == found[0] for each in found) else found


def _named(said: Said, table: Mapping[int, object]) -> Said:
    return {key: table.get(int(key)) for key in said}


def _lines(tree: Path, said: Said) -> Said:
    texts = {name: (tree / "switches" / name / "mnt/flash/startup-config").read_text(encoding="utf-8") for name in said}
    return {name: [x for x in lines if f"{x}\n" in texts[name].replace("   ", "")] for name, lines in said.items()}


def read_fact(fact: str, fabric: Fabric, tree: Path, said: Any) -> object:
    """Facts of a rendered fabric where a guide says something; ``said`` decides which part is returned."""
    facts: dict[str, Callable[[], object]] = {
        "asn": lambda: _each(fabric, said, lambda d: d.bgp and d.bgp.asn),
        "router_id": lambda: _each(fabric, said, lambda d: d.bgp and d.bgp.router_id),
        "max_paths": lambda: _each(fabric, said, lambda d: d.bgp and d.bgp.max_paths),
        "bfd": lambda: _each(
            fabric, said, lambda d: bool(d.bgp and d.bgp.sessions and all(s.bfd for s in d.bgp.sessions))
        ),
        "loopbacks": lambda: _each(fabric, said, lambda d: [_text(a) for a in d.loopbacks]),
        "management": lambda: _each(fabric, said, lambda d: ", ".join(map(_text, d.management))),
        "gateway": lambda: _each(fabric, said, lambda d: d.management_gateway),
        "addresses": lambda: _ports(fabric, said, _address),
        "mtu": lambda: _ports(fabric, said, lambda d, port: d.interfaces[port].mtu),
        "sysctl": lambda: {
            n: {key: int(fabric.devices[n].host.sysctl[key]) for key in keys} for n, keys in said.items()
        },
        "cables": lambda: _cables(fabric, said),
        "host_subnets": lambda: _host_subnets(fabric, said),
        "host_routes": lambda: _host_routes(fabric, said),
        "networks": lambda: _networks(fabric, said),
        "lines": lambda: _lines(tree, said),
        "dscp": lambda: _everywhere(fabric, lambda qos: _named(said, qos.dscp_to_tc)),
        "queues": lambda: _everywhere(fabric, lambda qos: _named(said, qos.scheduler)),
        "ecn": lambda: _everywhere(fabric, lambda qos: {k: list(qos.ecn.get(int(k), ())) for k in said}),
        "pfc": lambda: _everywhere(fabric, lambda qos: sorted(qos.pfc)),
        "watchdog": lambda: _everywhere(fabric, lambda qos: _watchdog(qos.watchdog_timers)),
    }
    return facts[fact]()


def _watchdog(timers: tuple[str, ...]) -> Said:
    pause_ms, _, action = timers
    return {"pause_ms": int(pause_ms), "action": action}
