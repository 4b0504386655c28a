"""A job on the hosts it is given, on the first hosts of the fabric, and on hosts drawn from all of it."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import NamedTuple

from fabricgen.analysis.demand import JobDemand, analyze_demand
from fabricgen.analysis.placement import free_hosts, gpus_of_job
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import HostId
from fabricgen.plan.model.workload import Workload


class Placed(NamedTuple):
    """A job on some hosts, alone in the fabric.

    Attributes:
        placement: ``given``, ``rail-aware`` or ``random``.
        hosts: How many it takes; ``units`` are the units that these are in.
    """

    placement: str
    hosts: int
    units: int
    demand: JobDemand


def compare_placements(plan: FabricPlan, workload: Workload) -> Iterator[Placed]:
    """Yield a job under each placement; nothing if it has more ranks than there are GPUs.

    All keep a host's ranks together and each message on the rail of its GPU. Rail-aware fills unit after unit;
    random draws hosts by a digest of their names, so that a fabric has one such draw.

    Args:
        plan: The plan.
        workload: The job.
    """
    free = [*free_hosts(plan, workload.hosts)]
    drawn = sorted(free, key=lambda host: blake2b(plan.host_name(host).encode(), digest_size=8).digest())
    for name, hosts in (("given", workload.placed), ("rail-aware", tuple(free)), ("random", tuple(drawn))):
        job = workload._replace(placed=hosts)
        demand = analyze_demand(plan, job) if hosts else None
        if demand is not None:
            used = dict.fromkeys(gpu.host for gpu in gpus_of_job(plan, job)[: job.ranks])
            yield Placed(name, len(used), _units(used), demand)


def _units(hosts: dict[HostId, None]) -> int:
    return len({host.where for host in hosts})
