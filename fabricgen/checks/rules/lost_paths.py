"""Rules on what drains and lost links leave of the paths of a switch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from fabricgen.analysis.capacity import tier_oversubscription
from fabricgen.analysis.hashing import down_width
from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.diagnostics.words import and_list, counted
from fabricgen.intent.exceptions import Exception_
from fabricgen.physics.path_weights import factor_with_weights, factor_without_weights, weigh_rest
from fabricgen.plan.model.cabling import FabricLink, down_links, host_links, up_links, uplinks
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates, DeviceId, FabricLinkId, HostId

MUCH = 2.0
"""Load of the rest, over that of the plan, from which it weighs in any case: half of the links are gone."""
_SOURCE = "RFC 2992 section 2 (equal-cost paths get equal shares); RFC 7938 section 6.1; docs/intent.md, exceptions"


class Rest(NamedTuple):
    """Remaining links between two switches.

    Attributes:
        left: Links that still carry traffic; ``planned`` is how many there are in the plan.
        load: What each of them carries with every host at line rate, over its own rate; ``full`` is that of the plan.
        without: The same of the other links if the rest were taken out as well; 0 where that is no way out.
    """

    lower: DeviceId
    upper: DeviceId
    left: int
    planned: int
    load: float
    full: float
    without: float

    @property
    def weighs(self) -> bool:
        """Return whether something should be done about it."""
        return self.load >= MUCH * self.full or 0 < self.without < self.load


@rule(
    "FG-EXC-085",
    "Parallel links lost until the rest is overloaded",
    severity=Severity.WARNING,
    why="Without weighted ECMP the other leafs hash evenly over all upper switches and do not know that fewer links "
    "lead on from one of them: what comes that way has to share the rest. A job is as slow as these links.",
    fix="Bring links back; or take the rest of the pair out too, so that routing leads around it.",
    source=_SOURCE,
)
def check_overloaded(view: PlanView) -> Iterator[Finding]:
    """No links that are left of a pair carry far more than they can."""
    yield from (_finding(view, rest) for rest in _rests(view.plan) if rest.weighs)


def carries(plan: FabricPlan, link: FabricLink) -> bool:
    """Return whether traffic takes a link that is there: nothing drains it or its upper end."""
    found = plan.exceptions.links.get(link.id)
    upper = plan.exceptions.of(DeviceId(link.number, link.upper))
    return not (found and found.state == "drained") and not (upper and upper.state == "drained")


def _rests(plan: FabricPlan) -> Iterator[Rest]:
    """Pairs of switches that lost some of their links, and whose rest is above its rate at full load."""
    ratios = [tier_oversubscription(plan, tier) for tier in plan.tiers]
    widths = [down_width(plan, tier) for tier in plan.tiers]
    for lower, planned, left in _changed(plan):
        kind, width = plan.kind_at(lower.where.unit) if not lower.tier else None, widths[lower.tier + 1]
        ratio = tier_oversubscription(plan, plan.tiers[0], kind) if kind else ratios[lower.tier]
        if ratio is None:
            continue
        full = ratio[0] / ratio[1]
        for upper, lost in sorted((planned - left).items()):
            if not left[upper]:
                continue
            below = _times_below(plan, lower.tier, width * planned[upper] // plan.links[lower.tier + 1].per_pair, lost)
            above = factor_with_weights(planned.total(), _lost(planned, left))
            load = full * float(max(below, above))
            others = len(planned) - 1
            without = full * len(planned) / others if others and not lower.tier else 0.0
            if load > 1:
                yield Rest(lower, DeviceId(lower.tier + 1, upper), left[upper], planned[upper], load, full, without)


def _times_below(plan: FabricPlan, tier: int, width: int, lost: int) -> Fraction:
    """Return how many times its planned load a link that is left carries downwards."""
    if not plan.weights.on:
        return factor_without_weights(width, lost)
    links = plan.links[tier + 1]
    return weigh_rest(width, lost, links.width, links.per_pair, plan.weights.rules[tier]).load


def _lost(planned: Counter[Coordinates], left: Counter[Coordinates]) -> int:
    """Return how many links upwards a switch lost; one stays, so that there is something to divide by."""
    return planned.total() - max(left.total(), 1)


def _changed(plan: FabricPlan) -> Iterator[tuple[DeviceId, Counter[Coordinates], Counter[Coordinates]]]:
    """Yield switches with exceptions upwards, and their links per upper switch: as planned, and those with traffic."""
    changed = plan.exceptions.links.items()
    known = plan.planned.links
    fewer = (link for link, change in changed if link not in known and (change.state or change.end is not None))
    for lower in sorted({link.lower for link in fewer if isinstance(link, FabricLinkId)}):
        # Of a pair with a single link nothing is left once that is gone.
        if plan.links[lower.tier + 1].per_pair > 1 and not plan.exceptions.is_absent(lower):
            regular = uplinks(plan, plan.tiers[lower.tier], lower.where)
            planned = Counter(link.upper for link in regular if link.id not in known)
            yield lower, planned, Counter(link.upper for link in up_links(plan, lower) if carries(plan, link))


def _finding(view: PlanView, rest: Rest) -> Finding:
    """A finding at the first exception that takes part; the others are named beside it."""
    plan = view.plan
    lower, upper = plan.device_name(rest.lower), plan.device_name(rest.upper)
    paths: list[IntentPath] = [
        path
        for item, path in view.exceptions_of([lower])
        if {lower, upper} <= set(item.link or ()) and (item.state or item.to)
    ]
    better = 0 < rest.without < rest.load
    instead = f"; without them the other uplinks carry {rest.without:.2f} times theirs" if better else ""
    hint = "restore the links" + (f", or set state: absent on all {rest.planned}" if better else "")
    return Finding(
        f"links left between {lower} and {upper}: {rest.left} of {rest.planned}; at full load each carries "
        f"{rest.load:.2f} times its rate, {rest.full:.2f} in the plan{instead}",
        paths[0] if paths else ("exceptions",),
        hint=hint,
        related=(
            *(Related("also takes part", path) for path in paths[1:]),
            Related("the links", ("links", plan.links[rest.upper.tier].name, "per_pair")),
        ),
    )


@rule(
    "FG-EXC-087",
    "Drain without effect, or absent leaf with hosts at work",
    severity=Severity.WARNING,
    why="Graceful shutdown makes others prefer another path. Where there is none, or the device or link carries "
    "nothing anyway, traffic stays as it is, and is cut off once work on the device begins. Rails that meet one leaf "
    "have no other way: where it is absent, jobs on its hosts fail or run over fewer rails than planned.",
    fix="Drain or remove the hosts behind a single leaf as well, leave another path open, or remove the state.",
    source="RFC 8326 section 2 (paths that are still there are used as a last resort); Qian et al., Alibaba HPN, "
    "SIGCOMM 2024, section 4 (single points of failure)",
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
    message = f"draining {item.device or and_list(item.link or ())} has no effect: {reason}"
    hint = "remove the state" if other else "drain or remove the hosts behind it, or leave another path open"
    related = tuple(Related("its own state", (*path, "state")) for path in own[-1:]) or _ways(view, devices)
    yield Finding(message, (*path, "state"), hint=hint, related=related)


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
    switches = sorted(end for end in ends.values() if isinstance(end, DeviceId))
    if len(switches) == len(ends) and not ways_up(switches[0]):
        return f"{plan.device_name(switches[0])} has no other uplink path", None
    return "", None


def _state(plan: FabricPlan, device: DeviceId | HostId) -> str:
    found = plan.exceptions.of(device)
    return found.state if found else ""
