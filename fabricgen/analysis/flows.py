"""Flows of a job, counted at every place of a fabric that they pass: NICs, leafs, and scopes of the tiers above."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fabricgen.analysis.placement import Gpu
from fabricgen.analysis.scopes import Scope, scope_of_rail, turning_tier
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import HostId, NicId


class Connection(NamedTuple):
    """Kind of a connection: its share of the traffic, and its queue pairs; 0 for those of the job."""

    weight: int = 1
    queue_pairs: int = 0


ONE = Connection()


@dataclass(slots=True)
class Passing:
    """Connections of a kind that pass each NIC and each scope in one direction, counted."""

    nics: Counter[NicId] = field(default_factory=Counter)
    scopes: Counter[Scope] = field(default_factory=Counter)


@dataclass(slots=True)
class Flows:
    """Connections of one collective that are busy at the same time.

    Attributes:
        name: What it is called in tables.
        up: Connections that leave each place upwards, by their kind.
        down: Those that come down to it.
        connections: How many there are between hosts.
    """

    name: str
    up: dict[Connection, Passing] = field(default_factory=dict)
    down: dict[Connection, Passing] = field(default_factory=dict)
    connections: int = 0

    def add(self, plan: FabricPlan, sender: NicId, receiver: HostId, kind: Connection = ONE) -> None:
        """Add a connection between two hosts on one rail.

        Args:
            plan: The plan.
            sender: Host and rail.
            receiver: The other host; its NIC of the same rail receives.
            kind: What the connection is.
        """
        host, rail = sender
        up, down = self.up.setdefault(kind, Passing()), self.down.setdefault(kind, Passing())
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
    """Return the flows of rings that run at the same time.

    A ring passes each NVLink domain once; what a domain hands on leaves through the NICs of all its members, each to
    the same rail of the next domain.

    Args:
        plan: The plan.
        name: What the collective is called.
        rings: Members of each ring, in its order.
        rails: Rails that take part; empty for all.
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


def domains_of(members: Sequence[Gpu]) -> list[list[Gpu]]:
    """Return the members of a communicator by the NVLink domain they are in, in their order."""
    domains: dict[object, list[Gpu]] = {}
    for gpu in members:
        domains.setdefault(gpu.domain, []).append(gpu)
    return list(domains.values())
