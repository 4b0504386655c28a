"""Invariants of a fabric of which some devices are in an old state and some in a new one, read from rendered text.

Every device is given with the states it may be in. Each invariant is about one device beside any sender, or about the
two ends of one link; so looking at every pair of states of every pair of devices looks at every order in which the
devices can change. Nothing of the product is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from .crossread.facts import Address, Device, End, Fabric, Interface, Link, Session
from .crossread.graph import ends, place
from .crossread.policy import prefix

_MARKS = ("_IB_TC", "_TRAFFIC_CLASS")
_BITS = 32
_LOW_BITS = 2
"""A traffic class is a code point and the two bits of ECN."""


@dataclass(frozen=True)
class HalfStates:
    """A fabric in the middle of a phase."""

    states: dict[str, tuple[Device, ...]]
    links: frozenset[Link]

    @classmethod
    def between(cls, before: Fabric, after: Fabric, links: frozenset[Link]) -> HalfStates:
        return cls({name: (device, after.devices[name]) for name, device in before.devices.items()}, links)

    @cached_property
    def hosts(self) -> list[Device]:
        return [state for states in self.states.values() for state in states if state.kind == "host"]

    @cached_property
    def marked(self) -> frozenset[int]:
        """Code points that a NIC marks in any state."""
        return frozenset(mark for host in self.hosts for mark in marks_of(host))

    @cached_property
    def usable(self) -> frozenset[int]:
        """Code points that applications may mark: lossless on every host, before the phase or after it."""
        hosts = [states for states in self.states.values() if states[0].kind == "host"]
        sides = [[lossless_points(states[at]) for states in hosts] for at in (0, -1)]
        return frozenset().union(*(set.intersection(*side) for side in sides if side))

    @property
    def sent(self) -> frozenset[int]:
        """Code points of the lossless class that a switch meets."""
        return self.marked | self.usable

    def sent_beside(self, device: Device) -> frozenset[int]:
        """Those that meet a device in one of its states: no application sends what this host has as lossy."""
        return self.sent if device.kind == "switch" else self.marked | (self.usable & lossless_points(device))

    def ports(self) -> Iterator[tuple[End, Interface]]:
        for name, port in (end for link in self.links for end in link):
            for device in self.states.get(name, ()):
                if device.kind == "switch" and port in device.interfaces:
                    yield (name, port), device.interfaces[port]

    def pairs(self) -> Iterator[tuple[tuple[End, Device], tuple[End, Device]]]:
        """Both ends of every link, in each of the combinations of their states."""
        for link in sorted(self.links, key=sorted):
            one, other = ends(link)
            for near, far in product(self.states.get(one[0], ()), self.states.get(other[0], ())):
                yield (one, near), (other, far)


def violations(half: HalfStates) -> list[str]:
    """Every invariant that some combination of states breaks, each once."""
    checks = (lossy_hops, one_sided_pauses, marks_without_reaction, black_holes, broken_sessions)
    checks = (*checks, narrow_choices, unheard_routes, lost_gateways, looped_routes)
    return list(dict.fromkeys(line for check in checks for line in check(half)))


def marks_of(host: Device) -> set[int]:
    """Code points with which a host marks RDMA: of the libraries, of other programs, of RDMA CM."""
    settings = {**host.host.collective, **host.host.environment}
    bytes_ = [int(value) for name, value in settings.items() if name.endswith(_MARKS) and value.isdigit()]
    for nic in host.host.nics.values():
        bytes_ += nic.traffic_class.values()
    return {byte >> _LOW_BITS for byte in bytes_}


def lossless_points(host: Device) -> set[int]:
    """Code points that every NIC of a host sends in a lossless priority."""
    found = [
        {point for point, priority in nic.dscp_to_priority.items() if priority in (nic.pfc or ())}
        for nic in host.host.nics.values()
    ]
    return set.intersection(*found) if found else set()


def lossy_hops(half: HalfStates) -> Iterator[str]:
    """A packet of the lossless class never meets a hop that maps it to a lossy queue."""
    for end, port in half.ports():
        for point in half.sent:
            found = port.qos.dscp_to_tc.get(point, 0)
            if found not in port.qos.pfc:
                yield f"{place(end)}: code point {point} of the lossless class is in class {found}, which is lossy"
    for host in half.hosts:
        for point in half.marked - lossless_points(host):
            yield f"{host.name}: code point {point} of the lossless class is lossy at a NIC"


def one_sided_pauses(half: HalfStates) -> Iterator[str]:
    """No link has PFC on at one end only for a class in which lossless traffic is sent."""
    for (one, near), (other, far) in half.pairs():
        for (end, device), (back, behind) in (((one, near), (other, far)), ((other, far), (one, near))):
            for point in half.sent_beside(device) & half.sent_beside(behind):
                found = class_at(device, end[1], point)
                if found in paused_at(device, end[1]) and found not in paused_at(behind, back[1]):
                    yield f"{place(end)}: class {found} is paused here and not at {place(back)}"


def class_at(device: Device, port: str, point: int) -> int:
    nic = device.host.nics.get(port)
    found = nic.dscp_to_priority if nic else device.interfaces[port].qos.dscp_to_tc
    return found.get(point, 0)


def paused_at(device: Device, port: str) -> frozenset[int]:
    nic = device.host.nics.get(port)
    return (nic.pfc or frozenset()) if nic else device.interfaces[port].qos.pfc


def marks_without_reaction(half: HalfStates) -> Iterator[str]:
    """No switch marks a class of a NIC that is sent it and does not react."""
    reacting = {
        point: [
            frozenset.intersection(*nic.cc_priorities.values()) if nic.cc_priorities else frozenset[int]()
            for host in half.hosts
            if point in half.sent_beside(host)
            for nic in host.host.nics.values()
        ]
        for point in half.sent
    }
    everywhere = {point: frozenset.intersection(*found) if found else None for point, found in reacting.items()}
    for end, port in half.ports():
        for point, classes in everywhere.items():
            found = port.qos.dscp_to_tc.get(point, 0)
            is_marked = port.qos.tc_to_queue.get(found, found) in port.qos.ecn
            if is_marked and classes is not None and found not in classes:
                yield f"{place(end)}: class {found} is marked, and a NIC does not react to it"


def black_holes(half: HalfStates) -> Iterator[str]:
    """No port of a switch drops a packet that a host sends for its length; hosts agree among themselves."""
    longest = max((port.mtu for host in half.hosts for port in host.interfaces.values()), default=0)
    for end, port in half.ports():
        if port.mtu < longest:
            yield f"{place(end)}: MTU {port.mtu} drops packets of {longest} bytes"


def broken_sessions(half: HalfStates) -> Iterator[str]:
    """Over every link one session at least is agreed on by both ends."""
    for (one, near), (other, far) in half.pairs():
        if near.bgp and far.bgp and not any(True for _ in agreed(one, near, other, far)):
            yield f"{place(one)}: no session with {place(other)} that both ends agree on"


def agreed(one: End, near: Device, other: End, far: Device) -> Iterator[tuple[Session, Session]]:
    """Pairs of sessions, one of each end, that agree: address, AS numbers, password."""
    for mine in _sessions(one, near, other, far):
        for theirs in _sessions(other, far, one, near):
            same = mine.bits == theirs.bits and mine.password == theirs.password
            known = _takes(near, mine, far, theirs) and _takes(far, theirs, near, mine)
            if same and known and _one_subnet(near, one[1], mine, far, other[1], theirs):
                yield mine, theirs


def _takes(near: Device, mine: Session, far: Device, theirs: Session) -> bool:
    """Return whether an end takes the AS number that the other tells it: the one it names, or any but its own."""
    told = theirs.local_as or (far.bgp.asn if far.bgp else None)
    own = near.bgp.asn if near.bgp else None
    return told == mine.remote_as if mine.remote_as is not None else told != own


def _sessions(one: End, near: Device, other: End, far: Device) -> Iterator[Session]:
    addresses = {address.text for address in far.interfaces[other[1]].addresses}
    for session in near.bgp.sessions if near.bgp else ():
        is_meant = session.peer in addresses or session.peer == one[1]
        if is_meant and session.active and not session.shutdown:
            yield session


def _one_subnet(near: Device, port: str, mine: Session, far: Device, back: str, theirs: Session) -> bool:
    """Return whether both sessions run between the same two addresses of the link."""
    if mine.peer == port or theirs.peer == back:
        return mine.peer == port and theirs.peer == back
    subnets = {address.text: address.subnet for address in far.interfaces[back].addresses}
    own = {address.text: address.subnet for address in near.interfaces[port].addresses}
    return subnets.get(mine.peer) == own.get(theirs.peer)


def narrow_choices(half: HalfStates) -> Iterator[str]:
    """A router takes as many paths for each session over a link in one state as in the other."""
    counted: dict[str, dict[int, int]] = {}
    for (one, near), (_, far) in half.pairs():
        if near.bgp and far.bgp:
            over = len([session for session in _sessions(one, near, _, far) if session.bits == _BITS])
            widest = counted.setdefault(one[0], {})
            at = id(near)
            widest[at] = max(widest.get(at, 0), over)
    for name, found in counted.items():
        states = {id(state): state for state in half.states[name]}
        parts = {states[at].bgp.max_paths // most for at, most in found.items() if most and states[at].bgp}
        if len(parts) > 1:
            yield f"{name}: takes {min(parts)} paths of its neighbors in one state, and {max(parts)} in the other"


def unheard_routes(half: HalfStates) -> Iterator[str]:
    """Prefixes that one end originates and sends over a link are taken by the other."""
    for (one, near), (other, far) in half.pairs():
        for mine, theirs in agreed(one, near, other, far):
            yield from _unheard(one, near, mine, other, theirs)
            yield from _unheard(other, far, theirs, one, mine)


def _unheard(end: End, sender: Device, sends: Session, other: End, hears: Session) -> Iterator[str]:
    for network in sender.bgp.networks if sender.bgp else ():
        if network.bits != sends.bits:
            continue
        left = [policy.apply(network) for policy in sends.export_policies]
        marks = left[-1] if left else frozenset[str]()
        if None in left or marks is None:
            continue
        if any(policy.apply(network, marks) is None for policy in hears.import_policies):
            yield f"{place(end)}: sends {network}, and {place(other)} does not take it"


def lost_gateways(half: HalfStates) -> Iterator[str]:
    """A leaf has every subnet and gateway of the hosts at its ports, and announces the subnet."""
    for pair in half.pairs():
        for (one, host), (other, leaf) in (pair, pair[::-1]):
            if host.kind == "host" and leaf.kind == "switch":
                yield from _lost(one, host, other, leaf)


def _lost(one: End, host: Device, other: End, leaf: Device) -> Iterator[str]:
    subnets = {address.subnet for address in _addresses_at(leaf, other[1])}
    answered = {address.text for address in _addresses_at(leaf, other[1])} | _gateways_at(leaf, other[1])
    for address in _addresses_at(host, one[1]):
        if address.subnet not in subnets:
            yield f"{place(one)}: {place(other)} has no address in {address.subnet}"
        elif not _announces(leaf, address):
            yield f"{place(one)}: {leaf.name} does not announce {address.text}"
        for via in {route.via for route in host.routes if route.via and address.subnet.covers(prefix(route.via))}:
            if via not in answered:
                yield f"{place(one)}: {place(other)} does not answer for the gateway {via}"


def _addresses_at(device: Device, port: str) -> list[Address]:
    """Addresses of a port, of its bond and of the VLAN that the bond stands in."""
    interface = device.interfaces[port]
    bond = device.bonds.get(interface.bond)
    return [*interface.addresses, *((*bond.addresses, *device.vlans.get(bond.vlan, ())) if bond else ())]


def _gateways_at(device: Device, port: str) -> frozenset[str]:
    bond = device.bonds.get(device.interfaces[port].bond)
    return bond.gateways if bond else frozenset()


def _announces(leaf: Device, address: Address) -> bool:
    """Return whether a leaf originates a prefix that covers an address, and sends it to a neighbor."""
    if leaf.bgp is None:
        return False
    own = prefix(address.text)
    named = [network for network in (*leaf.bgp.networks, *leaf.bgp.aggregates) if network.covers(own)]
    policies = leaf.bgp.redistributed.values()
    if any(policy is None or policy.permits(address.subnet) for policy in policies):
        named.append(address.subnet)
    return any(
        all(policy.permits(network) for policy in session.export_policies)
        for network in named
        for session in leaf.bgp.sessions
        if session.bits == network.bits
    )


def looped_routes(half: HalfStates) -> Iterator[str]:
    """No router rejects routes of another one because they carry its own AS number, unless both share one for good."""
    own: dict[int, set[str]] = {}
    told: dict[int, set[str]] = {}
    for name, states in half.states.items():
        for speaker in (state.bgp for state in states if state.bgp):
            own.setdefault(speaker.asn, set()).add(name)
            for session in speaker.sessions:
                told.setdefault(session.local_as or speaker.asn, set()).add(name)
    for number, names in told.items():
        for name in own.get(number, set()):
            for other in names - {name}:
                if not _share_number(half.states[name], half.states[other]):
                    yield f"{name}: has AS number {number}, which routes of {other} carry"


def _share_number(near: tuple[Device, ...], far: tuple[Device, ...]) -> bool:
    """Return whether two devices have one AS number before or after."""
    pairs = zip(near, far, strict=True)
    return any(one.bgp and other.bgp and one.bgp.asn == other.bgp.asn for one, other in pairs)
