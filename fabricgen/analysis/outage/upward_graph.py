"""Switches above the leafs as nodes, with the shares in which traffic climbs from each to the next tier.

Bandwidth of all pairs of leafs at once, whatever the destination: next hops towards one are those of ``forwarding``.

Pods and zones in which everything is as planned are alike, so the spines of one number in all such pods are one node:
with it all of them are out. Where exceptions take away or move something, every switch is a node of its own.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from math import lcm

from fabricgen.analysis.cells import REST
from fabricgen.analysis.symmetry import Element, Symmetry
from fabricgen.plan.model.cabling import up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, FabricLinkId
from fabricgen.plan.model.links import upper_peers

UpwardHops = tuple[tuple[int, int], ...]
"""Nodes right above a switch, with the links to each."""
Flow = dict[int, int]
"""Traffic by node, in the unit of ``UpwardGraph.scale``."""


class UpwardGraph:
    """The nodes of a plan.

    Attributes:
        nodes: Number of each node, by the switch that stands for it.
        tiers: Tier of each node.
        above: Nodes above each node, with links to each; traffic is shared by link.
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
        """Return a switch of a node."""
        column = self._columns[node]
        where = column.where
        return column._replace(where=where._replace(zone=max(where.zone, 0), pod=max(where.pod, 0)))

    @cached_property
    def _columns(self) -> list[DeviceId]:
        """Switches that stand for the nodes; every leaf has to be added before."""
        return list(self.nodes)

    def first_step(self, leaf: DeviceId) -> UpwardHops:
        """Return the nodes right above a leaf with the links to each, and add them with all above them."""
        return self._step(leaf)

    def flow(self, step: UpwardHops) -> Flow:
        """Return the traffic at every node, each full link of a leaf carrying ``scale``.

        Args:
            step: The nodes right above the leaf, as ``first_step`` has them.
        """
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

    def _step(self, device: DeviceId) -> UpwardHops:
        return tuple(sorted((self._add(upper), links) for upper, links in self._uppers(device).items()))

    def _add(self, device: DeviceId) -> int:
        column = self.column(device)
        found = self.nodes.get(column)
        if found is None:
            found = self.nodes[column] = len(self.tiers)
            self.tiers.append(device.tier)
            self.above.append(())
            self.above[found] = self._step(device)
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
