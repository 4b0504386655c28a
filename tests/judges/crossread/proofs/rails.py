"""Hosts: addresses, gateways, one routing table per rail, and rails that land where their neighbours' rails land."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from ..facts import Address, Device, End, Route
from ..graph import place
from ..policy import Prefix, prefix
from .case import FAMILIES, Case

_RAIL = re.compile(r"(\d+)(?:p\d+)?$")


def rail_number(interface: str) -> int:
    """Number of a rail from its interface's name; -1 without one."""
    found = _RAIL.search(interface)
    return int(found[1]) if found else -1


@dataclass(frozen=True, slots=True)
class Rail:
    """An interface of a host with an address of its own: a port, or a bond of some."""

    end: End
    addresses: list[Address]
    ports: list[End]


def rails_of(host: Device) -> list[Rail]:
    single = [port for port in host.interfaces.values() if not port.bond]
    found = [Rail((host.name, port.name), port.addresses, [(host.name, port.name)]) for port in single]
    for bond in host.bonds.values():
        found.append(Rail((host.name, bond.name), bond.addresses, [(host.name, port) for port in bond.members]))
    return found


def prove_rail_routes(case: Case) -> list[str]:
    """Each rail routes in a table of its own, by a rule for its own address, through its own leaf."""
    found = []
    far = dict(case.host_links)
    everyone = sorted({a.subnet for d in case.fabric.hosts() for rail in rails_of(d) for a in rail.addresses})
    unreached: dict[tuple[Prefix, ...], list[Prefix]] = {}
    for host in case.fabric.hosts():
        tables: dict[int, str] = {}
        for rail in rails_of(host):
            families = sorted(a.subnet.bits for a in rail.addresses)
            cabled = [port for port in rail.ports if port in far]
            if host.name not in case.expected.recabled:
                cabled = rail.ports
            if families != list(case.families) or not cabled or not far.keys() >= set(cabled):
                leafs = [far.get(port, "no leaf") for port in rail.ports]
                found.append(f"{place(rail.end)}: has {len(families)} addresses and {leafs} at its links")
                continue
            routes = [r for r in host.routes if r.device == rail.end[1]]
            for port in cabled:
                found += _gateways(case, rail.end, far[port], routes)
            found += _table(host, rail.end, rail.addresses, routes, tables)
            found += _reach(rail.end, routes, everyone, unreached)
    return found


def _gateways(case: Case, end: End, leaf: End, routes: list[Route]) -> list[str]:
    """Every route leads to the leaf's address on this link, or to the one in common with its twins."""
    port = case.port(leaf)
    shared = case.fabric.devices[leaf[0]].bonds[port.bond].gateways if port and port.bond else frozenset[str]()
    texts = sorted(shared) if shared else [a.text for a in port.addresses] if port else []
    by_bits = {prefix(text).bits: text for text in texts}
    found = []
    for route in routes:
        wanted = by_bits.get(route.prefix.bits, "nothing")
        on_link = not route.via and case.fabric.devices[end[0]].bgp is not None
        leads_to = str(route.prefix).partition("/")[0] if on_link else route.via
        if leads_to != wanted or (on_link and route.prefix.length != route.prefix.bits):
            found.append(f"{place(end)}: route {route.prefix} via {route.via}, {place(leaf)} is {wanted}")
    return found


def _table(host: Device, end: End, addresses: list[Address], routes: list[Route], tables: dict[int, str]) -> list[str]:
    """A rule from exactly each of the rail's addresses into a table that only this rail fills."""
    rules = [rule for rule in host.host.rules if rule.device == end[1]]
    own = sorted(prefix(address.text) for address in addresses)
    if sorted(rule.source for rule in rules) != own or len({rule.table for rule in rules}) != 1:
        said = ", ".join(f"{rule.source} into {rule.table}" for rule in rules) or "none"
        return [f"{place(end)}: routing rules are from {said}, its addresses {', '.join(map(str, own))}"]
    table = rules[0].table
    if table in (0, 253, 254, 255):
        return [f"{place(end)}: its rule looks into table {table}, which is the system's"]
    if table in tables:
        return [f"{place(end)}: table {table} is also that of {tables[table]}"]
    tables[table] = end[1]
    learned = {rule.table for rule in host.host.asked}
    strays = [r for r in routes if r.table not in (0, table) and (r.via or r.table not in learned)]
    found = [f"{place(end)}: route {r.prefix} is in table {r.table}, not {table}" for r in strays]
    filled = {r.prefix.bits for r in routes if r.table == table}
    found += [f"{place(end)}: table {table} has no {FAMILIES[p.bits]} route" for p in own if p.bits not in filled]
    return found


def _reach(
    end: End, routes: list[Route], everyone: list[Prefix], unreached: dict[tuple[Prefix, ...], list[Prefix]]
) -> list[str]:
    """The rail's table leads to every other host of the fabric; equal tables are looked through once."""
    covering = tuple(sorted({r.prefix for r in routes if r.table}))
    if covering not in unreached:
        unreached[covering] = [subnet for subnet in everyone if not any(p.covers(subnet) for p in covering)]
    missing = unreached[covering]
    return [f"{place(end)}: no route to {missing[0]} ({len(missing)} of {len(everyone)} rails)"] if missing else []


def prove_rails_aligned(case: Case) -> list[str]:
    """The same rail of hosts on the same leafs lands on the same leaf."""
    landing: dict[str, dict[int, str]] = {}
    for end, far in case.host_links:
        landing.setdefault(end[0], {})[rail_number(end[1])] = far[0]
    usual: dict[tuple[str, int, int], Counter[str]] = {}
    for name, rails in landing.items():
        for rail, leaf in rails.items() if name not in case.expected.recabled else ():
            usual.setdefault((min(rails.values()), len(rails), rail), Counter())[leaf] += 1
    found = []
    for name, rails in landing.items():
        if name in case.expected.recabled:
            continue
        for rail, leaf in rails.items():
            most = usual[min(rails.values()), len(rails), rail].most_common(1)[0][0]
            if leaf != most:
                found.append(f"{name}: rail {rail} is on {leaf}, that of its neighbours on {most}")
        groups = Counter(rails.values())
        if len(set(groups.values())) > 1:
            found.append(f"{name}: its rails are spread unevenly: {dict(groups)}")
    return found


WANTED_KERNEL = {"arp_ignore": (1, 2), "arp_announce": (1, 2), "rp_filter": (0, 2)}
"""Values of each rail's kernel parameters; the kernel takes the greater of the rail's own and that of ``all``."""


def prove_kernel(case: Case) -> list[str]:
    """The kernel answers ARP per rail and does not drop what comes back on another one."""
    found = []
    for host in case.fabric.hosts():
        for _, interface in (rail.end for rail in rails_of(host)):
            for key, values in WANTED_KERNEL.items():
                set_to = [host.host.sysctl.get(f"net.ipv4.conf.{where}.{key}", "") for where in ("all", interface)]
                said = [int(value) for value in set_to if value.isdigit()]
                if not said or max(said) not in values:
                    found.append(f"{host.name} {interface}: {key} is {max(said) if said else 'not set'}")
            redirects = ("ipv4.conf.all", f"ipv4.conf.{interface}", f"ipv6.conf.{interface}")
            taken = [where for where in redirects if host.host.sysctl.get(f"net.{where}.accept_redirects") != "0"]
            if taken:
                found.append(f"{host.name} {interface}: redirects are taken by {', '.join(taken)}")
    return found


def prove_announced(case: Case) -> list[str]:
    """Hosts announce their name and the interface of each rail, as the cabling plan has them."""
    wanted = {"system hostname": ".", "lldp portidsubtype": "ifname"}
    return [
        f"{host.name}: LLDP is told {host.host.lldp or 'nothing'}, the cabling check needs {wanted}"
        for host in case.fabric.hosts()
        if rails_of(host) and host.host.lldp != wanted
    ]


def count_rails(case: Case) -> str:
    """One line for the reader: how many hosts and rails reach how many leafs."""
    leafs = {host: set[str]() for host, _ in case.host_links}
    per_host: dict[str, set[str]] = {}
    for host, leaf in case.host_links:
        per_host.setdefault(host[0], set()).add(leaf[0])
    shapes = Counter(len(found) for found in per_host.values())
    spread = ", ".join(f"{count} hosts on {n} leafs each" for n, count in sorted(shapes.items()))
    return f"{len(leafs)} rails of {len(per_host)} hosts: {spread or 'none'}"
