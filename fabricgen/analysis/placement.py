"""Placement of the ranks of a training job, and the scopes of switches that their traffic climbs through."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from typing import NamedTuple

from fabricgen.plan.model.cabling import up_links
from fabricgen.plan.model.fabric import FabricPlan, domain_number
from fabricgen.plan.model.identity import Coordinates, DeviceId, HostId
from fabricgen.plan.model.topology import Tier
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
    """GPUs that a job can use, of some groups or of all, in order; spares, absent and drained hosts apart."""
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
    """Return the GPUs of hosts, in the order of these."""
    found: list[Gpu] = []
    for host in hosts:
        group = plan.hosts[host.group]
        domain = (host.group, host.where, *domain_number(group, host.host))
        found += (Gpu(host, gpu * len(group.rails) // group.gpus, domain) for gpu in range(group.gpus))
    return found


def gpus_of_job(plan: FabricPlan, workload: Workload) -> list[Gpu]:
    """Return the GPUs that a job can use: those of its hosts, or else all of its groups."""
    return gpus_of_hosts(plan, workload.placed) if workload.placed else list_gpus(plan, workload.hosts)


def domains_of(members: Sequence[Gpu]) -> list[list[Gpu]]:
    """Return the members of a communicator by the NVLink domain they are in, in their order."""
    domains: dict[object, list[Gpu]] = {}
    for gpu in members:
        domains.setdefault(gpu.domain, []).append(gpu)
    return list(domains.values())


def list_groups(workload: Workload, over: str) -> Iterator[list[int]]:
    """Ranks that take part in a collective over something together, one list per communicator; see ``Message``."""
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


Scope = tuple[int, Coordinates]
"""Tier number, and the coordinates that its switches have in common: those of a leaf's rail group, or of a pod."""


def turning_tier(plan: FabricPlan, one: Coordinates, other: Coordinates) -> int:
    """Return the number of the lowest tier that two units have in common."""
    if one == other:
        return 0
    for tier in plan.tiers[1:]:
        same_zone, same_pod = one.zone == other.zone, (one.zone, one.pod) == (other.zone, other.pod)
        if {"pod": same_pod, "zone": same_zone}.get(tier.scope, True):
            return tier.number
    return len(plan.tiers) - 1


def scope_of_rail(plan: FabricPlan, number: int, host: HostId, rail: int) -> Coordinates:
    """Return the scope of a tier that the traffic of a host's rail climbs through."""
    unit, rails = host.where, rail // plan.hosts[host.group].rails_per_leaf
    if number == 0:
        return Coordinates(unit.zone, unit.pod, unit.unit, 0, rails)
    return scope_of(plan.tiers[number], unit, rails if plan.links[1].pattern == "stripe_rail" else 0)


def scope_of_switch(plan: FabricPlan, tier: Tier, where: Coordinates) -> Coordinates:
    """Return the scope that a switch belongs to."""
    if tier.number == 0:
        return where._replace(plane=0, index=0)
    return scope_of(tier, where, where.group if plan.links[1].pattern == "stripe_rail" else 0)


def scope_of(tier: Tier, where: Coordinates, group: int) -> Coordinates:
    """Return the scope of a tier above the leafs."""
    zone = where.zone if tier.scope in ("zone", "pod") else 0
    return Coordinates(zone, where.pod if tier.scope == "pod" else 0, 0, 0, group)


def live_uplinks(plan: FabricPlan, tier: Tier, where: Coordinates, regular: int) -> int:
    """Return how many of a switch's uplinks carry traffic; a drained switch above does not touch it, and takes none."""
    device = DeviceId(tier.number, where)
    if device not in plan.exceptions.touched and not plan.exceptions.switches:
        return regular
    if is_out(plan.exceptions.of(device)):
        return 0
    return sum(
        1
        for link in up_links(plan, device)
        if not is_out(plan.exceptions.links.get(link.id)) and not is_out(plan.exceptions.of(link.upper_end))
    )


def is_out(exception: object) -> bool:
    """Return whether an exception takes a device or link out of service."""
    return getattr(exception, "state", "") in ("absent", "drained")
