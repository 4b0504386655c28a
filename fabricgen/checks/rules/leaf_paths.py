"""Rules on what exceptions leave of the ways between leafs."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.plan.model.cabling import rewired, up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId
from fabricgen.plan.model.links import uplinks

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
