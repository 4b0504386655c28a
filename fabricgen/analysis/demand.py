"""Demand of training jobs on every tier, against what the plan offers: averages over a step.

Ranks fill hosts in order, those of its placement or else the first ones. Traffic inside an NVLink domain never leaves
it; between domains a message takes the rail of its own GPU at both ends (NCCL's PXN). What leaves a scope equals what
enters it for every collective here, so links are judged upwards only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise
from typing import NamedTuple

from fabricgen.analysis.capacity import tier_oversubscription
from fabricgen.analysis.placement import (
    Gpu,
    Scope,
    domains_of,
    free_hosts,
    gpus_of_job,
    is_out,
    list_groups,
    live_uplinks,
    scope_of_rail,
    scope_of_switch,
    turning_tier,
)
from fabricgen.physics.capacity import LinkUse, link_use
from fabricgen.physics.traffic import Term, TrainingJob, published_terms, rate_gbps, sent_bytes, tree_all_reduce_bytes
from fabricgen.plan.model.cabling import links_of_host
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates, DeviceId, HostId
from fabricgen.plan.model.topology import Tier
from fabricgen.plan.model.workload import Message, Training, Workload


class Traffic(NamedTuple):
    """Traffic of one collective of the job in a step.

    Attributes:
        ranks: Ranks of each communicator; ``groups`` is how many communicators there are.
        inside_bytes: Stays in NVLink domains.
        turning_bytes: Turns at each tier, leafs first.
        tree_bytes: Leaves NVLink domains if a tree joins them, not a ring; None where there is no such tree.
    """

    message: Message
    ranks: int
    groups: int
    sent_bytes: float
    inside_bytes: float
    turning_bytes: tuple[float, ...]
    tree_bytes: float | None = None
    job: str = ""

    @property
    def total_bytes(self) -> float:
        """Bytes that all ranks send in a step."""
        return self.sent_bytes * self.ranks * self.groups


class LinkDemand(NamedTuple):
    """The busiest place of a link group.

    Attributes:
        tier: Number of the tier whose uplinks these are; -1 for NICs.
        place: A device there, with its rail if it is a host.
        rail: The rail; -1 above the NICs.
        needed_gbps: Needed there, on average over the step; ``mean_gbps`` is the mean over all such places.
        oversubscription: What can be sent there at once, over what is offered.
    """

    link: str
    tier: int
    place: str
    rail: int
    needed_gbps: float
    mean_gbps: float
    offered_gbps: int
    oversubscription: float = 1.0
    use: LinkUse = LinkUse(100, "stated")

    @property
    def carried_gbps(self) -> float:
        """Gb/s that the links can carry on average."""
        return self.offered_gbps * self.use.percent / 100

    @property
    def is_short(self) -> bool:
        """Return whether more is needed than links can carry on average."""
        return self.needed_gbps > self.carried_gbps

    def shortest_step_s(self, workload: Workload) -> float | None:
        """The shortest step in which the traffic gets through here; None if nothing does."""
        carried = self.carried_gbps
        return workload.step_s * self.needed_gbps / carried if carried else None


@dataclass(slots=True)
class JobDemand:
    """All of it: collectives, the busiest place of each link group, and of each rail.

    Attributes:
        workload: The job; ``jobs`` are it and those beside it, ``gpus`` how many can take part in it.
    """

    workload: Workload
    gpus: int
    jobs: tuple[Workload, ...] = ()
    traffic: list[Traffic] = field(default_factory=list)
    links: list[LinkDemand] = field(default_factory=list)
    rails: list[LinkDemand] = field(default_factory=list)


@dataclass(slots=True)
class _Load:
    """Gb/s out of each NIC and scope upwards, on average over the steps of the jobs; NICs that send from each scope."""

    nics: defaultdict[tuple[HostId, int], float]
    scopes: defaultdict[Scope, float]
    senders: defaultdict[Scope, set[tuple[HostId, int]]]


def analyze_demand(plan: FabricPlan, workload: Workload, *others: Workload) -> JobDemand | None:
    """Send every collective of a step through the fabric; None if a job has more ranks than there are GPUs.

    The other jobs run at the same time, on other hosts.
    """
    load, jobs = _Load(defaultdict(float), defaultdict(float), defaultdict(set)), (workload, *others)
    places = [gpus_of_job(plan, job) for job in jobs]
    found = JobDemand(workload, len(places[0]), jobs)
    nics: dict[tuple[HostId, int], None] = {}
    for job, gpus in zip(jobs, places, strict=True):
        if job.ranks > len(gpus):
            return None
        found.traffic += [_send(plan, job, message, gpus, load) for message in job.messages]
        nics |= dict.fromkeys((gpu.host, gpu.rail) for gpu in gpus[: job.ranks])
    found.rails += _rail_demands(plan, jobs, nics, load)
    found.links += [*_nic_demands(found.rails), *_scope_demands(plan, jobs, load)]
    return found


def backup_demands(job: JobDemand) -> Iterator[tuple[LinkDemand, LinkDemand]]:
    """Each rail as it is once the NIC beside it fails and its traffic moves there, with that NIC's own demand.

    Source:
        sii-research/VCCL af1ca510, src/transport/net_ib.cc: the backup of a device is its number XOR 1.
    """
    rails = {(demand.link, demand.rail): demand for demand in job.rails}
    for (link, rail), demand in rails.items():
        failed = rails.get((link, rail ^ 1))
        if failed is not None:
            yield demand._replace(needed_gbps=demand.needed_gbps + failed.needed_gbps), failed


def _send(plan: FabricPlan, workload: Workload, message: Message, gpus: Sequence[Gpu], load: _Load) -> Traffic:
    """Add a collective to the load."""
    turning, groups, ranks, hops = [0.0] * len(plan.tiers), 0, 1, 0
    for members in list_groups(workload, message.over):
        groups, ranks = groups + 1, len(members)
        hops += len({gpus[rank].domain for rank in members}) - 1
        for senders, target, volume in _flows(message, [gpus[rank] for rank in members]):
            for gpu in senders:
                share = volume / len(senders)
                needed = rate_gbps(share, workload.step_s)
                load.nics[gpu.host, gpu.rail] += needed
                turn = turning_tier(plan, gpu.unit, target)
                turning[turn] += share
                for number in range(turn):
                    scope = number, scope_of_rail(plan, number, gpu.host, gpu.rail)
                    load.scopes[scope] += needed
                    load.senders[scope].add((gpu.host, gpu.rail))
    sent = message.times * sent_bytes(message.collective, message.payload_bytes, ranks)
    total = sent * ranks * groups
    inside = max(0.0, total - sum(turning))
    tree = tree_all_reduce_bytes(message.times * message.payload_bytes, hops + 1)
    tree_bytes = tree if message.collective == "all_reduce" else None
    return Traffic(*(message, ranks, groups, sent, inside, tuple(turning)), tree_bytes=tree_bytes, job=workload.name)


def _flows(message: Message, members: Sequence[Gpu]) -> Iterator[tuple[Sequence[Gpu], Coordinates, float]]:
    """Yield what leaves NVLink domains: GPUs that share in sending it, the unit it goes to, and its bytes."""
    sent = message.times * sent_bytes(message.collective, message.payload_bytes, len(members))
    if message.collective == "exchange":
        one_way = message.times * message.payload_bytes
        for one, other in pairwise(members):
            if one.domain != other.domain:
                yield [one], other.unit, one_way
                yield [other], one.unit, one_way
        return
    domains = domains_of(members)
    if len(domains) == 1:
        return
    if message.collective == "all_to_all":
        each = sent / (len(members) - 1)
        for senders in domains:
            for receivers in domains:
                if senders is not receivers:
                    yield senders, receivers[0].unit, each * len(senders) * len(receivers)
        return
    # A ring passes each domain once; what it hands on there leaves through the NICs of all its members.
    for senders, receivers in zip(domains, [*domains[1:], domains[0]], strict=True):
        yield senders, receivers[0].unit, sent


def _rail_demands(
    plan: FabricPlan, jobs: Sequence[Workload], nics: Collection[tuple[HostId, int]], load: _Load
) -> Iterator[LinkDemand]:
    """The busiest NIC of each rail of each link group, among the hosts of the jobs."""
    by_rail: dict[tuple[str, int], list[tuple[float, int, HostId]]] = {}
    for host, rail in nics:
        needed = load.nics.get((host, rail), 0.0)
        offered = _nic_gbps(plan, host, rail)
        by_rail.setdefault((plan.hosts[host.group].link.name, rail), []).append((needed, offered, host))
    for (link, rail), found in sorted(by_rail.items()):
        needed, offered, host = max(found, key=lambda each: each[0] / max(each[1], 1e-9))
        mean = sum(each[0] for each in found) / len(found)
        use = _use(jobs, "static", 1, 1, plan.hosts[host.group].link.mtu_bytes)
        yield LinkDemand(link, -1, f"{plan.host_name(host)} rail {rail}", rail, needed, mean, offered, use=use)


def _nic_demands(rails: Sequence[LinkDemand]) -> Iterator[LinkDemand]:
    """The busiest rail of each link group; means are over its rails."""
    for link in dict.fromkeys(demand.link for demand in rails):
        found = [demand for demand in rails if demand.link == link]
        worst = max(found, key=lambda each: each.needed_gbps / max(each.offered_gbps, 1e-9))
        yield worst._replace(mean_gbps=sum(each.mean_gbps for each in found) / len(found))


def _nic_gbps(plan: FabricPlan, host: HostId, rail: int) -> int:
    """Return what the ports of a rail's NIC carry: those whose cable is there and whose link is not drained."""
    group = plan.hosts[host.group]
    if host not in plan.exceptions.touched_hosts:
        return group.nic_ports * group.link.speed_gbps
    links = [link for link in links_of_host(plan, host) if link.rail == rail]
    gone = [link for link in links if is_out(plan.exceptions.links.get(link.id))]
    return (len(links) - len(gone)) * group.link.speed_gbps


def _scope_demands(plan: FabricPlan, jobs: Sequence[Workload], load: _Load) -> Iterator[LinkDemand]:
    """The busiest scope of each tier with uplinks."""
    for tier in plan.tiers[:-1]:
        offers, first = _offers(plan, tier)
        used = {scope: load.scopes[tier.number, scope] for number, scope in [*load.scopes] if number == tier.number}
        if not used:
            used = {next(iter(offers)): 0.0}
        worst = max(used, key=lambda scope: used[scope] / max(offers.get(scope, 0), 1e-9))
        mean = sum(used.values()) / len(used)
        place = plan.device_name(DeviceId(tier.number, first[worst])) if worst in first else tier.name
        links = plan.links[tier.number + 1]
        offered, regular = offers.get(worst, 0), max(offers.values())
        flows = len(load.senders.get((tier.number, worst), ())) * plan.collectives.qps_per_connection
        use = _use(jobs, tier.routing.load_balancing, flows, offered // links.speed_gbps, links.mtu_bytes)
        down, up = tier_oversubscription(plan, tier) or (1, 1)
        at_once = down / up * (regular / offered if offered else 1)
        yield LinkDemand(links.name, tier.number, place, -1, used[worst], mean, offered, at_once, use)


def _use(jobs: Sequence[Workload], balancing: str, flows: int, links: int, mtu_bytes: int) -> LinkUse:
    """Return what links can be filled to: the least that a job states, else by how flows are spread over them."""
    stated = [job.use_max_pct for job in jobs if job.use_max_pct]
    if stated:
        return LinkUse(min(stated), "stated")
    return link_use(balancing, max(1, flows), max(1, links), mtu_bytes)


def _offers(plan: FabricPlan, tier: Tier) -> tuple[Mapping[Coordinates, int], Mapping[Coordinates, Coordinates]]:
    """Gb/s upwards of each scope of a tier, and its first switch."""
    links = plan.links[tier.number + 1]
    offers: dict[Coordinates, int] = {}
    first: dict[Coordinates, Coordinates] = {}
    for where in tier.coordinates():
        scope = scope_of_switch(plan, tier, where)
        count = live_uplinks(plan, tier, where, links.width * links.per_pair)
        offers[scope] = offers.get(scope, 0) + count * links.speed_gbps
        first.setdefault(scope, where)
    return offers, first


class Placed(NamedTuple):
    """A job alone in the fabric, placed as ``given``, ``rail-aware`` or ``random``, on hosts in so many ``units``."""

    placement: str
    hosts: int
    units: int
    demand: JobDemand


def compare_placements(plan: FabricPlan, workload: Workload) -> Iterator[Placed]:
    """Yield a job under each placement; nothing if it has more ranks than there are GPUs.

    All keep a host's ranks together and each message on the rail of its GPU. Rail-aware fills unit after unit;
    random draws hosts by a digest of their names, so that a fabric has one such draw.
    """
    free = [*free_hosts(plan, workload.hosts)]
    drawn = sorted(free, key=lambda host: blake2b(plan.host_name(host).encode(), digest_size=8).digest())
    for name, hosts in (("given", workload.placed), ("rail-aware", tuple(free)), ("random", tuple(drawn))):
        job = workload._replace(placed=hosts)
        demand = analyze_demand(plan, job) if hosts else None
        if demand is not None:
            used = dict.fromkeys(gpu.host for gpu in gpus_of_job(plan, job)[: job.ranks])
            yield Placed(name, len(used), len({host.where for host in used}), demand)


class Compared(NamedTuple):
    """A closed form beside the bytes that rings inject for the same work; None where the job sends nothing of it."""

    term: Term
    injected_bytes: float | None


def compare_terms(workload: Workload, training: Training, traffic: Sequence[Traffic]) -> Iterator[Compared]:
    """Yield the closed forms of an epoch beside the bytes of the job's own collectives."""
    own = [each for each in traffic if each.job == workload.name and each.message.derivation]
    for term in published_terms(_inputs(workload, training)):
        sent = [_share(term.name, each) * each.total_bytes * training.steps for each in own]
        yield Compared(term, sum(sent) or None)


def _inputs(workload: Workload, training: Training) -> TrainingJob:
    """Return the inputs of the closed forms."""
    return TrainingJob(
        parameters=training.parameters,
        layers=training.layers,
        hidden=training.hidden,
        value_bytes=training.value_bytes,
        batches=training.steps,
        tokens=training.tokens,
        tensor=workload.tensor,
        pipeline=workload.pipeline,
        data=workload.data,
        sharded=training.sharded,
    )


def _share(name: str, traffic: Traffic) -> float:
    """Return how much of a collective a closed form stands for: activations and gathers are of both directions."""
    over, collective = traffic.message.over, traffic.message.collective
    of_parameters = over in ("data", "copy", "replica")
    if (name.startswith("tp_") and over == "tensor") or (name.startswith("pp_") and over == "pipeline"):
        return 0.5
    if name.startswith("fsdp_") and of_parameters and collective == "all_gather":
        return 0.5
    if name == "fsdp_backward" and of_parameters and collective == "reduce_scatter":
        return 1.0
    return 1.0 if name == "dp_backward" and of_parameters and collective == "all_reduce" else 0.0
