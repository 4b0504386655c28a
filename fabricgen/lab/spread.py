"""How flows spread over links that cost the same, by the hash of the kernel over addresses and ports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack

from fabricgen.lab.blueprint import Blueprint
from fabricgen.lab.findings import Finding, Result
from fabricgen.lab.kernel import inside, read_counters
from fabricgen.lab.observe import Routes
from fabricgen.lab.packets import Port, Shot, shoot
from fabricgen.lab.reach import Nic, list_nics, pairs_of_leafs

_FLOWS_PER_LINK = 64
"""The share of a link then scatters by an eighth (one over the root of 64) around its mean."""
_LOW, _HIGH = 0.5, 1.6
"""Four and more standard deviations: chance alone leaves these bounds less than once in ten thousand links."""
_LENGTH_BYTES = 1000
_SOURCES = 64
_FIRST_PORT = 48_000

Counters = dict[str, dict[str, int]]


def check_spread(blueprint: Blueprint, routes: dict[str, Routes]) -> Result:
    """Flows that differ in ports only use every link of every equal-cost group on their way, each about as much."""
    pairs = _ring(blueprint)
    before = _count(blueprint)
    sent = {}
    for a, b in pairs:
        width = _width(blueprint, routes, a, b)
        if width:
            sent[a.leaf, b.leaf] = _send(blueprint, a, b, width * _FLOWS_PER_LINK)
    after = _count(blueprint)
    findings: list[Finding] = []
    groups = 0
    for name in before:
        for interfaces, flows in _groups(blueprint, routes, name, pairs, sent):
            groups += 1
            shares = {each: after[name][each] - before[name][each] for each in interfaces}
            findings += _judge(blueprint, name, shares, flows)
    return Result("spread", groups, "equal-cost groups of links", tuple(findings), f"{sum(sent.values())} flows")


def _ring(blueprint: Blueprint) -> list[tuple[Nic, Nic]]:
    """For each leaf a NIC that sends and one of another leaf that receives; no two share a leaf on either side."""
    chosen: list[tuple[Nic, Nic]] = []
    known = pairs_of_leafs(list_nics(blueprint))
    for family in (False, True):
        leafs = list(dict.fromkeys(leaf for leaf, _, six in known if six == family))
        best: list[tuple[Nic, Nic]] = []
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


def _width(blueprint: Blueprint, routes: dict[str, Routes], a: Nic, b: Nic) -> int:
    here = routes.get(a.leaf, {})
    return len(here.get(_prefix(blueprint, here, b.leaf), ()))


def _send(blueprint: Blueprint, a: Nic, b: Nic, flows: int) -> int:
    """Send that many flows of one packet each, from many source ports to many target ports."""
    with ExitStack() as stack:
        sources = [Port(blueprint.namespace(a.place.device), a.place, 0) for _ in range(_SOURCES)]
        count = -(-flows // _SOURCES)
        targets = [Port(blueprint.namespace(b.place.device), b.place, _FIRST_PORT + at) for at in range(count)]
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
    pairs: Sequence[tuple[Nic, Nic]],
    sent: dict[tuple[str, str], int],
) -> Iterator[tuple[frozenset[str], int]]:
    """Equal-cost groups of a switch that the flows have met, with how many did."""
    for a, b in pairs:
        flows = sent.get((a.leaf, b.leaf), 0)
        here = routes.get(name, {})
        hops = here.get(_prefix(blueprint, here, b.leaf), frozenset())
        if flows and len(hops) > 1 and _is_on_the_way(blueprint, routes, name, a, b):
            share = 1 if name == a.leaf else _share(blueprint, routes, name, a, b)
            if flows * share >= len(hops) * _FLOWS_PER_LINK / 2:
                yield hops, round(flows * share)


def _is_on_the_way(blueprint: Blueprint, routes: dict[str, Routes], name: str, a: Nic, b: Nic) -> bool:
    """Whether all that a switch sends towards a leaf comes from one sender: the leaf itself, or the tier above it."""
    return name == a.leaf or blueprint.node(name).tier == blueprint.node(a.leaf).tier + 1


def _share(blueprint: Blueprint, routes: dict[str, Routes], name: str, a: Nic, b: Nic) -> float:
    """The part of a sender's flows that comes to a switch next to its leaf, if the leaf spreads evenly."""
    leaf, here = blueprint.node(a.leaf), routes.get(a.leaf, {})
    hops = here.get(_prefix(blueprint, here, b.leaf), frozenset())
    mine = [hop for hop in hops if leaf.interface(hop).peer == name]
    return len(mine) / len(hops) if hops else 0


def _judge(blueprint: Blueprint, name: str, shares: dict[str, int], flows: int) -> Iterator[Finding]:
    """Links whose share is far from even; shares are bytes, so that the few short packets of routing do not count."""
    mean = flows * _LENGTH_BYTES / len(shares)
    node = blueprint.node(name)
    for interface, sent in sorted(shares.items()):
        if not _LOW <= sent / mean <= _HIGH:
            end = node.interface(interface)
            reason = f"carries {sent / mean:.0%} of an even share of {flows} flows over {len(shares)} links"
            yield Finding(name, f"{interface} to {end.peer} {end.peer_interface}", reason)
