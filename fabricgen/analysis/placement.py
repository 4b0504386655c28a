"""Placement of the ranks of a training job, and the pairs that communicate."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator
from typing import NamedTuple

from fabricgen.plan.model.domains import domain_number
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import HostId
from fabricgen.plan.model.numbering import Coordinates
from fabricgen.plan.model.workload import Workload

DIMENSIONS = ("tensor", "context", "pipeline", "data")
"""Dimensions of the ranks of a job."""


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
    return gpus_of_hosts(plan, free_hosts(plan, groups))


def free_hosts(plan: FabricPlan, groups: Collection[str] = ()) -> Iterator[HostId]:
    """Yield the hosts that a job can use, see ``list_gpus``."""
    for host in plan.all_hosts():
        group = plan.hosts[host.group]
        exception = plan.exceptions.of(host)
        is_out = host.host >= group.per_unit or (exception and exception.state)
        if not is_out and (not groups or group.name in groups):
            yield host


def gpus_of_hosts(plan: FabricPlan, hosts: Iterable[HostId]) -> list[Gpu]:
    """Return the GPUs of hosts, in the order of these.

    Args:
        plan: The plan.
        hosts: Hosts that exist.
    """
    found: list[Gpu] = []
    for host in hosts:
        group = plan.hosts[host.group]
        domain = (host.group, host.where, *domain_number(group, host.host))
        found += (Gpu(host, gpu * len(group.rails) // group.gpus, domain) for gpu in range(group.gpus))
    return found


def gpus_of_job(plan: FabricPlan, workload: Workload) -> list[Gpu]:
    """Return the GPUs that a job can use: those of its hosts, or else all of its groups.

    Args:
        plan: The plan.
        workload: The job.
    """
    return gpus_of_hosts(plan, workload.placed) if workload.placed else list_gpus(plan, workload.hosts)


def list_groups(workload: Workload, over: str) -> Iterator[list[int]]:
    """Ranks that take part in a collective together, one list per communicator.

    Args:
        workload: The job.
        over: What the collective is over, see ``Message``.
    """
    sizes = {name: int(getattr(workload, name)) for name in DIMENSIONS}
    strides, stride = {}, 1
    for name in workload.order:
        strides[name] = stride
        stride *= sizes[name]
    dimension = over if over in sizes else "data"
    step, size = strides[dimension], sizes[dimension]
    members = _members(over, size, workload.expert)
    merged = workload.context if over in ("copy", "replica") else 1
    apart = strides.get("context", 1)
    for rank in range(workload.ranks):
        if rank // step % size in members and rank // apart % merged == 0:
            first, count, between = members[rank // step % size]
            ranks = [rank + (first + number * between) * step for number in range(count)]
            yield ranks if merged == 1 else sorted(one + at * apart for one in ranks for at in range(merged))


def _members(over: str, size: int, expert: int) -> dict[int, tuple[int, int, int]]:
    """By the first place in a dimension of each communicator: offset, number and distance of its members."""
    if over == "expert":
        return dict.fromkeys(range(0, size, expert), (0, expert, 1))
    if over == "replica":
        return dict.fromkeys(range(expert), (0, size // expert, expert))
    return {0: (0, size, 1)}
