"""Rules on exceptions."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.diagnostics import IntentPath, Nearest, Related, set_to
from fabricgen.plan.model.fabric import FabricPlan, group_hosts
from fabricgen.plan.model.identity import DeviceId

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
    why="It would change nothing; the device that was meant would stay regular.",
    fix="Use the device's name as `fabricgen show devices` lists it.",
    source=DOCS,
)
def check_subjects_exist(view: PlanView) -> Iterator[Finding]:
    """Every device, host and link end of an exception exists."""
    if not view.intent.exceptions:
        return
    switches, hosts = switch_names(view.plan), host_names(view.plan)
    devices, nearest = switches | hosts, Nearest()
    for item, path in view.intent.placed_exceptions:
        named = [("device", item.device, switches), ("host", item.host, hosts), ("to", item.to, switches)]
        named += [("link", end, devices) for end in item.link or ()]
        named += [("ports", end, devices) for end in item.ports or ()]
        for key, name, known in named:
            if name is not None and name not in known:
                others = devices if key in ("device", "host") else set()
                yield _missing(
                    name, "host" if key == "host" else "device", (*path, key), others, nearest.find(name, known)
                )


def _missing(name: str, kind: str, path: IntentPath, others: set[str], near: str | None) -> Finding:
    """A name that is no device's, or that of another kind of device."""
    if name in others:
        right = "device" if kind == "host" else "host"
        words = {"device": "a switch", "host": "a host"}[right]
        return Finding(f"{name} is {words}", path, on_key=True, hint=f"write {right}: {name}")
    hint = f"did you mean {near!r}?" if near else "see fabricgen show INVENTORY devices"
    fixes = set_to(path, near) if near and path[-1] in ("device", "host", "to") else ()
    return Finding(f"there is no {kind} {name!r}", path, hint=hint, fixes=fixes)


@rule(
    "FG-EXC-902",
    "The platform does not drain this",
    why="Traffic would go on over the link or the switch; a silent omission is worse than an error.",
    fix="Drain the whole switch where the platform drains switches, or use state: absent.",
    source="docs/intent.md, what renders",
)
def check_drains(view: PlanView) -> Iterator[Finding]:
    """Drained switches, and both ends of drained links, run platforms that can drain them."""
    drained = [
        (item, path) for item, path in view.intent.placed_exceptions if item.state == "drained" and not item.host
    ]
    for item, path in drained:
        for name in sorted(item.link or [item.device or ""]):
            device = view.names.get(name)
            if not isinstance(device, DeviceId):
                continue
            tier = view.plan.tiers[device.tier]
            spec = view.switch(tier.platform)
            if spec and not (spec.switch.drain_links if item.link else spec.switch.drain):
                drains = "switches, not links" if spec.switch.drain else "nothing"
                platform, reason = ("tiers", tier.name, "platform"), (*path, "reason")
                yield Finding(
                    f"{name} runs {spec.name}, which drains {drains}",
                    (*path, "state"),
                    hint="drain the switch, or use absent" if spec.switch.drain else "use absent",
                    fixes=set_to((*path, "state"), "absent"),
                    related=(Related("the platform", platform), Related("its reason", reason)),
                )
                break
