"""Policies for drained neighbours that a rollout deploys before it drains the first switch."""

from __future__ import annotations

from fabricgen.api.rollout_steps import StepsByPhase
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.words import counted
from fabricgen.plan.model.cabling import neighbours
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.patching.demotion import CannotPrepare
from fabricgen.rollout.deployed import Deployed
from fabricgen.rollout.rollout_codes import DEAF


def prepare_deaf(steps: StepsByPhase, plan: FabricPlan, deployed: Deployed, bag: Bag) -> None:
    """Prepare the deaf switches beside one that goes out in the first phase; later ones find all policies deployed.

    Args:
        steps: Steps of all devices.
        plan: The intended fabric.
        deployed: Digests of the deployed files.
        bag: Takes the switches that cannot be prepared.
    """
    leaving = steps.list_leaving()
    left: dict[tuple[str, str, str], list[str]] = {}
    for switch in plan.switches() if steps.deaf else ():
        name = plan.device_name(switch)
        if name not in steps.deaf or leaving.isdisjoint(map(plan.device_name, neighbours(plan, switch))):
            continue
        try:
            steps.prepare(name, deployed, bag)
        except CannotPrepare as fault:
            left.setdefault((steps.deaf[name].disruption, str(fault), fault.hint), []).append(name)
    for (disruption, reason, hint), names in left.items():
        more = f" and {counted(len(names) - 1, 'more switch', 'more switches')}" if names[1:] else ""
        message = f"{names[0]}{more}: the policy for graceful shutdown comes with a {disruption}, because {reason}"
        bag.add(DEAF, message, device=names[0], hint=hint)
