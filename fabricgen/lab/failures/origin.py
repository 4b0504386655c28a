"""The plan that a running lab was made of."""

from __future__ import annotations

from collections.abc import Mapping

from fabricgen.diagnostics import Bag
from fabricgen.lab.lab_codes import CHANGED, NOT_COMPARED
from fabricgen.lab.lifecycle.stages import redraft
from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.model.excerpt import Cut, apply_cut, parse_cut
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.manifest.spec import PlatformSpec


def find_plan(plan: FabricPlan, specs: Mapping[str, PlatformSpec], blueprint: Blueprint, bag: Bag) -> FabricPlan | None:
    """Return what the lab's cut leaves of a plan; None with a diagnostic where the lab was not made of it.

    Args:
        plan: The plan as the inventory gives it now.
        specs: Its platforms.
        blueprint: The lab.
        bag: Takes diagnostics.
    """
    unheard = Bag()
    drafted = redraft(plan, specs, blueprint, unheard)
    if drafted is None or (drafted.nodes, drafted.wires) != (blueprint.nodes, blueprint.wires):
        bag.add(CHANGED, f"lab {blueprint.lab} was booted from something else than what {plan.name} is now")
        return None
    left = apply_cut(plan, parse_cut(blueprint.cut, plan, unheard) if blueprint.cut else Cut())
    return left if _can_be_compared(left, bag) else None


def _can_be_compared(plan: FabricPlan, bag: Bag) -> bool:
    """Return whether the lab forwards as the analysis has it; why not is in the bag."""
    whys = []
    if plan.host_asn:
        whys.append("its hosts run BGP, and choose another rail by themselves")
    for group in plan.hosts:
        if group.spread:
            whys.append(f"NICs of {group.name} spread over cables of which the lab has only the first")
        if group.bond and plan.tiers[0].counts.plane > 1:
            whys.append(
                f"a bond of {group.name} over planes loses a part of its packets, which one packet does not show"
            )
    if whys:
        bag.add(NOT_COMPARED, f"{plan.name}: {'; '.join(whys)}")
    return not whys
