"""Rules on cycles of buffers under PFC, with the rules of forwarding as the rendered policies have them."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.analysis.deadlock.cycles import Cycle
from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.plan.planner.shape import attachment_of, attachment_path


@rule(
    "FG-RTE-028",
    "PFC can close a cycle of buffers",
    severity=Severity.WARNING,
    why="A switch that has lost its way down sends packets up again until all neighbors have followed. They meet "
    "packets that still come down, and both buffers wait for each other. A deadlock that has begun stays after "
    "routing has converged, and spreads.",
    fix="Keep the PFC watchdog on and waive it with the reason, or demote packets that come down and go up again; "
    "fabricgen analyze INVENTORY deadlock has the rule and the proof that it suffices.",
    source="Hu et al., Deadlocks in Datacenter Networks, HotNets 2016; Hu et al., Tagger, CoNEXT 2017; Qian et al., "
    "Alibaba HPN, SIGCOMM 2024, section 4.2; docs/deadlock.md",
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
    why="Packets that come down and go up again stay in their lossless class. The rule that takes them out of it "
    "matches ingress and egress port at once; no public source has its syntax for the platform.",
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
