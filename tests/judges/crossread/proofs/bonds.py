"""Bonds: whatever leafs a host's ports meet answer it as one, and keep apart what has to differ.

What a leaf needs: Alibaba HPN, SIGCOMM 2024, section 4.2. What Linux compares before it joins ports:
drivers/net/bonding/bond_3ad.c, ad_port_selection_logic.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from ..facts import Bond, Device, End
from ..graph import place
from ..policy import Prefix, prefix
from .case import Case
from .routes import originated

HEARD = "attached-host"
"""Readers' name for hosts that a leaf heard, as a source of routes; the family follows."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One cable of a host's bond: the host's port, the leaf's, and the bond that the leaf has there."""

    host: End
    leaf: End
    bond: Bond


TellsOfOthers = Callable[[str, frozenset[Prefix]], bool]
"""True if a leaf would make routes of hosts that stand in none of some subnets."""


def prove_bonds(case: Case) -> list[str]:
    """Both ends of every leg are in a bond, the same on all leafs, and the leafs can be told apart by what they may."""
    found = []
    far = dict(case.host_links)
    tells_of_others = _others(case)
    for host in case.fabric.hosts():
        for bond in host.bonds.values():
            legs = _legs(case, host, bond, far)
            where = f"{host.name} {bond.name}"
            is_whole = len({leg.leaf[0] for leg in legs}) >= 2 and len(legs) == len(bond.members)
            if not is_whole and not (legs and host.name in case.expected.recabled):
                found.append(f"{where}: {len(bond.members)} ports are {len(legs)} legs to bonds of leafs")
            found += _host(case, where, bond, legs, tells_of_others)
            found += _alike(where, legs)
            found += _apart(case, where, legs)
    return found + _strangers(case, {end: peer for peer, end in far.items()})


def _others(case: Case) -> TellsOfOthers:
    """Each leaf and subnet is looked at once, for there are many hosts in each."""
    firsts = [bond for host in case.fabric.hosts() for bond in list(host.bonds.values())[:1]]
    hosts = [({address.subnet for address in bond.addresses}, bond.addresses) for bond in firsts]

    @cache
    def tells(name: str, here: frozenset[Prefix]) -> bool:
        others = (address for subnets, addresses in hosts if not here & subnets for address in addresses)
        return any(_tells(case.fabric.devices[name], prefix(address.text)) for address in others)

    return tells


def _legs(case: Case, host: Device, bond: Bond, far: dict[End, End]) -> list[Leg]:
    found = []
    for port in bond.members:
        leaf = far.get((host.name, port))
        interface = case.port(leaf) if leaf else None
        if leaf and interface and interface.bond:
            found.append(Leg((host.name, port), leaf, case.fabric.devices[leaf[0]].bonds[interface.bond]))
    return found


def _host(case: Case, where: str, bond: Bond, legs: list[Leg], tells_of_others: TellsOfOthers) -> list[str]:
    """A host's address is one of the subnet that is neither a leaf's nor the gateway's; it is heard on every leg."""
    found = []
    if not bond.is_fast:
        found.append(f"{where}: LACP is slow")
    if not bond.spreads_arp:
        found.append(f"{where}: nothing sends its ARP over every port")
    own = {address.text for address in bond.addresses}
    for leg in legs:
        taken = leg.bond.gateways | {address.text for address in leg.bond.addresses}
        subnets = {address.subnet for address in leg.bond.addresses}
        if {address.subnet for address in bond.addresses} != subnets:
            found.append(f"{where}: stands in another subnet than {place(leg.leaf)}")
        if own & taken:
            found.append(f"{where}: has {sorted(own & taken)} of {place(leg.leaf)}")
        found += _leaf(case, where, own, leg, tells_of_others)
    return found


def _leaf(case: Case, where: str, own: set[str], leg: Leg, tells_of_others: TellsOfOthers) -> list[str]:
    """A leaf hears the host, tells of it, and answers for its neighbours; or it announces the prefix of the bond."""
    found = []
    device = case.fabric.devices[leg.leaf[0]]
    if not leg.bond.is_fast:
        found.append(f"{where}: LACP of {place(leg.leaf)} is slow")
    if leg.bond.is_routed:
        untold = sorted({address.subnet for address in leg.bond.addresses} - originated(device))
        return found + [f"{where}: {leg.leaf[0]} does not announce {subnet} while its bond is up" for subnet in untold]
    if not (leg.bond.exports_hosts and all(_tells(device, prefix(text)) for text in own)):
        found.append(f"{where}: {leg.leaf[0]} makes no route of it")
    elif tells_of_others(device.name, frozenset(address.subnet for address in leg.bond.addresses)):
        found.append(f"{where}: {leg.leaf[0]} would make routes of hosts elsewhere")
    if not leg.bond.answers_arp:
        found.append(f"{where}: {leg.leaf[0]} does not answer ARP for its neighbours")
    if leg.bond.floods and case.expected.lossless:
        found.append(f"{where}: {leg.leaf[0]} {leg.bond.floods}")
    return found


def _tells(leaf: Device, route: Prefix) -> bool:
    policies = leaf.bgp.redistributed.items() if leaf.bgp else ()
    return any(kind.startswith(HEARD) and policy and policy.permits(route) for kind, policy in policies)


def _alike(where: str, legs: list[Leg]) -> list[str]:
    """Return the facts that make leafs one system to Linux; without a key it follows from the speed of the ports."""
    found = []
    hinted = {"vlan", "key"} if all(leg.bond.is_routed for leg in legs) else set[str]()
    for what in ("system_id", "key", "vlan", "gateways", "gateway_mac"):
        said = {leg.leaf[0]: getattr(leg.bond, what) for leg in legs}
        values = {str(sorted(value)) if isinstance(value, frozenset) else str(value) for value in said.values()}
        if len(values) > 1 or (values & {"", "0", "[]"} and what not in hinted):
            found.append(f"{where}: {what} is {' and '.join(sorted(values)) or 'nothing'} on {', '.join(sorted(said))}")
    return found


def _apart(case: Case, where: str, legs: list[Leg]) -> list[str]:
    """Return what tells leafs apart: ids of their ports, and AS numbers, or one refuses the other's routes."""
    found = []
    leafs = {leg.leaf[0]: leg.bond for leg in legs}
    ranges = sorted((bond.port_ids, name) for name, bond in leafs.items())
    bridged = [(ids, name) for ids, name in ranges if not leafs[name].is_routed]
    for ((_, last), one), ((first, _), two) in pairwise(bridged):
        if first <= last:
            found.append(f"{where}: port ids of {one} and {two} overlap")
    for (first, last), name in bridged:
        ports = len(case.fabric.devices[name].interfaces)
        if last - first + 1 < ports:
            found.append(f"{where}: {name} has {last - first + 1} port ids for {ports} ports")
    numbers = {name: bgp.asn for name in leafs if (bgp := case.fabric.devices[name].bgp)}
    if len(set(numbers.values())) < len(leafs):
        found.append(f"{where}: its leafs share an AS number: {numbers}")
    return found


def _strangers(case: Case, far: dict[End, End]) -> list[str]:
    """Every port of a leaf's bond leads to one and the same bond of a host."""
    found = []
    for device in case.fabric.switches():
        for bond in device.bonds.values():
            peers = {far[device.name, port] for port in bond.members if (device.name, port) in far}
            hosts = {(end[0], port.bond if (port := case.port(end)) else "") for end in peers}
            if len(peers) != len(bond.members) or len(hosts) != 1 or "" in {name for _, name in hosts}:
                found.append(f"{device.name} {bond.name}: leads to {sorted(hosts)}, not to one bond of a host")
            if any(host not in bond.description for host, _ in hosts):
                found.append(f"{device.name} {bond.name}: is described {bond.description!r}, not as {sorted(hosts)}")
    return found


def attached(case: Case) -> dict[str, set[Prefix]]:
    """Routes to single hosts that each leaf makes of what it hears."""
    found: dict[str, set[Prefix]] = {}
    for (host, _), (name, port) in case.host_links:
        leaf = case.fabric.devices[name]
        bond = leaf.bonds.get(leaf.interfaces[port].bond) if port in leaf.interfaces else None
        if bond is None or not bond.exports_hosts:
            continue
        own = {address.subnet for addresses in leaf.vlans.values() for address in addresses}
        heard = (a for b in case.fabric.devices[host].bonds.values() for a in b.addresses if a.subnet in own)
        found.setdefault(name, set()).update(route for a in heard if _tells(leaf, route := prefix(a.text)))
    return found
