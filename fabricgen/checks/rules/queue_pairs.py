"""Rules on how many flows a connection is."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.checks.rules.tier_settings import tier_key
from fabricgen.diagnostics import Related, Severity
from fabricgen.diagnostics.words import counted
from fabricgen.physics.ecmp import max_over_mean
from fabricgen.plan.model.fabric import FabricPlan

ENOUGH = 4
"""Queue pairs of a connection from which on more of them even out little."""


@rule(
    "FG-HST-053",
    "Few queue pairs per connection over many equal paths",
    severity=Severity.WARNING,
    why="A queue pair is one flow, and a static hash keeps a flow on one uplink. With one flow per NIC some uplinks "
    "get three or four of them and others none, and a collective is as slow as its slowest flow.",
    fix="Raise qps_per_connection, or let the leafs spray packets where NICs take them out of order.",
    source="Gangidi et al., RDMA over Ethernet for Distributed AI Training at Meta Scale, SIGCOMM 2024, section 5 "
    "(queue pair scaling); NVIDIA/nccl, NCCL_IB_QPS_PER_CONNECTION",
)
def check_queue_pairs(view: PlanView) -> Iterator[Finding]:
    """Require several queue pairs for each connection where leafs hash statically over several uplinks."""
    plan, leaf = view.plan, view.plan.tiers[0]
    pairs = plan.collectives.qps_per_connection
    if pairs >= ENOUGH or not leaf.up or leaf.routing.load_balancing != "static":
        return
    link, senders = plan.links[1], _senders(plan)
    paths = link.width * link.per_pair
    if paths < 2 or not senders:
        return
    path = ("collectives", "qps_per_connection")
    yield Finding(
        f"{counted(pairs, 'queue pair')} per connection, {paths} uplinks of a leaf: with {senders} NIC ports sending, "
        f"the busiest uplink carries {max_over_mean(pairs * senders, paths):.1f} times the mean; {ENOUGH} queue pairs "
        f"make that {max_over_mean(ENOUGH * senders, paths):.1f}",
        path,
        hint=f"use qps_per_connection: {ENOUGH} or more",
        value=ENOUGH,
        related=(
            Related("the uplinks", ("links", link.name, "per_pair")),
            Related("the balancing", tier_key(view, leaf.name, "load_balancing")),
        ),
    )


def _senders(plan: FabricPlan) -> int:
    """NIC ports of hosts with GPUs at the leaf that has the most of them."""
    counts = plan.tiers[0].counts
    return max(
        sum(
            group.per_unit * len(group.rails_on(number)) * group.ports_per_leaf
            for group in plan.hosts
            if group.library and group.in_unit(unit)
        )
        for unit in range(counts.unit)
        for number in range(counts.group)
    )
