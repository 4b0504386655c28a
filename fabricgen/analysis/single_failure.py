"""One failure by name: the next hops of every switch, and what every link carries in each direction."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.cell_graph import CellGraph, Outage
from fabricgen.analysis.cells import Partition
from fabricgen.analysis.fabric_load import measure_load
from fabricgen.analysis.failure_classes import class_key
from fabricgen.analysis.failures import Failures
from fabricgen.analysis.forwarding import route
from fabricgen.analysis.symmetry import Element
from fabricgen.plan.model.cabling import down_links, links_of_host, up_links
from fabricgen.plan.model.identity import DeviceId, LinkId
from fabricgen.plan.model.links import FabricLink, Link

Exits = dict[DeviceId, frozenset[LinkId]]
"""Links by which each switch sends on; one without a route is not there."""


class Carried(NamedTuple):
    """Load of one link under the uniform matrix, Gb/s; ``up`` towards the upper tier."""

    up: Fraction
    down: Fraction


class SingleFailure:
    """One outage, worked out for each element by itself in place of classes.

    Attributes:
        outage: What fails.
    """

    def __init__(self, failures: Failures, *elements: Element) -> None:
        """Prepare.

        Args:
            failures: The failures of the plan.
            elements: What fails; nothing for the plan as it is.
        """
        self._traffic, self.plan = failures.traffic, failures.symmetry.plan
        self._symmetry = failures.symmetry
        self.outage = Outage(frozenset(elements))
        self._singled_out = failures.irregular.joined(self._symmetry.singled_out(elements))
        self._known: dict[tuple[DeviceId, ...], Exits] = {}

    def exits(self, leafs: tuple[DeviceId, ...]) -> Exits:
        """Return the equal links by which every switch sends on to leafs that announce the same, all in one plane."""
        found = self._known.get(leafs)
        if found is None:
            found = self._known[leafs] = dict(self._exits(leafs))
        return found

    def _exits(self, leafs: tuple[DeviceId, ...]) -> Iterator[tuple[DeviceId, frozenset[LinkId]]]:
        partition = Partition(self._symmetry, self._singled_out.joined(self._symmetry.singled_out(leafs)))
        plane = leafs[0].where.plane
        graph = CellGraph(partition, self.outage, plane)
        routes = route(graph, [partition.key(leaf) for leaf in leafs])
        for device in self.plan.switches():
            best = routes.get(partition.key(device))
            if best is None or device.where.plane != plane or device in self.outage.failed:
                continue
            hops = {(hop.lower, hop.upper, hop.drained) for hop in best.hops}
            ends = (
                (link, partition.key(link.lower_end), partition.key(link.upper_end)) for link in self._links(device)
            )
            yield device, frozenset(link.id for link, *key in ends if (*key, graph.is_drained(link)) in hops)

    def _links(self, device: DeviceId) -> list[FabricLink]:
        """Return the links of a switch to others of which nothing has failed."""
        below = down_links(self.plan, device) if device.tier else ()
        return [link for link in (*up_links(self.plan, device), *below) if not self.is_lost(link)]

    def is_lost(self, link: Link) -> bool:
        """Return whether a link, or the switch at one of its ends, has failed."""
        return not self.outage.failed.isdisjoint((link.id, link.lower_end, link.upper_end))

    def loads(self) -> dict[LinkId, Carried]:
        """Return what each link that is left carries, those of NIC ports included."""
        partition = Partition(self._symmetry, self._singled_out)
        classes = measure_load(self._traffic, self._singled_out, self.outage).links
        found = {}
        for link in self._all_links():
            kind, *rest = class_key(partition, link.id)
            key = (kind, *rest) if kind == "port" else (*rest[:2], rest[2] == "drained")
            load = classes.get(key)
            if load is not None and not self.is_lost(link):
                found[link.id] = Carried(load.up / load.links, load.down / load.links)
        return found

    def _all_links(self) -> Iterator[Link]:
        for host in self.plan.all_hosts():
            yield from links_of_host(self.plan, host)
        for device in self.plan.switches():
            yield from up_links(self.plan, device)
