"""Hosts that fail as a whole: all of their ports at once, and what that does to the others."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.cell_graph import working_ports
from fabricgen.analysis.cells import HostCell, Partition
from fabricgen.analysis.failure_classes import FailureClass
from fabricgen.analysis.failures import Effect, PlanFailures
from fabricgen.plan.model.identity import HostId


class LostHost(NamedTuple):
    """Hosts that are alike, one of which fails.

    Attributes:
        host: The one that stands for all.
        size: How many they are.
        ports: NIC ports that it takes with it.
        leafs: Leafs that lose a port.
        effect: Loss of all of its ports.
        own_pairs: Ordered pairs of NICs of one rail that it is an end of.
    """

    host: HostId
    size: int
    ports: int
    leafs: int
    effect: Effect
    own_pairs: int

    @property
    def others_cut(self) -> int:
        """Return the pairs that are cut although both of their hosts work."""
        return round(sum(self.effect.cut.values(), Fraction(0))) - self.own_pairs


def list_lost_hosts(failures: PlanFailures) -> Iterator[LostHost]:
    """Yield every class of hosts in service, with the loss of one of them."""
    partition = Partition(failures.symmetry, failures.irregular)
    cells = list(partition.host_cells())
    for cell in cells:
        found = _lose(failures, cell, cells)
        if found is not None:
            yield found


def _lose(failures: PlanFailures, cell: HostCell, cells: list[HostCell]) -> LostHost | None:
    plan = failures.symmetry.plan
    rails = range(len(plan.hosts[cell.host.group].rails))
    by_rail = {rail: working_ports(plan, cell.host, rail) for rail in rails}
    links = [link for ports in by_rail.values() for link in ports]
    if not links:
        return None
    parts = (FailureClass(plan.hosts[cell.host.group].link.name, link.id, 1, ()) for link in links)
    effect = failures.effect(*parts, size=cell.size)
    own = sum(2 * (_nics(failures, cells, rail) - 1) for rail, ports in by_rail.items() if ports)
    return LostHost(cell.host, cell.size, len(links), len({link.upper_end for link in links}), effect, own)


def _nics(failures: PlanFailures, cells: list[HostCell], rail: int) -> int:
    """Return how many hosts have a NIC that works on a rail."""
    plan = failures.symmetry.plan
    return sum(
        cell.size
        for cell in cells
        if rail < len(plan.hosts[cell.host.group].rails) and working_ports(plan, cell.host, rail)
    )
