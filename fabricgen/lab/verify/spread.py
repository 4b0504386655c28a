"""Distribution of flows over equal-cost links, by the hash of the kernel over addresses and ports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from math import sqrt

from fabricgen.lab.lifecycle.kernel import ask_ip, inside, read_counters
from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.verify.findings import LabFinding, LabResult
from fabricgen.lab.verify.observe import Routes, name_link
from fabricgen.lab.verify.packets import Shot, UdpSocket, shoot
from fabricgen.lab.verify.reach import Endpoint, list_endpoints, pairs_of_leafs

_FLOWS_PER_LINK = 64
_FLOWS_LEAST = 32
"""Groups that meet fewer flows per link are not judged: chance says too much in them."""
_DEVIATIONS = 5
"""Standard deviations that a link may be from an even share; chance goes beyond once in a million links."""
_LENGTH_BYTES = 1000
_SOURCES = 64
_FIRST_PORT = 20_001

Counters = dict[str, dict[str, int]]


def check_spread(blueprint: Blueprint, routes: dict[str, Routes]) -> LabResult:
    """Flows that differ in ports only use every link of every equal-cost group on their way, each about as much."""
    pairs = _ring(blueprint, routes)
    before = _count(blueprint)
    sent = {}
    for a, b in pairs:
        width = _width(blueprint, routes, a, b)
        if width:
            sent[a.leaf, b.leaf] = _send(blueprint, a, b, width * _FLOWS_PER_LINK)
    after = _count(blueprint)
    findings: list[LabFinding] = []
    groups = 0
    for name in before:
        for interfaces in _groups(blueprint, routes, name, pairs, sent):
            shares = {each: after[name][each] - before[name][each] for each in interfaces}
            if sum(shares.values()) >= len(shares) * _FLOWS_LEAST * _LENGTH_BYTES:
                groups += 1
                findings += _judge(blueprint, name, shares)
    return LabResult("spread", groups, "equal-cost groups of links", tuple(findings), f"{sum(sent.values())} flows")


def _ring(blueprint: Blueprint, routes: dict[str, Routes]) -> list[tuple[Endpoint, Endpoint]]:
    """For each leaf a NIC that sends and one of another leaf that receives; no two share a leaf on either side."""
    chosen: list[tuple[Endpoint, Endpoint]] = []
    pairs = pairs_of_leafs(list_endpoints(blueprint))
    known = {key: pair for key, pair in pairs.items() if _width(blueprint, routes, *pair)}
    for family in (False, True):
        leafs = list(dict.fromkeys(leaf for leaf, _, six in known if six == family))
        best: list[tuple[Endpoint, Endpoint]] = []
        for by in range(1, len(leafs)):
            others = [leafs[(at + by) % len(leafs)] for at in range(len(leafs))]
            found = [known[a, b, family] for a, b in zip(leafs, others, strict=True) if (a, b, family) in known]
            best = max(best, found, key=len)
        chosen += best
    return chosen


def _prefix(blueprint: Blueprint, routes: Routes, leaf: str) -> str:
    """A prefix of a leaf that a device has a route to, the widest one first."""
    blocks = sorted(blueprint.node(leaf).originates, key=lambda prefix: int(prefix.partition("/")[2]))
    return next((prefix for prefix in blocks if prefix in routes), "")


def _width(blueprint: Blueprint, routes: dict[str, Routes], a: Endpoint, b: Endpoint) -> int:
    here = routes.get(a.leaf, {})
    return len(here.get(_prefix(blueprint, here, b.leaf), ()))


def _send(blueprint: Blueprint, a: Endpoint, b: Endpoint, flows: int) -> int:
    """Send that many flows of one packet each, from many source ports to many target ports."""
    with ExitStack() as stack:
        sources = [UdpSocket(blueprint.namespace(a.place.device), a.place, 0) for _ in range(_SOURCES)]
        count = -(-flows // _SOURCES)
        targets = [UdpSocket(blueprint.namespace(b.place.device), b.place, _FIRST_PORT + at) for at in range(count)]
        for port in (*sources, *targets):
            stack.callback(port.close)
        shots = [Shot(source, target, _LENGTH_BYTES) for target in targets for source in sources]
        return sum(outcome.arrived for outcome in shoot(shots, tries=1))


def _count(blueprint: Blueprint) -> Counters:
    found = {}
    for node in blueprint.switches:
        with inside(blueprint.namespace(node.name)):
            found[node.name] = read_counters()
    return found


def _groups(
    blueprint: Blueprint,
    routes: dict[str, Routes],
    name: str,
    pairs: Sequence[tuple[Endpoint, Endpoint]],
    sent: dict[tuple[str, str], int],
) -> Iterator[frozenset[str]]:
    """Groups of a switch that the flows have met and share equally."""
    for a, b in pairs:
        flows = sent.get((a.leaf, b.leaf), 0)
        here = routes.get(name, {})
        prefix = _prefix(blueprint, here, b.leaf)
        hops = here.get(prefix, frozenset())
        on_the_way = flows and len(hops) > 1 and _is_on_the_way(blueprint, name, a)
        if on_the_way and not _is_weighted(blueprint, name, prefix):
            yield hops


def _is_weighted(blueprint: Blueprint, name: str, prefix: str) -> bool:
    """Return whether next hops of a prefix have different weights, by which flows are not shared equally."""
    family, table = "-6" if ":" in prefix else "-4", blueprint.node(name).table
    routes = ask_ip(blueprint.namespace(name), family, "route", "show", "table", table, prefix)
    return any(len({hop["weight"] for hop in route.get("nexthops", ())}) > 1 for route in routes)


def _is_on_the_way(blueprint: Blueprint, name: str, a: Endpoint) -> bool:
    """Return whether all that a switch sends towards a leaf comes from one sender: the leaf, or the tier above."""
    return name in a.leafs or blueprint.node(name).tier == blueprint.node(a.leaf).tier + 1


def _judge(blueprint: Blueprint, name: str, shares: dict[str, int]) -> Iterator[LabFinding]:
    """Links whose share is far from even; shares are bytes, so that the few short packets of routing do not count."""
    mean = sum(shares.values()) / len(shares)
    tolerance = _DEVIATIONS / sqrt(mean / _LENGTH_BYTES)
    # The kernel may send over a link that is not intended.
    node = blueprint.node(name)
    links = {end.name: name_link(end) for end in node.interfaces}
    for interface, sent in sorted(shares.items()):
        if abs(sent / mean - 1) > tolerance:
            flows = round(mean * len(shares) / _LENGTH_BYTES)
            reason = f"carries {sent / mean:.0%} of an even share of {flows} flows over {len(shares)} links"
            yield LabFinding(name, links.get(interface, interface), reason)
