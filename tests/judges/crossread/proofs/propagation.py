"""Routes sent through the fabric on paper: every leaf's must reach every switch, and none may come down and go up."""

from __future__ import annotations

from dataclasses import dataclass

from ..facts import Session
from ..policy import NO_MARKS, Marks, Prefix, apply_all
from .bonds import attached
from .case import Case
from .routes import host_subnets, originated


@dataclass(slots=True)
class Arc:
    """Sessions from one switch to a neighbour that treat routes alike."""

    sender: str
    receiver: str
    sender_asn: int
    receiver_asn: int
    exporting: Session
    importing: Session
    links: int = 1

    def passes(self, route: Prefix, marks: Marks) -> Marks | None:
        """The communities with which a route arrives, or None where a policy stops it."""
        sent = apply_all(self.exporting.export_policies, route, marks)
        return None if sent is None else apply_all(self.importing.import_policies, route, sent)


@dataclass(slots=True)
class Spread:
    """Where one route gets to.

    Attributes:
        counts: Switch to the number of links over which it learns the route by a shortest path.
        valleys: Arcs on which a route that came from above would go up again.
    """

    counts: dict[str, int]
    valleys: list[Arc]


def _arcs(case: Case, bits: int) -> dict[str, list[Arc]]:
    """Arcs of a family by sender: both directions of every pair of sessions over a link."""
    sessions = case.sessions()
    found: dict[tuple[object, ...], Arc] = {}
    for lower, upper in case.switch_links:
        for here, there in ((lower, upper), (upper, lower)):
            exporting = case.session(sessions, here, there, bits)
            importing = case.session(sessions, there, here, bits)
            sender, receiver = case.fabric.devices[here[0]].bgp, case.fabric.devices[there[0]].bgp
            if exporting is None or importing is None or sender is None or receiver is None:
                continue
            key = (here[0], there[0], *map(id, exporting.export_policies), *map(id, importing.import_policies))
            if key in found:
                found[key].links += 1
            else:
                found[key] = Arc(here[0], there[0], sender.asn, receiver.asn, exporting, importing)
    by_sender: dict[str, list[Arc]] = {}
    for arc in found.values():
        by_sender.setdefault(arc.sender, []).append(arc)
    return by_sender


def _spread(case: Case, arcs: dict[str, list[Arc]], origin: str, route: Prefix) -> Spread:
    """Send a route breadth first: the shortest AS path wins, a path never meets an AS twice."""
    level = case.graph.level
    bgp = case.fabric.devices[origin].bgp
    paths: dict[str, tuple[frozenset[int], Marks]] = {origin: (frozenset((bgp.asn,)) if bgp else frozenset(), NO_MARKS)}
    descended: set[str] = set()
    found = Spread({}, [])
    frontier = [origin]
    while frontier:
        arrived: dict[str, tuple[frozenset[int], Marks]] = {}
        for arc in (arc for name in frontier for arc in arcs.get(name, [])):
            seen, marks = paths[arc.sender]
            if arc.receiver_asn in seen or (passed := arc.passes(route, marks)) is None:
                continue
            upwards = level.get(arc.receiver, 0) > level.get(arc.sender, 0)
            if upwards and arc.sender in descended:
                found.valleys.append(arc)
            if arc.receiver in paths:
                continue
            if not upwards:
                descended.add(arc.receiver)
            arrived.setdefault(arc.receiver, (seen | {arc.receiver_asn}, passed))
            found.counts[arc.receiver] = found.counts.get(arc.receiver, 0) + arc.links
        paths.update(arrived)
        frontier = list(arrived)
    return found


def _expected(case: Case, origin: str) -> dict[str, int]:
    """Switches in reach of a leaf by cables alone, each with its number of equally short cable paths."""
    distance, counts, frontier = {origin: 0}, dict[str, int](), [origin]
    while frontier:
        arrived: dict[str, int] = {}
        for name in frontier:
            for peer, links in case.graph.peers.get(name, {}).items():
                if peer not in distance and case.fabric.devices[peer].kind == "switch":
                    arrived[peer] = arrived.get(peer, 0) + len(links)
        counts.update(arrived)
        distance.update(dict.fromkeys(arrived, 1))
        frontier = list(arrived)
    return counts


def prove_routes_arrive(case: Case) -> list[str]:
    """Every leaf's prefixes reach every switch, over every equally short link, within maximum-paths."""
    found, valleys = [], set[str]()
    arcs = {bits: _arcs(case, bits) for bits in case.families}
    widest: dict[str, int] = {}
    for origin in host_subnets(case):
        device = case.fabric.devices[origin]
        if device.bgp is None:
            continue
        expected = _expected(case, origin)
        for name, count in expected.items():
            widest[name] = max(widest.get(name, 0), count)
        for route in sorted(originated(device) | attached(case, origin)):
            spread = _spread(case, arcs.get(route.bits, {}), origin, route)
            valleys |= {f"{a.sender}: hands routes from above on to {a.receiver} above it" for a in spread.valleys}
            for name, wanted in expected.items():
                has = spread.counts.get(name, 0)
                if has != wanted:
                    found.append(f"{name}: {route} of {origin} arrives over {has} of {wanted} links")
    for name, count in sorted(widest.items()):
        bgp = case.fabric.devices[name].bgp
        if bgp and bgp.max_paths < count:
            found.append(f"{name}: maximum-paths {bgp.max_paths}, but {count} equal-cost links")
    return found + sorted(valleys)
