"""Links of the switches that were read, and their tiers: by addresses of both ends, or by what ports say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_interface
from typing import NamedTuple

from fabricgen.diagnostics import Bag, Place, Related
from fabricgen.diagnostics.words import counted
from fabricgen.inference import inference_codes as codes
from fabricgen.platforms.found import FoundPort, FoundSession, FoundSwitch, Spot

Locate = Callable[[str, Spot], Place]
"""Gives the line of a place in a file of a switch, by the name of the switch."""
_LINK_BITS = {1: 1, 2: 3}
"""By the host bits of a link's prefix, the bits in which its two addresses differ: RFC 3021, RFC 6164."""


class End(NamedTuple):
    """One end of a link."""

    switch: str
    port: str


@dataclass(slots=True)
class FoundCabling:
    """Switches by name, and what each of their ports leads to.

    Attributes:
        peers: Ends of links between switches, both ways.
        hosts: Ports of each switch that are up and lead to hosts.
        tiers: Names of the switches of each tier, leafs first.
    """

    switches: dict[str, FoundSwitch]
    peers: dict[End, End]
    hosts: dict[str, list[FoundPort]]
    tiers: list[list[str]]

    def neighbors(self, name: str) -> Counter[str]:
        """Return the switches that a switch has links to, and how many."""
        ends = (self.peers.get(End(name, port.name)) for port in self.switches[name].ports)
        return Counter(end.switch for end in ends if end)

    def components(self, tiers: Iterable[int]) -> list[list[str]]:
        """Return the switches of some tiers in groups that links between these tiers hold together."""
        left = {name: None for tier in tiers for name in self.tiers[tier]}
        found = []
        while left:
            group = [next(iter(left))]
            del left[group[0]]
            for name in group:
                for other in self.neighbors(name):
                    if other in left:
                        del left[other]
                        group.append(other)
            found.append(group)
        return found


class _Address(NamedTuple):
    """An address of a port, and that of the other end where its prefix is that of a link."""

    end: End
    port: FoundPort
    own: str
    other: str


def find_cabling(switches: dict[str, FoundSwitch], locate: Locate, bag: Bag) -> FoundCabling:
    """Join the ports of switches; what contradicts itself is reported, and the rest is joined."""
    addresses = list(_addresses(switches))
    owners = _find_owners(addresses, locate, bag)
    peers = _join(switches, addresses, owners)
    _check_sessions(switches, peers, owners, locate, bag)
    by_switch: dict[str, list[_Address]] = {}
    for each in addresses:
        by_switch.setdefault(each.end.switch, []).append(each)
    hosts = {name: list(_host_ports(switch, peers, by_switch)) for name, switch in switches.items()}
    found = FoundCabling(switches, peers, hosts, [])
    found.tiers = _order_tiers(found)
    return found


def _addresses(switches: Mapping[str, FoundSwitch]) -> Iterator[_Address]:
    for name, switch in switches.items():
        for port in switch.ports:
            for address in port.addresses:
                interface = ip_interface(address)
                bits = _LINK_BITS.get(interface.max_prefixlen - interface.network.prefixlen)
                other = str(type(interface.ip)(int(interface.ip) ^ bits)) if bits else ""
                yield _Address(End(name, port.name), port, str(interface.ip), other)


def _find_owners(addresses: Iterable[_Address], locate: Locate, bag: Bag) -> dict[str, _Address]:
    owners: dict[str, _Address] = {}
    for each in addresses:
        known = owners.setdefault(each.own, each)
        if known.end != each.end and not each.port.bond:
            place = locate(known.end.switch, known.port.spot)
            related = [Related(f"{known.end.switch}:{known.end.port} has it too", place=place)]
            message = f"{each.own} is at {each.end.switch}:{each.end.port} and at {known.end.switch}:{known.end.port}"
            place = locate(each.end.switch, each.port.spot)
            bag.add(codes.TWO_OWNERS, message, place=place, related=related, device=each.end.switch)
    return owners


def _join(
    switches: Mapping[str, FoundSwitch], addresses: Iterable[_Address], owners: Mapping[str, _Address]
) -> dict[End, End]:
    """Return the links both ways; where ports have no addresses, by what both say of their neighbor."""
    peers = {each.end: owners[each.other].end for each in addresses if each.port.is_up and each.other in owners}
    for name, switch in switches.items():
        for port in switch.ports:
            if port.is_up and not port.addresses and port.neighbor[0] in switches:
                peers.setdefault(End(name, port.name), End(*port.neighbor))
    return {end: there for end, there in peers.items() if peers.get(there) == end}


def _check_sessions(
    switches: Mapping[str, FoundSwitch],
    peers: Mapping[End, End],
    owners: Mapping[str, _Address],
    locate: Locate,
    bag: Bag,
) -> None:
    """Report sessions that expect another AS number, those of one neighbor once."""
    wrong: dict[tuple[str, int], list[tuple[str, FoundSession]]] = {}
    for name, switch in switches.items():
        for session in switch.sessions:
            known = owners.get(session.peer)
            there = peers.get(End(name, session.peer)) if session.is_port else known.end if known else None
            asn = switches[there.switch].asn if there else 0
            if there and session.asn and asn and session.asn != asn:
                wrong.setdefault((there.switch, session.asn), []).append((name, session))
    for (other, asked), sessions in wrong.items():
        (name, session), own = sessions[0], switches[other]
        related = [Related(f"AS {own.asn} of {other}", place=locate(other, own.spots["asn"]))]
        count = counted(len(sessions), "session")
        message = f"{count} with {other} expect AS {asked}, but it is in AS {own.asn}; the first is of {name}"
        bag.add(codes.OTHER_ASN, message, place=locate(name, session.spot), related=related, device=name)


def _host_ports(
    switch: FoundSwitch, peers: Mapping[End, End], addresses: Mapping[str, list[_Address]]
) -> Iterator[FoundPort]:
    """Yield ports that lead to no switch; one whose session is like those with switches leads to one not read."""
    groups = {session.peer: session.group or str(session.asn) for session in switch.sessions}
    leads = {each.end.port: groups.get(each.other) for each in addresses.get(switch.name, ())}
    leads |= {port.name: groups[port.name] for port in switch.ports if port.name in groups}
    to_switches = {end.port for port in leads if (end := End(switch.name, port)) in peers}
    inner = {leads[port] for port in to_switches} - {None}
    for port in switch.ports:
        is_linked = port.is_up and (port.name in leads or port.bond)
        if is_linked and port.name not in to_switches and leads.get(port.name) not in inner:
            yield port


def _order_tiers(cabling: FoundCabling) -> list[list[str]]:
    """Return the tiers by their distance to hosts."""
    tier = [name for name, ports in cabling.hosts.items() if ports]
    tiers, seen = [], set(tier)
    while tier:
        tiers.append(tier)
        above = dict.fromkeys(other for name in tier for other in cabling.neighbors(name) if other not in seen)
        seen.update(above)
        tier = list(above)
    return tiers
