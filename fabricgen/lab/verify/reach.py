"""Packets from NIC to NIC and over every link: who reaches whom, how far it is, how long a packet may be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from ipaddress import ip_address, ip_network
from typing import NamedTuple

from fabricgen.lab.lifecycle.boot import WORKERS
from fabricgen.lab.lifecycle.kernel import inside
from fabricgen.lab.model.blueprint import Blueprint, Interface, LabNode
from fabricgen.lab.verify.findings import LabFinding, LabResult
from fabricgen.lab.verify.observe import ask_all, name_link, read_links
from fabricgen.lab.verify.packets import PacketEnd, Shot, ShotResult, UdpSocket, echo, shoot
from fabricgen.lab.verify.predict import Prediction

PAIRS_MAX = 20_000
"""Up to so many ordered pairs of NICs every one is tried; beyond, one NIC per leaf with every other leaf's."""
_FLOWS = 16
"""Full-length packets between two NICs, each from another source port, so that they take different links."""


class Endpoint(NamedTuple):
    """An address of a host: its NIC, the leafs behind it (one unless ports bond), and its MTU."""

    place: PacketEnd
    leafs: tuple[str, ...]
    mtu_bytes: int

    @property
    def leaf(self) -> str:
        """The first of its leafs."""
        return self.leafs[0]


def list_endpoints(blueprint: Blueprint) -> list[Endpoint]:
    """Every address of a host NIC; the ports of a bond share one."""
    found: list[Endpoint] = []
    for host in blueprint.hosts:
        ends: dict[str, list[Interface]] = {}
        for end in host.interfaces:
            for address in end.addresses:
                ends.setdefault(address.partition("/")[0], []).append(end)
        for address, own in ends.items():
            leafs = tuple(dict.fromkeys(end.peer for end in own))
            place = PacketEnd(host.name, own[0].name, address, pinned=len(own) == 1)
            found.append(Endpoint(place, leafs, min(end.mtu_bytes for end in own)))
    return found


def one_per_leaf(nics: Sequence[Endpoint]) -> list[Endpoint]:
    """The first NIC of each leaf and address family."""
    found: dict[tuple[str, bool], Endpoint] = {}
    for nic in nics:
        found.setdefault((nic.leaf, ":" in nic.place.address), nic)
    return list(found.values())


def pairs_of_leafs(nics: Sequence[Endpoint]) -> dict[tuple[str, str, bool], tuple[Endpoint, Endpoint]]:
    """For every ordered pair of leafs and family a NIC of each, of two hosts; leafs that share their only host miss."""
    by_leaf: dict[tuple[str, bool], dict[str, Endpoint]] = {}
    for nic in nics:
        by_leaf.setdefault((nic.leaf, ":" in nic.place.address), {}).setdefault(nic.place.device, nic)
    found = {}
    for (leaf, family), sources in by_leaf.items():
        for (other, other_family), targets in by_leaf.items():
            if leaf != other and family == other_family:
                pair = next(_pairs(sources.values(), targets.values()), None)
                if pair:
                    found[leaf, other, family] = pair
    return found


def choose_pairs(nics: Sequence[Endpoint]) -> tuple[list[tuple[Endpoint, Endpoint]], str]:
    """Ordered pairs of NICs of different hosts and one family, and what was left out."""
    if len(nics) ** 2 <= PAIRS_MAX:
        return list(_pairs(nics, nics)), ""
    pairs = list(pairs_of_leafs(nics).values())
    return pairs, f"sample of {len(nics)} NICs: one peer per leaf, every ordered pair of leafs"


def _pairs(sources: Iterable[Endpoint], targets: Iterable[Endpoint]) -> Iterator[tuple[Endpoint, Endpoint]]:
    for a in sources:
        for b in targets:
            if a.place.device != b.place.device and (":" in a.place.address) == (":" in b.place.address):
                yield a, b


@contextmanager
def open_ports(blueprint: Blueprint, places: Sequence[PacketEnd]) -> Iterator[dict[PacketEnd, UdpSocket]]:
    """One port for each place, for as long as the block lasts."""
    with ExitStack() as stack:
        sockets = ((place, UdpSocket(blueprint.namespace(place.device), place)) for place in dict.fromkeys(places))
        yield {place: stack.enter_context(closing(port)) for place, port in sockets}


def list_covering(blueprint: Blueprint, nic: Endpoint) -> list[str]:
    """Return the prefixes of the leafs of a NIC that have its address, the longest first."""
    address = ip_address(nic.place.address)
    prefixes = {prefix for leaf in nic.leafs for prefix in blueprint.node(leaf).prefixes}
    found = [prefix for prefix in prefixes if address in ip_network(prefix)]
    return sorted(found, key=lambda prefix: -ip_network(prefix).prefixlen)


def routers_between(blueprint: Blueprint, prediction: Prediction, a: Endpoint, b: Endpoint) -> int:
    """Routers a packet passes as planned, at most, where several leafs may be taken; -1 if it may not arrive."""
    longest = list_covering(blueprint, b)
    learned = prediction.interfaces.get(a.place.device)
    if learned is not None and not any(a.place.interface in learned.get(prefix, ()) for prefix in longest):
        return -1
    found = []
    for leaf in a.leafs:
        hops = prediction.hops.get(leaf, {})
        across = next((hops[prefix] + 1 for prefix in longest if prefix in hops), -1)
        found.append(1 if leaf in b.leafs else across)
    return -1 if -1 in found else max(found)


def check_reach(blueprint: Blueprint, prediction: Prediction) -> tuple[LabResult, LabResult]:
    """Every NIC reaches every NIC that the plan lets it reach, over as many routers as planned; and nothing else."""
    nics = list_endpoints(blueprint)
    pairs, note = choose_pairs(nics)
    with open_ports(blueprint, [nic.place for nic in nics]) as ports:
        outcomes = shoot([Shot(ports[a.place], ports[b.place]) for a, b in pairs])
    faults = []
    for (a, b), outcome in zip(pairs, outcomes, strict=True):
        planned = routers_between(blueprint, prediction, a, b)
        reason = _judge_reach(planned, outcome)
        if reason:
            faults.append(LabFinding(a.place.device, f"{a.place.interface} to {b.place}", reason))
    reach = LabResult("reachability", len(pairs), "ordered pairs of NICs", tuple(faults), note)
    return reach, _check_nothing_else(blueprint, one_per_leaf(nics))


def _judge_reach(planned: int, outcome: ShotResult) -> str:
    if outcome.arrived and planned < 0:
        return f"arrives over {outcome.routers} routers, and should not arrive at all"
    if not outcome.arrived and planned >= 0:
        return _with_error("does not arrive", outcome)
    if outcome.arrived and outcome.routers != planned:
        return f"passes {outcome.routers} routers, planned are {planned}"
    return ""


def _with_error(reason: str, outcome: ShotResult) -> str:
    return f"{reason}: {outcome.error}" if outcome.error else reason


def _check_nothing_else(blueprint: Blueprint, nics: Sequence[Endpoint]) -> LabResult:
    """A NIC reaches its gateway, but no loopback, no link between switches and no unassigned address."""
    with ThreadPoolExecutor(WORKERS) as pool:
        asked = list(pool.map(lambda nic: _ask_unreachable(blueprint, nic), nics))
    examined = sum(count for count, _ in asked)
    findings = tuple(finding for _, found in asked for finding in found)
    return LabResult("nothing else", examined, "other addresses", findings, "one NIC of every leaf asks")


def _ask_unreachable(blueprint: Blueprint, nic: Endpoint) -> tuple[int, list[LabFinding]]:
    gateway, forbidden = _unreachable(blueprint, nic)
    answered = echo(blueprint.namespace(nic.place.device), nic.place, [*gateway, *forbidden])
    findings = []
    for address in gateway:
        if address not in answered:
            reason = f"its gateway {address} does not answer"
            findings.append(LabFinding(nic.place.device, f"{nic.place.interface} to {nic.leaf}", reason))
    for address, what in forbidden.items():
        if address in answered:
            reason = f"{what} {address} answers, and should be out of reach"
            findings.append(LabFinding(nic.place.device, nic.place.interface, reason))
    return len(gateway) + len(forbidden), findings


def _unreachable(blueprint: Blueprint, nic: Endpoint) -> tuple[list[str], dict[str, str]]:
    """The gateway of a NIC, and addresses it has no business with, by what they are; of the NIC's family."""
    six = ":" in nic.place.address
    leaf = blueprint.node(nic.leaf)
    port = blueprint.node(nic.place.device).interface(nic.place.interface).peer_interface
    gateway = [address.partition("/")[0] for address in leaf.interface(port).addresses if (":" in address) == six]
    forbidden: dict[str, str] = {}
    for switch in (leaf, *blueprint.switches[-2:]):
        for loopback in switch.loopbacks:
            forbidden[loopback.partition("/")[0]] = f"the loopback of {switch.name}"
        for end in switch.interfaces:
            if blueprint.node(end.peer).is_switch:
                for address in end.addresses:
                    forbidden[address.partition("/")[0]] = f"the link address of {switch.name} {end.name},"
                break
    for address in _unassigned(blueprint, nic.leaf, six):
        forbidden[address] = "an unused address,"
    return gateway, {address: what for address, what in forbidden.items() if (":" in address) == six}


def _unassigned(blueprint: Blueprint, own: str, six: bool) -> Iterator[str]:
    """The last address of another leaf's host block, if it is unassigned."""
    taken = {
        str(ip_address(address.partition("/")[0]))
        for node in blueprint.nodes
        for end in node.interfaces
        for address in end.addresses
    }
    for node in blueprint.switches:
        for prefix in node.originates:
            network = ip_network(prefix)
            last = str(network[-1])
            if node.name != own and network.num_addresses > 1 and (network.version == 6) == six and last not in taken:
                yield last
                return


def check_mtu(blueprint: Blueprint, prediction: Prediction) -> LabResult:
    """Packets as long as the MTU pass every link both ways and every pair of leafs end to end, never in fragments."""
    findings = [*_check_interfaces(blueprint)]
    links = list(_check_links(blueprint))
    findings += [finding for _, finding in links if finding]
    ends, pairs = _check_ends(blueprint, prediction)
    findings += ends
    note = f"{len(links)} ends of links, {pairs} pairs of leafs over {_FLOWS} flows each"
    return LabResult("mtu", len(links) + pairs, "paths with don't-fragment", tuple(findings), note)


def _check_interfaces(blueprint: Blueprint) -> Iterator[LabFinding]:
    links = ask_all(blueprint.nodes, lambda node: read_links(blueprint, node))
    for node in blueprint.nodes:
        for end in node.interfaces:
            found = links[node.name].get(end.name, {}).get("mtu")
            if found is not None and found != end.mtu_bytes:
                yield LabFinding(node.name, name_link(end), f"MTU is {found}, planned is {end.mtu_bytes}")


def _check_links(blueprint: Blueprint) -> Iterator[tuple[Shot, LabFinding | None]]:
    """One full-length packet over every link, each way; a packet that is refused at once tells the sender's fault."""
    with ExitStack() as stack:
        ports: dict[tuple[str, str], UdpSocket] = {}
        for node in blueprint.nodes:
            for end in node.interfaces:
                address = _link_address(blueprint, node, end)
                if address:
                    place = PacketEnd(node.name, end.name, address)
                    try:
                        port = UdpSocket(blueprint.namespace(node.name), place, forward=False)
                    except OSError:
                        continue
                    ports[node.name, end.name] = stack.enter_context(closing(port))
        shots, ends = [], []
        for node in blueprint.nodes:
            for end in node.interfaces:
                a, b = ports.get((node.name, end.name)), ports.get((end.peer, end.peer_interface))
                if a and b and a.socket.family == b.socket.family:
                    shots.append(Shot(a, b, end.mtu_bytes))
                    ends.append((node, end))
        for shot, (node, end), outcome in zip(shots, ends, shoot(shots), strict=True):
            fault = None
            if not outcome.arrived:
                reason = f"a packet of {end.mtu_bytes} bytes does not arrive at the other end"
                fault = LabFinding(node.name, name_link(end), _with_error(reason, outcome))
            yield shot, fault


def _link_address(blueprint: Blueprint, node: LabNode, end: Interface) -> str:
    """The address of an interface, link-local where it has no other."""
    if end.addresses:
        return end.addresses[0].partition("/")[0]
    with inside(blueprint.namespace(node.name)), open("/proc/thread-self/net/if_inet6") as lines:
        for line in lines:
            digits, _, _, _, _, name = line.split()
            if name == end.name and digits.startswith("fe80"):
                return ":".join(digits[at : at + 4] for at in range(0, 32, 4))
    return ""


def _check_ends(blueprint: Blueprint, prediction: Prediction) -> tuple[list[LabFinding], int]:
    """Full-length packets between one NIC of each leaf, over many flows each."""
    nics = list_endpoints(blueprint)
    pairs = [(a, b) for a, b in pairs_of_leafs(nics).values() if routers_between(blueprint, prediction, a, b) > 0]
    with ExitStack() as stack:

        def open_port(nic: Endpoint, *number: int) -> UdpSocket:
            return stack.enter_context(closing(UdpSocket(blueprint.namespace(nic.place.device), nic.place, *number)))

        targets = {nic: open_port(nic) for nic in {b for _, b in pairs}}
        sources = {nic: [open_port(nic, 0) for _ in range(_FLOWS)] for nic in {a for a, _ in pairs}}
        flows = [(a, b, port) for a, b in pairs for port in sources[a]]
        shots = [Shot(port, targets[b], min(a.mtu_bytes, b.mtu_bytes)) for a, b, port in flows]
        outcomes = zip(flows, shoot(shots), strict=True)
        lost = Counter((a, b) for (a, b, _), outcome in outcomes if not outcome.arrived)
    findings = [
        LabFinding(
            a.place.device, f"{a.place.interface} to {b.place}", f"{count} of {_FLOWS} full-length flows are lost"
        )
        for (a, b), count in lost.items()
    ]
    return findings, len(pairs)
