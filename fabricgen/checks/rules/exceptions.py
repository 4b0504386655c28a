"""Rules on exceptions, and on what they leave of a switch's hosts and paths."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, PlanView, further, rule
from fabricgen.diagnostics import IntentPath, Nearest, Related, Severity
from fabricgen.diagnostics.words import name_few
from fabricgen.intent.exceptions import Exception_, list_exceptions
from fabricgen.intent.name_patterns import match_names
from fabricgen.plan.model.cabling import host_links, rewired, up_links, uplinks
from fabricgen.plan.model.fabric import NO_EXCEPTIONS, FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.planner.exceptions.links import find_names, other_name

DOCS = "docs/intent.md, exceptions"


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
    every = find_names(view.plan, None)
    switches = {name for name, found in every.items() if isinstance(found, DeviceId)}
    hosts = every.keys() - switches
    nearest = Nearest()
    for item, path in list_exceptions(view.intent.exceptions):
        for key, name, known in _list_named(item, switches, hosts):
            found, unmet = match_names(name, known)
            if unmet:
                message = f"{name} matches {name_few(found)}, but nothing has {name_few(unmet)}"
                yield Finding(message, (*path, key), hint=f"use names from {found[0]} to {found[-1]}")
            elif not found:
                others = every.keys() - known if key in ("device", "host") else set()
                yield _missing(
                    view.plan, name, (*path, key), others, other_name(view.plan, name) or nearest.find(name, known)
                )


def _list_named(item: Exception_, switches: set[str], hosts: set[str]) -> Iterator[tuple[str, str, set[str]]]:
    """Yield the names in an exception with their keys, and the devices that each may be."""
    single = (("device", item.device, switches), ("host", item.host, hosts), ("to", item.to, switches))
    yield from ((key, name, known) for key, name, known in single if name is not None)
    yield from (("link", end, switches | hosts) for end in item.link or ())
    yield from (("ports", end, switches | hosts) for end in item.ports or ())


def _missing(plan: FabricPlan, name: str, path: IntentPath, others: set[str], near: str | None) -> Finding:
    """A name that is no device's, that of another kind of device, or of one that its unit lacks."""
    kind = "host" if path[-1] == "host" else "device"
    if match_names(name, others)[0]:
        right = "device" if kind == "host" else "host"
        words = {"device": "a switch", "host": "a host"}[right]
        return Finding(f"{name} is {words}", path, on_key=True, hint=f"write {right}: {name}")
    lacking = find_names(plan._replace(planned=NO_EXCEPTIONS), {name}).get(name)
    if lacking and (found := plan.kind_at(lacking.where.unit)):
        message = f"{name} is not there by its unit's kind, {found.name!r}"
        return Finding(message, path, hint=f"change units.kinds.{found.name}, or name another")
    hint = f"did you mean {near!r}?" if near else "see fabricgen show INVENTORY devices"
    return Finding(f"there is no {kind} {name!r}", path, hint=hint)


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
            tier = view.plan.tier_of(device)
            spec = view.switch(tier.platform)
            if spec and not (spec.switch.drain_links if item.link else spec.switch.drain):
                drains = "switches, not links" if spec.switch.drain else "nothing"
                platform, reason = ("tiers", tier.name, "platform"), (*path, "reason")
                message = f"{name} runs {spec.name}, which drains {drains}"
                hint = "drain the switch, or use absent" if spec.switch.drain else "use absent"
                related = (Related("the platform", platform), Related("its reason", reason))
                yield Finding(message, (*path, "state"), hint=hint, related=related)
                break


MAX_PATHS = ("routing", "ecmp", "max_paths")


@further("FG-EXC-087")
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
                message = f"{name} is absent, and {hosts} {subject} NIC ports of {shown} there alone"
                hint = "drain or remove the hosts as well, or bring the leaf back"
                related = (Related("the host links", ("links", view.plan.links[0].name)),)
                yield Finding(message, (*path, "state"), hint=hint, related=related)


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


@further("FG-RTE-011")
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
            message = f"max_paths of {setting.item.device} is {setting.value}; it has {uplinks} equal-cost uplinks"
            related = (Related("the links", ("links", view.plan.links[device.tier + 1].name)),)
            yield Finding(message, setting.path, hint=f"use {uplinks} or more", related=related)


Uppers = frozenset[DeviceId]
PAIRS_MAX = 100
"""Pairs of leafs with the same upper switches by the plan that are named; the last says how many more there are."""


@rule(
    "FG-EXC-024",
    "Leafs without a way to each other",
    severity=Severity.WARNING,
    why="Nothing goes up a second time once it has come down, so leafs that have no upper switch in common do not "
    "reach each other: what their hosts send there is lost.",
    fix="Bring a link or switch back, or take the leaf out as well until then.",
    source="RFC 7938 section 5.2.1 (a path goes up once and down once); docs/intent.md, routing",
)
def check_cut_off(view: PlanView) -> Iterator[Finding]:
    """Every two leafs that meet by the plan still meet as exceptions leave it."""
    plan = view.plan
    if len(plan.tiers) < 2:
        return
    for regular, left in sorted(_leafs(plan).items(), key=lambda item: min(item[1].values())):
        for uppers, leaf in left.items():
            if not uppers:
                yield _finding(view, [leaf], regular, f"{plan.device_name(leaf)} has no uplink path left")
        apart, leafs = _apart(list(left), len(regular)), list(left.values())
        for number, pair in enumerate(apart[:PAIRS_MAX], 1):
            one, other = (leafs[at] for at in pair)
            more = f", nor have {len(apart) - number} more pairs" if number == PAIRS_MAX < len(apart) else ""
            message = f"{plan.device_name(one)} and {plan.device_name(other)} have no upper switch in common{more}"
            yield _finding(view, [one, other], regular, message)


def _apart(left: list[Uppers], planned: int) -> list[tuple[int, int]]:
    """Pairs of sets that share no switch; of two such, one has half of the planned switches at most."""
    small = [number for number, uppers in enumerate(left) if uppers and 2 * len(uppers) <= planned]
    pairs = {
        (min(one, other), max(one, other))
        for one in small
        for other, uppers in enumerate(left)
        if uppers and left[one].isdisjoint(uppers)
    }
    return sorted(pairs)


def _leafs(plan: FabricPlan) -> dict[Uppers, dict[Uppers, DeviceId]]:
    """By the upper switches of the plan: those that are left, each with the first leaf that has no others."""
    found: dict[Uppers, dict[Uppers, DeviceId]] = {}
    tier, changed = plan.tiers[0], rewired(plan)
    for device in sorted(plan.exceptions.recabled):
        if device.tier or plan.exceptions.is_absent(device):
            continue
        regular = frozenset(link.upper_end for link in uplinks(plan, tier, device.where))
        left = frozenset(link.upper_end for link in up_links(plan, device)) if device in changed else regular
        found.setdefault(regular, {}).setdefault(left, device)
    return found


def _finding(view: PlanView, leafs: list[DeviceId], regular: Uppers, message: str) -> Finding:
    """A finding at the first exception that takes part; the others are named beside it."""
    own = {view.plan.device_name(device) for device in leafs}
    devices = own | {view.plan.device_name(device) for device in regular}
    named = view.exceptions_of(devices)
    paths = [path for item, path in named if item.device in devices or own & set(item.link or ())]
    first: IntentPath = paths[0] if paths else ("exceptions",)
    return Finding(message, first, related=tuple(Related("also takes part", path) for path in paths[1:]))
