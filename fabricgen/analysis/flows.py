"""Flows of jobs, counted at every place of a fabric that they pass: NICs, leafs, and scopes of the tiers above."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fabricgen.analysis.placement import Gpu, Scope, domains_of, gpus_of_job, list_groups, scope_of_rail, turning_tier
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates, HostId, NicId
from fabricgen.plan.model.workload import Message, Workload


@dataclass(slots=True)
class Passing:
    """Connections that pass each NIC and each scope in one direction, counted."""

    nics: Counter[NicId] = field(default_factory=Counter)
    scopes: Counter[Scope] = field(default_factory=Counter)


@dataclass(slots=True)
class Flows:
    """Connections of one collective that are busy at the same time, up from each place and down to it."""

    name: str
    up: Passing = field(default_factory=Passing)
    down: Passing = field(default_factory=Passing)
    connections: int = 0

    def add(self, plan: FabricPlan, sender: NicId, receiver: HostId) -> None:
        """Add a connection from a NIC to that of the same rail of another host."""
        host, rail = sender
        up, down = self.up, self.down
        self.connections += 1
        up.nics[sender] += 1
        down.nics[NicId(receiver, rail)] += 1
        for number in range(turning_tier(plan, host.where, receiver.where)):
            up.scopes[number, scope_of_rail(plan, number, host, rail)] += copies(plan, host, number)
            down.scopes[number, scope_of_rail(plan, number, receiver, rail)] += copies(plan, receiver, number)


def is_bonded(plan: FabricPlan) -> bool:
    """Return whether hosts choose among the ports of a NIC by hash: their ports are one bond."""
    return any(group.bond for group in plan.hosts)


def copies(plan: FabricPlan, host: HostId, number: int) -> int:
    """Return how many flows a queue pair of a connection is in one layer of a tier.

    Ports of a NIC that are no bond have a queue pair each. A layer is a leaf, or the switches of a tier that the leafs
    of one plane or stripe meet; in a bonded fabric it is the whole scope.
    """
    group = plan.hosts[host.group]
    if is_bonded(plan):
        return 1 if group.bond else group.nic_ports
    alone = number == 0 or plan.links[1].pattern == "stripe_index"
    return group.ports_per_leaf * (1 if alone else group.leafs_per_group)


def ring_flows(plan: FabricPlan, name: str, rings: Iterator[Sequence[Gpu]], rails: Collection[int] = ()) -> Flows:
    """Return the flows of rings that run at the same time, on some rails or on all.

    A ring passes each NVLink domain once; what a domain hands on leaves through the NICs of all its members, each to
    the same rail of the next domain.
    """
    found = Flows(name)
    for ring in rings:
        domains = domains_of(ring)
        for senders, receivers in zip(domains, [*domains[1:], domains[0]], strict=True):
            if len(domains) == 1:
                break
            for at, gpu in enumerate(senders):
                if not rails or gpu.rail in rails:
                    found.add(plan, NicId(gpu.host, gpu.rail), receivers[at % len(receivers)].host)
    return found


def job_flows(plan: FabricPlan, workload: Workload) -> Iterator[Flows]:
    """Yield the flows of each collective of a job that leave NVLink domains; there is a GPU for each rank."""
    gpus = gpus_of_job(plan, workload)
    for message in workload.messages:
        members = ([gpus[rank] for rank in ranks] for ranks in list_groups(workload, message.over))
        yield _message_flows(plan, message, members)


def scattered_flows(plan: FabricPlan, name: str, nics: Sequence[NicId]) -> Flows:
    """Return the flows of a ring of which no neighbours are below the same switches of any tier but the highest."""
    passed = Passing(Counter(nics))
    for number in range(len(plan.tiers) - 1):
        scopes: Counter[Coordinates] = Counter()
        for host, rail in nics:
            scopes[scope_of_rail(plan, number, host, rail)] += copies(plan, host, number)
        if len({scope._replace(group=0) for scope in scopes}) > 1:
            passed.scopes.update({(number, scope): count for scope, count in scopes.items()})
    return Flows(name, passed, passed, len(nics))


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
    # Without those that no connection leaves or reaches.
    found.up.nics, found.down.nics = +found.up.nics, +found.down.nics
    return found


def _add_all_to_all(plan: FabricPlan, found: Flows, members: Sequence[Gpu]) -> None:
    """Add a connection from each member to each in another domain, on the receiver's rail (NCCL's PXN).

    They are counted by place: those that leave a scope are its members times the receivers elsewhere.
    """
    up, down = found.up, found.down
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
