"""Rules on drains: whether traffic has another way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.checks.rules.lost_links import carries
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import and_list, counted
from fabricgen.intent.exceptions import Exception_, without
from fabricgen.plan.model.cabling import down_links, host_links, up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId


@rule(
    "FG-EXC-087",
    "Drain without effect",
    severity=Severity.WARNING,
    why="Graceful shutdown makes others prefer another path. Where there is none, or the device or link carries "
    "nothing anyway, traffic stays as it is, and is cut off once work on the device begins.",
    fix="Drain the hosts behind a single leaf instead, leave another path open, or remove the state.",
    source="RFC 8326 section 2 (paths that are still there are used as a last resort)",
)
def check_drains(view: PlanView) -> Iterator[Finding]:
    """Every drained switch and link leaves its traffic another way."""
    ways_up = cache(lambda lower: any(carries(view.plan, link) for link in up_links(view.plan, lower)))
    for item, path in view.intent.placed_exceptions:
        ends = [item.device] if item.device else sorted(item.link or ())
        devices = {name: view.names[name] for name in ends if name in view.names} if item.state == "drained" else {}
        # Names that do not exist are reported by themselves.
        if devices and len(devices) == len(ends):
            yield from _judge(view, (item, path), devices, ways_up)


def _judge(
    view: PlanView,
    placed: tuple[Exception_, IntentPath],
    devices: dict[str, DeviceId | HostId],
    ways_up: Callable[[DeviceId], bool],
) -> Iterator[Finding]:
    """A finding if a drained switch, or a drained link between two devices, keeps its traffic."""
    item, path = placed
    if item.device:
        reason, other = _of_switch(view.plan, devices[item.device], ways_up), None
    else:
        reason, other = _of_link(view.plan, devices, ways_up)
    if not reason:
        return
    named = view.exceptions_of([other] if other else [])
    own = [path for item, path in named if item.state and other in (item.device, item.host)]
    yield Finding(
        f"draining {item.device or and_list(item.link or ())} has no effect: {reason}",
        (*path, "state"),
        hint="remove the state" if other else "drain or remove the hosts behind it, or leave another path open",
        fixes=without(item, path, "state"),
        related=tuple(Related("its own state", (*path, "state")) for path in own[-1:]) or _ways(view, devices),
    )


def _ways(view: PlanView, devices: dict[str, DeviceId | HostId]) -> tuple[Related, ...]:
    """The key that says how many ways there are: a leaf's host links, or how many upper switches there are."""
    upper = max(device.tier for device in devices.values() if isinstance(device, DeviceId))
    if not upper:
        return (Related("the host links", ("links", view.plan.links[0].name)),)
    return (Related("the switches beside it", ("tiers", view.plan.tiers[upper].name, "count")),)


def _of_switch(plan: FabricPlan, device: DeviceId | HostId, ways_up: Callable[[DeviceId], bool]) -> str:
    """Return why a drained switch keeps its traffic; empty if the traffic has another path."""
    if isinstance(device, HostId) or plan.exceptions.is_absent(device):
        return ""
    if not device.tier:
        return _of_leaf(plan, device)
    lowers = {link.lower_end for link in down_links(plan, device)}
    if not lowers:
        return "no cable leads to it from below"
    if any(map(ways_up, lowers)):
        return ""
    below = "the switch below it has" if len(lowers) == 1 else f"the {len(lowers)} switches below it have"
    return f"{below} no other uplink path"


def _of_leaf(plan: FabricPlan, leaf: DeviceId) -> str:
    """Return why a drained leaf keeps its traffic: active hosts reach it by the rail that only it has."""
    partner = {other: DeviceId(0, leaf.where._replace(index=other)) for other in range(plan.tiers[0].counts.index)}
    partner.pop(leaf.where.index)
    has_partner = any(_state(plan, other) == "" for other in partner.values())
    alone = {
        link.host
        for link in host_links(plan, leaf)
        if not _state(plan, link.host) and not (plan.hosts[link.host.group].bond and has_partner)
    }
    return f"NIC ports of {counted(len(alone), 'host')} are reached over this leaf alone" if alone else ""


def _of_link(
    plan: FabricPlan, ends: dict[str, DeviceId | HostId], ways_up: Callable[[DeviceId], bool]
) -> tuple[str, str | None]:
    """Return why a drained link keeps its traffic or has none, and the end that causes it."""
    for name, end in ends.items():
        if _state(plan, end):
            return f"{name} is {_state(plan, end)} itself", name
    lower = min(end for end in ends.values() if isinstance(end, DeviceId)) if _are_switches(ends) else None
    if lower is not None and not ways_up(lower):
        return f"{plan.device_name(lower)} has no other uplink path", None
    return "", None


def _are_switches(ends: dict[str, DeviceId | HostId]) -> bool:
    return all(isinstance(end, DeviceId) for end in ends.values())


def _state(plan: FabricPlan, device: DeviceId | HostId) -> str:
    found = plan.exceptions.of(device)
    return found.state if found else ""
