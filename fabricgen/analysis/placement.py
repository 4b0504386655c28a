"""Placement of the ranks of a training job, and the pairs that communicate."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from typing import NamedTuple

from fabricgen.plan.model.domains import domain_number
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import HostId
from fabricgen.plan.model.numbering import Coordinates
from fabricgen.plan.model.workload import Workload


class Gpu(NamedTuple):
    """A GPU: its host, the rail its traffic takes, and the NVLink domain it belongs to."""

    host: HostId
    rail: int
    domain: Hashable

    @property
    def unit(self) -> Coordinates:
        """The unit of its host."""
        return self.host.where


def list_gpus(plan: FabricPlan, groups: Collection[str] = ()) -> list[Gpu]:
    """GPUs that a job can use, host after host and unit after unit; spares, absent and drained hosts apart.

    Args:
        plan: The plan.
        groups: Host groups that take part; empty for all.
    """
    found: list[Gpu] = []
    for host in plan.all_hosts():
        group = plan.hosts[host.group]
        exception = plan.exceptions.of(host)
        is_out = host.host >= group.per_unit or (exception and exception.state)
        if is_out or (groups and group.name not in groups):
            continue
        domain = (host.group, host.where, *domain_number(group, host.host))
        found += (Gpu(host, gpu * len(group.rails) // group.gpus, domain) for gpu in range(group.gpus))
    return found


def list_groups(workload: Workload, over: str) -> Iterator[list[int]]:
    """Ranks that take part in a collective together, one list per communicator.

    Args:
        workload: The job.
        over: What the collective is over, see ``Message``.
    """
    sizes = {"tensor": workload.tensor, "pipeline": workload.pipeline, "data": workload.data}
    strides, stride = {}, 1
    for name in workload.order:
        strides[name] = stride
        stride *= sizes[name]
    dimension = over if over in sizes else "data"
    step, size = strides[dimension], sizes[dimension]
    members = _members(over, size, workload.expert)
    for rank in range(workload.ranks):
        if rank // step % size in members:
            first, count, apart = members[rank // step % size]
            yield [rank + (first + number * apart) * step for number in range(count)]


def _members(over: str, size: int, expert: int) -> dict[int, tuple[int, int, int]]:
    """By the first place in a dimension of each communicator: offset, number and distance of its members."""
    if over == "expert":
        return dict.fromkeys(range(0, size, expert), (0, expert, 1))
    if over == "replica":
        return dict.fromkeys(range(expert), (0, size // expert, expert))
    return {0: (0, size, 1)}
