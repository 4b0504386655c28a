"""Classes of failures: elements of a fabric whose loss does the same, each with one that stands for all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from fabricgen.analysis.cell_graph import NO_OUTAGE, working_ports
from fabricgen.analysis.cells import Partition
from fabricgen.analysis.symmetry import Element, SingledOut, Symmetry
from fabricgen.plan.model.cabling import up_links

NIC_PORT = "NIC port"


class FailureClass(NamedTuple):
    """Elements that are alike.

    Attributes:
        scope: Name of their tier or of their links; what hosts have is named after their links.
        element: The one that stands for all.
        size: How many they are.
        key: Identity of the class among those listed together.
    """

    scope: str
    element: Element
    size: int
    key: tuple[object, ...]


def list_classes(symmetry: Symmetry, singled_out: SingledOut) -> Iterator[FailureClass]:
    """Yield the classes of single failures: switches, links between them, NIC ports.

    Args:
        symmetry: The plan.
        singled_out: What stands alone, at least what exceptions touch.
    """
    partition = Partition(symmetry, singled_out)
    yield from _switches(partition)
    yield from _links(partition)
    yield from _ports(partition)


def _switches(partition: Partition) -> Iterator[FailureClass]:
    for tier in partition.plan.tiers:
        for cell in partition.cells(tier.number):
            yield FailureClass(tier.name, cell.device, cell.size, ("switch", cell.key))


def _links(partition: Partition) -> Iterator[FailureClass]:
    """Yield links between switches; those that exceptions drain stand apart."""
    plan = partition.plan
    for tier in plan.tiers[:-1]:
        for cell in partition.cells(tier.number):
            found: dict[tuple[object, ...], FailureClass] = {}
            for link in up_links(plan, cell.device):
                change = plan.exceptions.links.get(link.id)
                key = ("link", cell.key, partition.key(link.upper_end), change is not None and change.state)
                known = found.get(key)
                count = cell.size + (known.size if known else 0)
                element = known.element if known else link.id
                found[key] = FailureClass(plan.links[link.number].name, element, count, key)
            yield from found.values()


def _ports(partition: Partition) -> Iterator[FailureClass]:
    """Yield ports of NICs that work, by host, rail and leaf."""
    plan, found = partition.plan, dict[tuple[object, ...], FailureClass]()
    for hosts in partition.host_cells():
        group = plan.hosts[hosts.host.group]
        for rails in partition.rail_cells(hosts.host.group):
            for link in working_ports(plan, hosts.host, rails.rails[0], NO_OUTAGE):
                plane = partition.plane_of(link.upper.plane)
                if link.upper.plane != plane.first:
                    continue
                key = (NIC_PORT, hosts.key, rails.key, partition.key(link.upper_end))
                known = found.get(key)
                count = hosts.size * len(rails.rails) * plane.size + (known.size if known else 0)
                element = known.element if known else link.id
                found[key] = FailureClass(group.link.name, element, count, key)
    yield from found.values()
