"""Flows of the collectives of a training job, and of a ring whose ranks are scattered over the fabric."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from fabricgen.analysis.flows import ONE, Flows, Passing, copies, domains_of, ring_flows
from fabricgen.analysis.placement import Gpu, gpus_of_job, list_groups
from fabricgen.analysis.scopes import scope_of_rail
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import NicId
from fabricgen.plan.model.numbering import Coordinates
from fabricgen.plan.model.workload import Message, Workload


def job_flows(plan: FabricPlan, workload: Workload) -> Iterator[Flows]:
    """Yield the flows of each collective of a job that leave NVLink domains.

    Args:
        plan: The plan.
        workload: The job; it has no more ranks than there are GPUs.
    """
    gpus = gpus_of_job(plan, workload)
    for message in workload.messages:
        members = ([gpus[rank] for rank in ranks] for ranks in list_groups(workload, message.over))
        yield _message_flows(plan, message, members)


def scattered_flows(plan: FabricPlan, name: str, nics: Sequence[NicId]) -> Flows:
    """Return the flows of a ring of which no neighbours are below the same switches of any tier but the highest.

    Args:
        plan: The plan.
        name: What it is called.
        nics: Host and rail of every NIC of the ring.
    """
    passed = Passing(Counter(nics))
    for number in range(len(plan.tiers) - 1):
        scopes: Counter[Coordinates] = Counter()
        for host, rail in nics:
            scopes[scope_of_rail(plan, number, host, rail)] += copies(plan, host, number)
        if len({scope._replace(group=0) for scope in scopes}) > 1:
            passed.scopes.update({(number, scope): count for scope, count in scopes.items()})
    return Flows(name, {ONE: passed}, {ONE: passed}, len(nics))


def _message_flows(plan: FabricPlan, message: Message, groups: Iterator[Sequence[Gpu]]) -> Flows:
    """The flows of one collective."""
    if message.collective not in ("exchange", "all_to_all"):
        return ring_flows(plan, message.name, groups)
    found = Flows(message.name)
    for members in groups:
        if message.collective == "all_to_all":
            _add_all_to_all(plan, found, members)
            continue
        for one, other in pairwise(members):
            if one.domain != other.domain:
                found.add(plan, NicId(one.host, one.rail), other.host)
                found.add(plan, NicId(other.host, other.rail), one.host)
    return found


def _add_all_to_all(plan: FabricPlan, found: Flows, members: Sequence[Gpu]) -> None:
    """Add a connection from each member to each in another domain, on the receiver's rail (NCCL's PXN).

    They are counted by place: those that leave a scope are its members times the receivers elsewhere.
    """
    up, down = found.up.setdefault(ONE, Passing()), found.down.setdefault(ONE, Passing())
    everywhere = Counter(gpu.rail for gpu in members)
    for domain in domains_of(members):
        own, away = Counter(gpu.rail for gpu in domain), len(members) - len(domain)
        hosts = {rail: [gpu for gpu in domain if gpu.rail == rail] for rail in own}
        found.connections += len(domain) * away
        for rail, local in hosts.items():
            for gpu in local:
                up.nics[NicId(gpu.host, rail)] += -(-len(domain) * (everywhere[rail] - own[rail]) // len(local))
                down.nics[NicId(gpu.host, rail)] += away
    for number in range(len(plan.tiers) - 1):
        places = {scope_of_rail(plan, number, gpu.host, gpu.rail) for gpu in members}
        inside = Counter(scope_of_rail(plan, number, gpu.host, 0)._replace(group=0) for gpu in members)
        ends = Counter(scope_of_rail(plan, number, gpu.host, gpu.rail) for gpu in members)
        by_group: Counter[int] = Counter()
        for scope, count in ends.items():
            by_group[scope.group] += count
        factor = copies(plan, members[0].host, number)
        for scope in places:
            here = inside[scope._replace(group=0)]
            up.scopes[number, scope] += here * (by_group[scope.group] - ends[scope]) * factor
            down.scopes[number, scope] += (len(members) - here) * ends[scope] * factor
