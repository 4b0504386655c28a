"""Rules on what an exception leaves of a switch's hosts and paths."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.diagnostics import Related, Severity
from fabricgen.plan.model.cabling import host_links, up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId

MAX_PATHS = ("routing", "ecmp", "max_paths")


@rule(
    "FG-EXC-088",
    "Hosts whose leaf is absent",
    severity=Severity.WARNING,
    why="The rails that meet the leaf have no other way: their links are down, and every job on these hosts fails or "
    "runs over fewer rails than it was planned for.",
    fix="Drain or remove the hosts as well, or bring the leaf back.",
    source="docs/intent.md, exceptions; Qian et al., Alibaba HPN, SIGCOMM 2024, section 4 (single points of failure)",
)
def check_leaf_absent(view: PlanView) -> Iterator[Finding]:
    """No host that is at work has a rail on an absent leaf alone."""
    absent = [
        (item.device, path) for item, path in view.intent.placed_exceptions if item.device and item.state == "absent"
    ]
    for name, path in absent:
        device = view.names.get(name)
        if isinstance(device, DeviceId) and not device.tier:
            hosts, rails = _alone(view.plan, device)
            if hosts:
                shown = f"rail {rails[0]}" if len(rails) == 1 else f"rails {rails[0]} to {rails[-1]}"
                subject = "host at work has" if hosts == 1 else "hosts at work have"
                yield Finding(
                    f"{name} is absent, and {hosts} {subject} NIC ports of {shown} there alone",
                    (*path, "state"),
                    hint="drain or remove the hosts as well, or bring the leaf back",
                    related=(Related("the host links", ("links", view.plan.links[0].name)),),
                )


def _alone(plan: FabricPlan, leaf: DeviceId) -> tuple[int, list[int]]:
    """Hosts at work with rails on a leaf and on no other of its pair, and which rails these are."""
    others = (leaf.where._replace(index=index) for index in range(plan.tiers[0].counts.index))
    paired = any(other != leaf.where and not plan.exceptions.of(DeviceId(0, other)) for other in others)
    links = [
        link
        for link in host_links(plan, leaf)
        if not (plan.hosts[link.host.group].bond and paired)
        and not ((found := plan.exceptions.of(link.host)) and found.state)
    ]
    return len({link.host for link in links}), sorted({link.rail for link in links})


@rule(
    "FG-EXC-089",
    "One switch with fewer paths than uplinks",
    why="Uplinks beyond max_paths carry nothing: this switch is oversubscribed although its links are there.",
    fix="Remove max_paths from the exception, or take links out by state: absent.",
    source="RFC 7938 section 6.1",
)
def check_own_paths(view: PlanView) -> Iterator[Finding]:
    """An exception's max_paths covers the uplinks that the switch has."""
    own = {view.plan.device_name(device): device for device in view.plan.exceptions.switches}
    for setting in view.intent.settings:
        device = own.get(setting.item.device or "")
        if setting.leaf != MAX_PATHS or device is None or not isinstance(setting.value, int):
            continue
        tier = view.plan.tiers[device.tier]
        uplinks = sum(1 for _ in up_links(view.plan, device)) if tier.up else 0
        if setting.value < uplinks:
            yield Finding(
                f"max_paths of {setting.item.device} is {setting.value}; it has {uplinks} equal-cost uplinks",
                setting.path,
                hint=f"use {uplinks} or more",
                value=uplinks,
                related=(Related("the links", ("links", view.plan.links[device.tier + 1].name)),),
            )
