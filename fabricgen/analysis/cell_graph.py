"""The links between cells of switches, in one plane, with some elements failed or drained."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.analysis.cells import Cell, Key, Partition
from fabricgen.analysis.symmetry import Element
from fabricgen.plan.model.cabling import links_of_host, up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import HostId
from fabricgen.plan.model.links import FabricLink, HostLink


class Outage(NamedTuple):
    """Elements that have failed, and those that ask to be left out (RFC 8326), beside what exceptions say."""

    failed: frozenset[Element] = frozenset()
    drained: frozenset[Element] = frozenset()


NO_OUTAGE = Outage()


class CellLinks(NamedTuple):
    """The links between the members of two cells that carry traffic; those over drained links stand apart.

    Attributes:
        lower: Cell of their lower ends; ``upper`` is that of their upper ends.
        links: How many there are between all members.
        drained: Both ends prefer every other way.
    """

    lower: Key
    upper: Key
    links: int
    drained: bool


class CellGraph:
    """Cells of switches that work, in a plane, and the bundles between them.

    Attributes:
        cells: By key, tier by tier from the leafs up.
        up: Bundles upwards of each cell; ``down`` those downwards.
        drained: Cells whose switches are drained.
        has_drains: One of them is, or a bundle.
    """

    def __init__(self, partition: Partition, outage: Outage, plane: int) -> None:
        """Build from the cables of the switches that stand for their cells.

        Args:
            partition: The cells; what fails or is drained has to be singled out in it.
            outage: What has failed.
            plane: Number of the plane, which has to be singled out.
        """
        self.plan, self.partition, self.outage = partition.plan, partition, outage
        self.cells: dict[Key, Cell] = {}
        self.up: dict[Key, list[CellLinks]] = {}
        self.down: dict[Key, list[CellLinks]] = {}
        self.drained: set[Key] = set()
        for tier in self.plan.tiers:
            for cell in partition.cells(tier.number):
                if cell.device.where.plane == plane and cell.device not in outage.failed:
                    self._add(cell)
        for cell in self.cells.values():
            self.up[cell.key] = list(self._bundles(cell))
            for bundle in self.up[cell.key]:
                self.down.setdefault(bundle.upper, []).append(bundle)
        self.has_drains = bool(self.drained) or any(each.drained for bundles in self.up.values() for each in bundles)

    def _add(self, cell: Cell) -> None:
        self.cells[cell.key] = cell
        found = self.plan.exceptions.of(cell.device)
        if cell.device in self.outage.drained or (found is not None and found.state == "drained"):
            self.drained.add(cell.key)

    def _bundles(self, cell: Cell) -> Iterator[CellLinks]:
        """Yield the bundles upwards of a cell."""
        found: Counter[tuple[Key, bool]] = Counter()
        failed = self.outage.failed
        for link in up_links(self.plan, cell.device):
            # Where nothing has failed no identity of a link is worked out, of which there are many.
            if not failed or (link.id not in failed and link.upper_end not in failed):
                found[self.partition.key(link.upper_end), self.is_drained(link)] += 1
        for (upper, drained), links in found.items():
            yield CellLinks(cell.key, upper, links * cell.size, drained)

    def asn(self, key: Key) -> int:
        """Return the AS number of the switch that stands for a cell."""
        return self.plan.asn_of(self.cells[key].device)

    def is_drained(self, link: FabricLink) -> bool:
        """Return whether both ends of a link prefer every other way."""
        known, drained = self.plan.exceptions.links, self.outage.drained
        if not known and not drained:
            return False
        found = known.get(link.id)
        return link.id in drained or (found is not None and found.state == "drained")


def working_ports(plan: FabricPlan, host: HostId, rail: int, outage: Outage = NO_OUTAGE) -> list[HostLink]:
    """Links of a rail's NIC whose cable, leaf and port work, by port.

    Args:
        plan: The plan.
        host: The host.
        rail: Its rail.
        outage: What has failed.
    """
    failed, known = outage.failed, plan.exceptions
    links = (link for link in links_of_host(plan, host) if link.rail == rail and link.id not in failed)
    return [link for link in links if link.upper_end not in failed and not known.is_absent(link.upper_end)]
