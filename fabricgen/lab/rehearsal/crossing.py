"""Part of the probes that cross some devices, from the forwarding tables by which they travel."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.verify.predict import Prediction
from fabricgen.lab.verify.reach import Endpoint, list_covering

Pair = tuple[Endpoint, Endpoint]


class Crossing:
    """Answers for one state of a fabric."""

    def __init__(self, blueprint: Blueprint, prediction: Prediction, devices: Collection[str]) -> None:
        """Prepare for the devices of a lab that may be crossed, and its forwarding."""
        self._blueprint = blueprint
        self._tables, self._devices = prediction.interfaces, frozenset(devices)
        self._owners: dict[str, set[str]] = {}
        self._peers = {node.name: {end.name: end.peer for end in node.interfaces} for node in blueprint.nodes}
        for node in blueprint.switches:
            for prefix in node.prefixes:
                self._owners.setdefault(prefix, set()).add(node.name)
        self._prefixes: dict[str, str] = {}
        self._known: dict[tuple[str, str], float] = {}

    def share(self, pairs: Sequence[Pair]) -> float:
        """Return the part of the probes of some pairs that cross a device, each pair sending as many."""
        return sum(map(self.of_pair, pairs)) / len(pairs) if pairs else 0.0

    def of_pair(self, pair: Pair) -> float:
        """Return the part of one pair's probes."""
        a, b = pair
        address = b.place.address
        if address not in self._prefixes:
            self._prefixes[address] = next(iter(list_covering(self._blueprint, b)), "")
        prefix = self._prefixes[address]
        return sum(self._from(leaf, prefix) for leaf in a.leafs) / len(a.leafs) if prefix else 0.0

    def _from(self, name: str, prefix: str) -> float:
        """Return the part of what a switch sends to a prefix that crosses a device, that switch included."""
        if name in self._devices:
            return 1.0
        if name in self._owners[prefix]:
            return 0.0
        key = name, prefix
        if key not in self._known:
            hops = self._tables.get(name, {}).get(prefix, frozenset())
            parts = [self._from(self._peers[name][hop], prefix) for hop in hops]
            self._known[key] = sum(parts) / len(parts) if parts else 0.0
        return self._known[key]
