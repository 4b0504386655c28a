"""Policies for drained neighbours that a rollout deploys before it drains the first switch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fabricgen.analysis.outage.behind import Behind
from fabricgen.api.rollout_steps import StepsByPhase
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.words import counted
from fabricgen.plan.model.cabling import neighbours
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.platforms.patching.demotion import CannotPrepare
from fabricgen.rollout.deployed import Deployed
from fabricgen.rollout.rollout_codes import DEAF, MUTE


def prepare_deaf(steps: StepsByPhase, plan: FabricPlan, deployed: Deployed, bag: Bag) -> None:
    """Prepare the deaf switches beside one that goes out in the first phase; later ones find all policies deployed.

    Those that cannot be prepared go out before all others, tier by tier from the hosts upwards.

    Args:
        steps: Steps of all devices.
        plan: The intended fabric.
        deployed: Digests of the deployed files.
        bag: Takes the switches of which a neighbor is drained before all the same, and those that tell of no drain.
    """
    _tell_mute(steps.mute, bag)
    leaving = steps.list_leaving()
    left: dict[DeviceId, CannotPrepare] = {}
    for switch in plan.switches() if steps.deaf else ():
        name = plan.device_name(switch)
        if name not in steps.deaf or leaving.isdisjoint(map(plan.device_name, neighbours(plan, switch))):
            continue
        try:
            steps.prepare(name, deployed, bag)
        except CannotPrepare as fault:
            left[switch] = fault
            steps.first.add(name)
    _tell(steps, plan, left, bag)


def _tell_mute(names: Sequence[str], bag: Bag) -> None:
    """Report the switches that send no communities while they are drained."""
    if names:
        more = f" and {counted(len(names) - 1, 'more switch', 'more switches')}" if names[1:] else ""
        message = f"{names[0]}{more}: neighbors are sent no communities, so they do not learn of the drain"
        hint = "configure send-community for the neighbors of each, collect them, and plan again"
        bag.add(MUTE, message, device=names[0], hint=hint)


def _tell(steps: StepsByPhase, plan: FabricPlan, left: Mapping[DeviceId, CannotPrepare], bag: Bag) -> None:
    """Report the switches of which a neighbor goes out before them, each reason once."""
    told: dict[tuple[str, str, str], list[str]] = {}
    for switch, fault in left.items():
        if any(each.tier < switch.tier and _has_other_ways(plan, each) for each in neighbours(plan, switch) & {*left}):
            name = plan.device_name(switch)
            told.setdefault((steps.deaf[name].disruption, str(fault), fault.hint), []).append(name)
    for (disruption, reason, hint), names in told.items():
        more = f" and {counted(len(names) - 1, 'more switch', 'more switches')}" if names[1:] else ""
        message = f"{names[0]}{more}: the policy for graceful shutdown comes with a {disruption}, because {reason}"
        bag.add(DEAF, message, device=names[0], hint=hint)


def _has_other_ways(plan: FabricPlan, switch: DeviceId) -> bool:
    """Return whether traffic could leave a switch that is drained: a leaf with hosts of its own alone keeps its own."""
    return switch.tier > 0 or bool(Behind(plan).sharing(switch))
