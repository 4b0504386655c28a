"""Forwarding that the plan predicts, with all links or without some: next hops of each switch and prefix.

A path-vector walk over the cabling with the two policies every rendered fabric has: what came from above never goes
up again, and a path that holds the receiver's own AS number is refused. Hosts that speak BGP get whole blocks, no
loopbacks, and take every rail that leads there. It knows no configuration, so it can judge it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from fabricgen.lab.model.blueprint import Blueprint, Node


@dataclass(frozen=True, slots=True)
class Failures:
    """Links and switches that have failed.

    Attributes:
        nodes: Devices that forward nothing.
        links: Ends of links that carry nothing, as (device, interface); either end will do.
        drained: Devices that ask their neighbours to use another way (RFC 8326).
    """

    nodes: frozenset[str] = frozenset()
    links: frozenset[tuple[str, str]] = frozenset()
    drained: frozenset[str] = frozenset()


class Path(NamedTuple):
    """The best path of a device; sorts by preference.

    Attributes:
        drained: It leads through a device that asks to be left out.
        length: AS numbers on it.
        asns: These, nearest first.
        from_above: It was heard from the tier above.
    """

    drained: bool
    length: int
    asns: tuple[int, ...]
    from_above: bool


@dataclass(slots=True)
class Prediction:
    """Next hop interfaces and path length by device and prefix; a prefix of its own has none.

    Attributes:
        hops: AS numbers on the path, by switch and prefix.
        below: Prefixes that a device may accept from a device below it, by (device, device below).
    """

    interfaces: dict[str, dict[str, frozenset[str]]] = field(default_factory=dict)
    hops: dict[str, dict[str, int]] = field(default_factory=dict)
    below: dict[tuple[str, str], set[str]] = field(default_factory=dict)


class _Neighbour(NamedTuple):
    """A device next to another, over links that are all drained or all not."""

    name: str
    is_above: bool
    drained: bool
    interfaces: frozenset[str]


def predict(blueprint: Blueprint, failures: Failures | None = None) -> Prediction:
    """Work out forwarding of every device that runs routing."""
    lost = failures or Failures()
    nodes = {node.name: node for node in blueprint.speakers if node.name not in lost.nodes}
    around = {name: _neighbours(node, nodes, lost) for name, node in nodes.items()}
    drained = lost.drained | {node.name for node in nodes.values() if node.state == "drained"}
    loopbacks = {prefix for node in nodes.values() for prefix in node.loopbacks}
    result = Prediction({name: {} for name in nodes}, {name: {} for name in nodes})
    for owners, prefixes in _by_owners(nodes, lost).items():
        best = _spread(owners, nodes, around, drained)
        for name, path in best.items():
            for above in _above(around[name], path):
                result.below.setdefault((above, name), set()).update(prefixes)
            if name not in owners:
                chosen = _next_hops(nodes[name], path, around[name], best, nodes, drained)
                _add_routes(result, nodes[name], path, chosen, prefixes, loopbacks)
    return result


def _above(around: Iterable[_Neighbour], path: Path) -> list[str]:
    """The devices above that a path may be advertised to: all of them, unless it comes from there."""
    return [] if path.from_above else [each.name for each in around if each.is_above]


def _add_routes(
    result: Prediction, node: Node, path: Path, chosen: frozenset[str], prefixes: list[str], loopbacks: set[str]
) -> None:
    """Note the routes of a device that brings none of the prefixes itself; a host takes none to a loopback."""
    if node.is_switch:
        result.hops[node.name].update(dict.fromkeys(prefixes, path.length))
    routed = prefixes if node.is_switch else [prefix for prefix in prefixes if prefix not in loopbacks]
    result.interfaces[node.name].update(dict.fromkeys(routed, chosen))


def _by_owners(nodes: dict[str, Node], lost: Failures) -> dict[frozenset[str], list[str]]:
    """Prefixes by who brings them into routing; twins bring the same."""
    owners: dict[str, set[str]] = {}
    for node in nodes.values():
        for prefix in (*node.originates, *_announced(node, lost)):
            owners.setdefault(prefix, set()).add(node.name)
    found: dict[frozenset[str], list[str]] = {}
    for prefix, names in owners.items():
        found.setdefault(frozenset(names), []).append(prefix)
    return found


def _announced(node: Node, lost: Failures) -> Iterator[str]:
    """Yield what a device brings into routing because of links that work."""
    for end in node.interfaces:
        ends = {(node.name, end.name), (end.peer, end.peer_interface)}
        if end.peer not in lost.nodes and not ends & lost.links:
            yield from end.announces


def _neighbours(node: Node, nodes: dict[str, Node], lost: Failures) -> tuple[_Neighbour, ...]:
    """Return who a device still talks to, and over which interfaces."""
    found: dict[tuple[str, bool], set[str]] = {}
    for end in node.interfaces:
        ends = {(node.name, end.name), (end.peer, end.peer_interface)}
        if end.neighbors and end.peer in nodes and not ends & lost.links:
            found.setdefault((end.peer, end.drained), set()).add(end.name)
    return tuple(
        _Neighbour(name, nodes[name].tier > node.tier, drained, frozenset(interfaces))
        for (name, drained), interfaces in found.items()
    )


def _spread(
    owners: frozenset[str], nodes: dict[str, Node], around: dict[str, tuple[_Neighbour, ...]], drained: Iterable[str]
) -> dict[str, Path]:
    """The best path of every device to the nearest owner; rounds until nothing changes."""
    best = {name: Path(False, 0, (), False) for name in owners}
    for _ in range(2 * len(nodes)):
        changed = False
        for name, node in nodes.items():
            if name in owners:
                continue
            offers = [
                offer
                for neighbour in around[name]
                if (offer := _offer(node, neighbour, best, nodes, drained)) is not None
            ]
            chosen = min(offers, default=None)
            if chosen != best.get(name):
                changed = True
                if chosen is None:
                    del best[name]
                else:
                    best[name] = chosen
        if not changed:
            break
    return best


def _offer(
    node: Node, neighbour: _Neighbour, best: dict[str, Path], nodes: dict[str, Node], drained: Iterable[str]
) -> Path | None:
    """Return what a neighbour tells a device about the owner; None if nothing, or nothing that may be taken."""
    path = best.get(neighbour.name)
    if path is None or (not neighbour.is_above and path.from_above):
        return None
    asns = (nodes[neighbour.name].asn, *path.asns)
    if node.asn in asns:
        return None
    # A device that drains itself gives accepted routes the lowest preference (FRR, bgpd/bgp_route.c).
    asked = neighbour.drained or neighbour.name in drained or node.name in drained
    return Path(path.drained or asked, len(asns), asns, neighbour.is_above)


def _next_hops(
    node: Node,
    path: Path,
    around: tuple[_Neighbour, ...],
    best: dict[str, Path],
    nodes: dict[str, Node],
    drained: Iterable[str],
) -> frozenset[str]:
    """Interfaces to every neighbour whose offer is as good as the best; a host does not compare lengths."""
    compared = 2 if node.is_switch else 1
    chosen: set[str] = set()
    for neighbour in around:
        offer = _offer(node, neighbour, best, nodes, drained)
        if offer is not None and offer[:compared] == path[:compared]:
            chosen |= neighbour.interfaces
    return frozenset(chosen)
