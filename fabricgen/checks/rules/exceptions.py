"""Rules on exceptions."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches

from fabricgen.checks.model import Finding, Needs, PlanView, rule
from fabricgen.intent.exceptions import exception_paths
from fabricgen.plan.model.fabric import FabricPlan, group_hosts

DOCS = "docs/intent.md, exceptions"


def switch_names(plan: FabricPlan) -> set[str]:
    """Names of every switch of the regular plan."""
    return {tier.device_name(where) for tier in plan.tiers for where in tier.coordinates()}


def host_names(plan: FabricPlan) -> set[str]:
    """Names of every host of the regular plan."""
    return {
        group.host_name(unit, host)
        for unit in plan.units()
        for group in plan.hosts
        if group.in_unit(unit.unit)
        for host in group_hosts(group)
    }


@rule(
    "FG-EXC-001",
    "Exception for a device that does not exist",
    needs=Needs.PLAN,
    why="It would change nothing; the device that was meant would stay regular.",
    fix="Use the device's name as `fabricgen show devices` lists it.",
    source=DOCS,
)
def check_subjects_exist(view: PlanView) -> Iterator[Finding]:
    """Every device, host and link end of an exception exists."""
    if not view.intent.exceptions:
        return
    switches, hosts = switch_names(view.plan), host_names(view.plan)
    for item, path in zip(view.intent.exceptions, exception_paths(view.intent.exceptions), strict=True):
        named = [("device", item.device, switches), ("host", item.host, hosts), ("to", item.to, switches)]
        named += [("link", end, switches | hosts) for end in item.link or ()]
        named += [("ports", end, switches | hosts) for end in item.ports or ()]
        for key, name, known in named:
            if name is not None and name not in known:
                near = get_close_matches(name, known, n=1)
                yield Finding(
                    f"there is no {'host' if key == 'host' else 'device'} {name!r}",
                    (*path, key),
                    hint=f"did you mean {near[0]!r}?" if near else "see fabricgen show devices",
                )
