"""Forwarding that the plan predicts, with all links or without some: next hops of each switch and prefix.

Routes are chosen as ``analysis.forwarding`` has it, by each device over the cables of the lab. Hosts that speak BGP get
whole blocks, no loopbacks, and take every rail that leads there. It knows no configuration, so it can judge it; what
the kernels do is read by ``observe``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from fabricgen.analysis.cells import Key
from fabricgen.analysis.forwarding import BestRoute, CellLinks, Routes, list_offers, route
from fabricgen.lab.model.blueprint import Blueprint, Interface, LabNode, have_session


@dataclass(frozen=True, slots=True)
class FailedParts:
    """Links and switches that have failed.

    Attributes:
        links: Ends of links that carry nothing, as (device, interface); either end will do.
        drained: Devices that ask their neighbours to use another way (RFC 8326).
        restored: Devices that are taken as in service, with all their sessions, whatever their state is.
    """

    nodes: frozenset[str] = frozenset()
    links: frozenset[tuple[str, str]] = frozenset()
    drained: frozenset[str] = frozenset()
    restored: frozenset[str] = frozenset()


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


class _Devices:
    """Devices that run routing, and the links by which each learns routes of the others; see ``forwarding.Graph``."""

    def __init__(self, blueprint: Blueprint, lost: FailedParts) -> None:
        nodes = [node for node in blueprint.speakers if node.name not in lost.nodes]
        self.cells: dict[Key, LabNode] = {
            (node.tier, at): node for at, node in sorted(enumerate(nodes), key=lambda each: each[1].tier)
        }
        drained = lost.drained.union(node.name for node in nodes if node.state == "drained") - lost.restored
        self.drained = {key for key, node in self.cells.items() if node.name in drained}
        self.up: dict[Key, list[CellLinks]] = {key: [] for key in self.cells}
        self.down: dict[Key, list[CellLinks]] = {key: [] for key in self.cells}
        self._interfaces: dict[tuple[Key, CellLinks], frozenset[str]] = {}
        keys = {node.name: key for key, node in self.cells.items()}
        for key, node in self.cells.items():
            self._add_bundles(key, node, keys, lost)
        self.has_drains = bool(self.drained) or any(bundle.drained for _, bundle in self._interfaces)

    def _add_bundles(self, key: Key, node: LabNode, keys: Mapping[str, Key], lost: FailedParts) -> None:
        found: dict[tuple[Key, bool], set[str]] = {}
        for end in node.interfaces:
            if not end.neighbors or end.peer not in keys or _is_lost(node, end, lost):
                continue
            is_restored = not lost.restored.isdisjoint((node.name, end.peer))
            if is_restored or have_session(node, end, self.cells[keys[end.peer]]):
                found.setdefault((keys[end.peer], end.drained), set()).add(end.name)
        for (other, drained), names in found.items():
            bundle = CellLinks(min(key, other), max(key, other), len(names), drained)
            (self.up if other > key else self.down)[key].append(bundle)
            self._interfaces[key, bundle] = frozenset(names)

    def asn(self, key: Key) -> int:
        """Return the AS number of a device."""
        return self.cells[key].asn

    def interfaces(self, key: Key, path: BestRoute, routes: Routes) -> frozenset[str]:
        """Return the interfaces by which a device sends; a host does not compare the lengths of paths."""
        hops = path.hops
        if not self.cells[key].is_switch:
            offers = list_offers(self, routes, key)
            hops = tuple(hop for offer in offers if offer.drained == path.drained for hop in offer.hops)
        return frozenset().union(*(self._interfaces[key, hop] for hop in hops))


def predict(blueprint: Blueprint, failures: FailedParts | None = None) -> Prediction:
    """Work out forwarding of every device that runs routing."""
    lost = failures or FailedParts()
    devices = _Devices(blueprint, lost)
    names = {key: node.name for key, node in devices.cells.items()}
    loopbacks = {prefix for node in devices.cells.values() for prefix in node.loopbacks}
    result = Prediction({name: {} for name in names.values()}, {name: {} for name in names.values()})
    for owners, prefixes in _by_owners(devices, lost).items():
        routes = route(devices, owners)
        for key, path in routes.items():
            for bundle in () if path.from_above else devices.up[key]:
                result.below.setdefault((names[bundle.upper], names[key]), set()).update(prefixes)
            if key not in owners:
                hops = devices.interfaces(key, path, routes)
                _add_routes(result, devices.cells[key], path.length, hops, prefixes, loopbacks)
    return result


def _add_routes(
    result: Prediction, node: LabNode, length: int, hops: frozenset[str], prefixes: list[str], loopbacks: set[str]
) -> None:
    """Note the routes of a device that brings none of the prefixes itself; a host takes none to a loopback."""
    if node.is_switch:
        result.hops[node.name].update(dict.fromkeys(prefixes, length))
    routed = prefixes if node.is_switch else [prefix for prefix in prefixes if prefix not in loopbacks]
    result.interfaces[node.name].update(dict.fromkeys(routed, hops))


def _by_owners(devices: _Devices, lost: FailedParts) -> dict[frozenset[Key], list[str]]:
    """Prefixes by who brings them into routing; twins bring the same."""
    owners: dict[str, set[Key]] = {}
    for key, node in devices.cells.items():
        for prefix in (*node.originates, *_announced(node, lost)):
            owners.setdefault(prefix, set()).add(key)
    found: dict[frozenset[Key], list[str]] = {}
    for prefix, keys in owners.items():
        found.setdefault(frozenset(keys), []).append(prefix)
    return found


def _announced(node: LabNode, lost: FailedParts) -> Iterator[str]:
    """Yield what a device brings into routing because of links that work."""
    for end in node.interfaces:
        if end.peer not in lost.nodes and not _is_lost(node, end, lost):
            yield from end.announces


def _is_lost(node: LabNode, end: Interface, lost: FailedParts) -> bool:
    """Return whether the link of an interface has failed."""
    return not lost.links.isdisjoint(((node.name, end.name), (end.peer, end.peer_interface)))
