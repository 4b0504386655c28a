"""Pairs of leafs in service by class, and the bandwidth planned between the two of each.

Switches above the leafs are nodes, with the shares in which traffic climbs from each to the next tier: the bandwidth of
all pairs at once, whatever the destination; next hops towards one are those of ``forwarding``.

Pods and zones in which everything is as planned are alike, so the spines of one number in all such pods are one node:
with it all of them are out. Where exceptions take away or move something, every switch is a node of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from math import lcm
from typing import NamedTuple

from fabricgen.analysis.cells import REST, Element, Symmetry
from fabricgen.plan.model.cabling import up_links, upper_peers
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, FabricLinkId

UpwardHops = tuple[tuple[int, int], ...]
"""Nodes right above a switch, with the links to each."""
Flow = dict[int, int]
"""Traffic by node, in the unit of ``UpwardGraph.scale``."""


class UpwardGraph:
    """The nodes of a plan above its leafs.

    ``nodes`` numbers them by the switch that stands for each. ``above`` has the nodes above each, with the number of
    links to them: traffic is shared by link.
    """

    def __init__(self, plan: FabricPlan) -> None:
        """Note what exceptions single out; nodes are added as leafs are asked for."""
        self.plan = plan
        self.nodes: dict[DeviceId, int] = {}
        self.tiers: list[int] = []
        self.above: list[UpwardHops] = []
        known = plan.exceptions
        moved: list[Element] = [switch for switch, found in known.switches.items() if found.state]
        moved += [link for link in known.links if isinstance(link, FabricLinkId) and _is_moved(plan, link)]
        self._places = Symmetry(plan).singled_out(moved).places

    @cached_property
    def totals(self) -> list[int]:
        """Links of each node upwards; every leaf has to be added before."""
        return [sum(links for _, links in above) for above in self.above]

    @cached_property
    def scale(self) -> int:
        """Return what one link of a leaf counts."""
        found = 1
        for tier in range(1, len(self.plan.tiers)):
            found *= lcm(*{total for total, at in zip(self.totals, self.tiers, strict=True) if at == tier and total})
        return found

    def place(self, zone: int, pod: int) -> tuple[int, int]:
        """Return zone and pod, each below 0 where it is like others."""
        return zone if (zone,) in self._places else REST, pod if (zone, pod) in self._places else REST

    def column(self, device: DeviceId) -> DeviceId:
        """Return the switch that stands for one and all that are out together with it."""
        scope = self.plan.tiers[device.tier].scope
        if scope == "fabric":
            return device
        zone, pod = self.place(device.where.zone, device.where.pod)
        return device._replace(where=device.where._replace(zone=zone, pod=pod if scope == "pod" else 0))

    def node(self, device: DeviceId) -> int | None:
        """Return the number of the node of a switch; None where no leaf in service is below it."""
        return self.nodes.get(self.column(device))

    def example(self, node: int) -> DeviceId:
        """Return the first switch of a node."""
        column, counts = self._columns[node], self.plan.tiers[0].counts
        found = (column.where._replace(zone=zone, pod=pod) for zone in range(counts.zone) for pod in range(counts.pod))
        alike = (column._replace(where=where) for where in found)
        return column if min(column.where) > REST else next(each for each in alike if self.column(each) == column)

    @cached_property
    def _columns(self) -> list[DeviceId]:
        """Switches that stand for the nodes; every leaf has to be added before."""
        return list(self.nodes)

    def flow(self, step: UpwardHops) -> Flow:
        """Return the traffic at every node above a ``step``, each full link of a leaf carrying ``scale``."""
        scale = self.scale
        found: Flow = {node: links * scale for node, links in step}
        layer = found
        while layer := self.lifted(layer):
            for node, flow in layer.items():
                found[node] = found.get(node, 0) + flow
        return found

    def lifted(self, layer: Flow) -> Flow:
        """Return what the nodes of one tier send to those of the next."""
        found: Flow = {}
        for node, flow in layer.items():
            total = self.totals[node]
            for upper, links in self.above[node]:
                found[upper] = found.get(upper, 0) + flow * links // total
        return found

    def step(self, device: DeviceId) -> UpwardHops:
        """Return the nodes right above a switch with the links to each, and add them with all above them."""
        return tuple(sorted((self._add(upper), links) for upper, links in self._uppers(device).items()))

    def _add(self, device: DeviceId) -> int:
        column = self.column(device)
        found = self.nodes.get(column)
        if found is None:
            found = self.nodes[column] = len(self.tiers)
            self.tiers.append(device.tier)
            self.above.append(())
            self.above[found] = self.step(device)
        return found

    def _uppers(self, device: DeviceId) -> Counter[DeviceId]:
        """Links that carry traffic, by the switch above; what is drained carries none."""
        known = self.plan.exceptions
        if device not in known.touched:
            links = self.plan.links[device.tier + 1].per_pair if device.tier + 1 < len(self.plan.tiers) else 0
            # A drained switch leaves its neighbours untouched: nothing at them is configured otherwise.
            uppers = (
                upper
                for upper in upper_peers(self.plan, device)
                if (found := known.of(upper)) is None or not found.state
            )
            return Counter(dict.fromkeys(uppers, links))
        carrying: Counter[DeviceId] = Counter()
        for link in up_links(self.plan, device):
            change, upper = known.links.get(link.id), known.of(link.upper_end)
            if not (change and change.state) and not (upper and upper.state):
                carrying[link.upper_end] += 1
        return carrying


def _is_moved(plan: FabricPlan, link: FabricLinkId) -> bool:
    found = plan.exceptions.links[link]
    return bool(found.state) or found.end is not None


RELATIONS = (("pod", "zone", "fabric"), ("zone", "fabric"), ("fabric",))
"""Scopes of a tier whose switches can join two leafs: of one pod, of one zone, and of different zones."""
Places = Counter[tuple[int, int]]


class LeafClass(NamedTuple):
    """Leafs with the same way up, counted by zone and pod; ``flow`` is traffic at nodes above with all uplinks full."""

    leafs: tuple[DeviceId, ...]
    flow: Flow
    places: Places


class LeafPair(NamedTuple):
    """Pairs of leafs of two classes that meet in a tier.

    Attributes:
        one: Number of the class of the first; ``other`` of the second.
        tier: The lowest tier in which their ways meet; traffic turns there.
        planned: What the links can carry between the two, in the unit of the flows.
    """

    one: int
    other: int
    tier: int
    planned: int


class LeafPairs:
    """Every class of pairs of leafs in service.

    Two leafs of different planes never meet, and are no pair.

    Attributes:
        pairs_of: Numbers of the pairs that a class takes part in.
        classes_at: Numbers of the classes with traffic at a node.
    """

    def __init__(self, plan: FabricPlan) -> None:
        """Work out classes and pairs."""
        self.plan, self.graph = plan, UpwardGraph(plan)
        self.classes = list(self._list_classes())
        self.pairs = list(dict.fromkeys(self._list_pairs()))
        self.pairs_of: list[list[int]] = [[] for _ in self.classes]
        for number, pair in enumerate(self.pairs):
            for at in {pair.one, pair.other}:
                self.pairs_of[at].append(number)
        self.classes_at: list[list[int]] = [[] for _ in self.graph.tiers]
        for at, found in enumerate(self.classes):
            for node in found.flow:
                self.classes_at[node].append(at)

    def _list_classes(self) -> Iterator[LeafClass]:
        plan, graph = self.plan, self.graph
        pattern = plan.links[1].pattern if len(plan.tiers) > 1 else ""
        steps: dict[tuple[int, ...], UpwardHops] = {}
        found: dict[tuple[tuple[int, int], UpwardHops], list[DeviceId]] = {}
        for where in plan.tiers[0].coordinates():
            leaf = DeviceId(0, where)
            change = plan.exceptions.of(leaf)
            if change is not None and change.state:
                continue
            place = graph.place(where.zone, where.pod)
            if leaf in plan.exceptions.touched:
                step = graph.step(leaf)
            else:
                stripe = {"stripe_index": where.index, "stripe_rail": where.group}.get(pattern, 0)
                key = (*place, where.plane, stripe)
                if key not in steps:
                    steps[key] = graph.step(leaf)
                step = steps[key]
            found.setdefault((place, step), []).append(leaf)
        for (_, step), leafs in found.items():
            places = Counter((leaf.where.zone, leaf.where.pod) for leaf in leafs)
            yield LeafClass(tuple(leafs), graph.flow(step), places)

    def _list_pairs(self) -> Iterator[LeafPair]:
        for one, first in enumerate(self.classes):
            for other in range(one, len(self.classes)):
                second = self.classes[other]
                if first.flow.keys().isdisjoint(second.flow.keys()):
                    continue
                for scopes, exists in zip(RELATIONS, _relations(first, second, same=one == other), strict=True):
                    tier, planned = self._meeting(first.flow, second.flow, scopes) if exists else (0, 0)
                    if planned:
                        yield LeafPair(one, other, tier, planned)

    def _meeting(self, one: Flow, other: Flow, scopes: tuple[str, ...]) -> tuple[int, int]:
        """Return the lowest tier of some scopes that joins two leafs, and the bandwidth planned there."""
        planned: Counter[int] = Counter()
        for node, flow in one.items():
            if node in other:
                planned[self.graph.tiers[node]] += min(flow, other[node])
        tiers = [tier for tier in sorted(planned) if self.plan.tiers[tier].scope in scopes and planned[tier]]
        return (tiers[0], planned[tiers[0]]) if tiers else (0, 0)


def _relations(one: LeafClass, other: LeafClass, *, same: bool) -> tuple[bool, bool, bool]:
    """Return whether two leafs of the classes stand in one pod, in two pods of a zone, and in two zones."""
    pod = any(count > 1 for count in one.places.values()) if same else bool(one.places.keys() & other.places.keys())
    pods: list[dict[int, set[int]]] = [{}, {}]
    for found, places in zip(pods, (one.places, other.places), strict=True):
        for zone, number in places:
            found.setdefault(zone, set()).add(number)
    first, second = pods
    zone = any(len(first[at] | second[at]) > 1 for at in first.keys() & second.keys())
    return pod, zone, len(first.keys() | second.keys()) > 1
