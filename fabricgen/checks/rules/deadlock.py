"""Rules on cycles of buffers under PFC, with the rules of forwarding as the rendered policies have them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from fabricgen.analysis.deadlock.cycles import Cycle
from fabricgen.analysis.deadlock.turns import ForwardingRules, plan_rules
from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.device.lower import Lowering
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.planner.shape import attachment_of, attachment_path
from fabricgen.platforms.views.policy import (
    DENY,
    DESCENDED,
    LOWER,
    PERMIT,
    UPPER,
    RoutePolicy,
    Statement,
    class_policies,
)


@rule(
    "FG-RTE-028",
    "PFC can close a cycle of buffers",
    severity=Severity.WARNING,
    why=(
        "A switch that has lost its way down sends packets up again until all neighbors have followed. They meet "
        "packets that still come down, and both buffers wait for each other. A deadlock that has begun stays after "
        "routing has converged, and spreads."
    ),
    fix=(
        "Keep the PFC watchdog on and waive it with the reason, or demote packets that come down and go up again; "
        "fabricgen analyze INVENTORY deadlock has the rule and the proof that it suffices."
    ),
    source=(
        "Hu et al., Deadlocks in Datacenter Networks, HotNets 2016; Hu et al., Tagger, CoNEXT 2017; Qian et al., "
        "Alibaba HPN, SIGCOMM 2024, section 4.2; docs/deadlock.md"
    ),
)
def check_cycles(view: PlanView) -> Iterator[Finding]:
    """No state of up to two failures lets buffers of a lossless class wait for each other in a circle."""
    cycle = view.cycle
    if cycle is not None:
        names = [view.plan.device_name(device) for device in cycle.devices]
        opened = ", ".join(name for failure in cycle.failures for name in failure.names)
        hint = "keep the PFC watchdog on and waive this; fabricgen analyze INVENTORY deadlock shows the cycle"
        if unwatched := _unwatched(view, cycle):
            hint = f"use lossless.mode: ecn_only, since {unwatched} has no PFC watchdog, or waive this with the reason"
        yield Finding(
            f"PFC can close the cycle {' > '.join(names)} in priority {cycle.buffers[0].priority}"
            + (f" after the loss of {opened}, until routing has withdrawn what it led to" if opened else ""),
            _decides(view, cycle),
            hint=hint,
            related=(Related("the watchdog", ("lossless", "watchdog")),),
        )


@rule(
    "FG-QOS-903",
    "Packets that bounce are not demoted",
    severity=Severity.INFO,
    why=(
        "Packets that come down and go up again stay in their lossless class. The rule that takes them out of it "
        "matches ingress and egress port at once; no public source has its syntax for the platform."
    ),
    fix="No action is needed where the PFC watchdog is on; or lay the rule over the configuration as a raw snippet.",
    source="Hu et al., Tagger: Practical PFC Deadlock Prevention, CoNEXT 2017; docs/deadlock.md",
)
def check_demotion(view: PlanView) -> Iterator[Finding]:
    """Say of the switches at which a cycle bounces that nothing demotes its packets."""
    cycle = view.cycle
    for number in sorted({device.tier for device in cycle.bounces}) if cycle is not None else ():
        tier = view.plan.tiers[number]
        yield Finding(
            f"tier {tier.name!r} runs {tier.platform}, which is not rendered with a demotion of packets that bounce",
            ("tiers", tier.name, "platform"),
            hint="keep the PFC watchdog on",
            related=(Related("packets that bounce", _decides(view, cycle)),) if cycle is not None else (),
        )


def _unwatched(view: PlanView, cycle: Cycle) -> str:
    """Return the platform without a PFC watchdog of a switch in a cycle; empty where all switches have one."""
    for tier in sorted({device.tier for device in cycle.devices}):
        spec = view.switch(view.plan.tiers[tier].platform)
        if spec is not None and not spec.switch.pfc_watchdog:
            return spec.name
    return ""


def _decides(view: PlanView, cycle: Cycle) -> IntentPath:
    """Return the key that makes the bounce: the bond of hosts, or else the links above the tier that bounces."""
    intent = view.intent
    for group in sorted(intent.hosts):
        if attachment_of(intent, group).bond != "none":
            return (*attachment_path(intent, group), "bond")
    tier = min(device.tier for device in cycle.bounces)
    return ("links", view.plan.links[tier + 1].name)


Policies = dict[tuple[str, bool], RoutePolicy]
"""Policies of a switch by side and direction, inward ones ``True``."""


def read_rules(plan: FabricPlan) -> ForwardingRules:
    """Return the rules of a plan: those of the policies that all platforms render, and its broadcast domains."""
    lowering = Lowering(plan)
    policies: list[Policies] = []
    for tier in plan.tiers:
        cls = lowering.switch_class(DeviceId(tier.number, next(tier.coordinates())))
        found = class_policies(cls, LOWER if tier.number else "", demotes=True)
        policies.append({(policy.side, policy.inward): policy for policy in found})
    return plan_rules(plan)._replace(valleys=find_valleys(policies))


def find_valleys(policies: list[Policies]) -> frozenset[int]:
    """Return the tiers that announce upwards what they learnt from there, to a tier that accepts it; leafs first."""
    return frozenset(
        tier
        for tier, (own, above) in enumerate(itertools.pairwise(policies))
        if not (_marks(own[UPPER, True]) and (_turns_back(own[UPPER, False]) or _turns_back(above[LOWER, True])))
    )


def _marks(policy: RoutePolicy) -> bool:
    """Return whether every route that is let in carries the mark of what came from above."""
    return all(row.adds == DESCENDED for row in _permits(policy))


def _turns_back(policy: RoutePolicy) -> bool:
    """Return whether marked routes are denied before anything is permitted."""
    first = policy.statements[0]
    return first.action == DENY and first.community == DESCENDED and not first.prefixes


def _permits(policy: RoutePolicy) -> Iterable[Statement]:
    return (row for row in policy.statements if row.action == PERMIT)
