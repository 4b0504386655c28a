"""Order of the switches that honour no graceful shutdown until their own change."""

from __future__ import annotations

from collections.abc import Sequence, Set

from fabricgen.analysis.outage.groups import LeafHosts
from fabricgen.api.rollout_steps import LegChanges
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.words import counted
from fabricgen.plan.model.cabling import neighbours
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.rollout.rollout_codes import HIDES_SHUTDOWN, IGNORES_SHUTDOWN


def order_late(changes: LegChanges, plan: FabricPlan, bag: Bag) -> None:
    """Let the deaf switches beside one that goes out in the first phase go before all others, tier by tier upwards."""
    _report_silent(changes.silent, bag)
    leaving = changes.list_leaving()
    found = [
        switch
        for switch in (plan.switches() if changes.late else ())
        if plan.device_name(switch) in changes.late
        and not leaving.isdisjoint(map(plan.device_name, neighbours(plan, switch)))
    ]
    changes.first.update(map(plan.device_name, found))
    _tell(changes, plan, set(found), bag)


def _report_silent(names: Sequence[str], bag: Bag) -> None:
    """Report the switches that send no communities while they are drained."""
    if names:
        more = f" and {counted(len(names) - 1, 'more switch', 'more switches')}" if names[1:] else ""
        message = f"{names[0]}{more}: neighbors are sent no communities, so they do not learn of the drain"
        hint = "configure send-community for the neighbors of each, collect them, and plan again"
        bag.add(HIDES_SHUTDOWN, message, device=names[0], hint=hint)


def _tell(changes: LegChanges, plan: FabricPlan, found: Set[DeviceId], bag: Bag) -> None:
    """Report the switches of which a neighbor goes out before them, by what their own change disturbs."""
    reasons: dict[str, list[str]] = {}
    for switch in sorted(found):
        if any(each.tier < switch.tier and _has_other_ways(plan, each) for each in neighbours(plan, switch) & found):
            name = plan.device_name(switch)
            reasons.setdefault(changes.late[name], []).append(name)
    for disruption, names in reasons.items():
        more = f" and {counted(len(names) - 1, 'more switch', 'more switches')}" if names[1:] else ""
        own = f"the policy for graceful shutdown comes with a {disruption}"
        message = f"{names[0]}{more}: {own}, and a neighbor is drained before"
        bag.add(IGNORES_SHUTDOWN, message, device=names[0])


def _has_other_ways(plan: FabricPlan, switch: DeviceId) -> bool:
    """Return whether traffic could leave a switch that is drained: a leaf with hosts of its own alone keeps its own."""
    return switch.tier > 0 or bool(LeafHosts(plan).sharing(switch))
