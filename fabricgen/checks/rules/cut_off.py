"""Rules on what exceptions leave of the ways between leafs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from fabricgen.checks.model import Finding, Needs, PlanView, rule
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.intent.exceptions import exception_paths
from fabricgen.plan.model.cabling import cabled_uplinks
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.model.links import uplinks

Uppers = frozenset[DeviceId]


@rule(
    "FG-EXC-024",
    "Leafs without a way to each other",
    needs=Needs.PLAN,
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
                yield _finding(view, [leaf], regular, f"{plan.device_name(leaf)} has no way up left")
        for (one, first), (other, second) in combinations(left.items(), 2):
            if one and other and not one & other:
                said = f"{plan.device_name(first)} and {plan.device_name(second)} have no upper switch in common"
                yield _finding(view, [first, second], regular, said)


def _leafs(plan: FabricPlan) -> dict[Uppers, dict[Uppers, DeviceId]]:
    """By the upper switches of the plan: those that are left, each with the first leaf that has no others."""
    found: dict[Uppers, dict[Uppers, DeviceId]] = {}
    tier = plan.tiers[0]
    for device in sorted(plan.exceptions.touched):
        if device.tier or plan.exceptions.is_absent(device):
            continue
        regular = frozenset(DeviceId(link.number, link.upper) for link in uplinks(plan, tier, device.where))
        left = frozenset(DeviceId(link.number, link.upper) for link in cabled_uplinks(plan, tier, device.where))
        found.setdefault(regular, {}).setdefault(left, device)
    return found


def _finding(view: PlanView, leafs: list[DeviceId], regular: Uppers, message: str) -> Finding:
    """A finding at the first exception that takes part; the others are named beside it."""
    own = {view.plan.device_name(device) for device in leafs}
    devices = own | {view.plan.device_name(device) for device in regular}
    items = zip(view.intent.exceptions, exception_paths(view.intent.exceptions), strict=True)
    paths = [path for item, path in items if item.device in devices or own & set(item.link or ())]
    first: IntentPath = paths[0] if paths else ("exceptions",)
    return Finding(message, first, related=tuple(Related("takes part", path) for path in paths[1:]))
