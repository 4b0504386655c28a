"""Rollouts without sides, put together for tests."""

from __future__ import annotations

from fabricgen.diagnostics import Bag
from fabricgen.diff.patches import DevicePatch
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.rollout.assemble import Subject, assemble
from fabricgen.rollout.bundle import PlannedSide, RolloutPlan
from fabricgen.rollout.phases import DeviceChange, RolloutPhase
from fabricgen.rollout.waves import plan_waves


def hitless_rollout(plan: FabricPlan, *, phases: int = 1) -> RolloutPlan:
    """Return a rollout that changes every switch in each phase and keeps its traffic."""
    changes: dict[str, DeviceChange] = {}
    for device in plan.switches():
        name, tier = plan.device_name(device), plan.tiers[device.tier]
        patch = DevicePatch(name, (), (), (), "hitless")
        changes[name] = DeviceChange(name, "switches", tier.name, 0, tier.platform, name, patch, ())
    waves = plan_waves(plan, [each.change for each in changes.values()], Bag())
    assert waves is not None
    side = PlannedSide("", "")
    return assemble(Subject(plan.name, "", side, side), [RolloutPhase(str(at), changes, waves) for at in range(phases)])
