"""Rules on the limits of a rollout: every switch can leave within them, and not all hosts at once."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from fabricgen.analysis.outage.groups import Grouping
from fabricgen.analysis.outage.leaf_pairs import LeafPairs
from fabricgen.analysis.outage.surviving import describe_blocked, find_blocked, share_text
from fabricgen.checks.model import Finding, PlanView, further, rule
from fabricgen.diagnostics import Related
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates
from fabricgen.plan.model.rollout import SCHEDULER_GROUPS

DOCS = "docs/intent.md, rollout"


@rule(
    "FG-ROL-001",
    "Share or floor that lets no switch leave",
    why="Less than one whole switch may be out at once, or a pair of leafs would keep less than the floor: no "
    "rollout reaches the switch.",
    fix="Raise the share to that of one switch, lower the floor to what is left, or add switches to the tier; or "
    "leave such a change to a window without jobs.",
    source=DOCS,
)
def check_shares(view: PlanView) -> Iterator[Finding]:
    """Each share of a tier, plane, rail or pod is at least one switch of the smallest."""
    grouping = Grouping(view.plan)
    for scope, share in view.plan.rollout.out_max:
        group = min((each for each in grouping.caps if each.scope == scope), key=grouping.size, default=None)
        if group is None or grouping.caps[group].most:
            continue
        path = ("rollout", "out_max", scope)
        least = share_text(Fraction(1, grouping.size(group)))
        message = f"{share_text(share)} of {grouping.amount(group)} is less than one, so none can leave"
        yield Finding(message, path, hint=f"set it to {least} or more")


@further("FG-ROL-001")
def check_floor(view: PlanView) -> Iterator[Finding]:
    """A floor that is stated lets every switch leave alone, whatever is drained today."""
    if "floor" not in view.intent.rollout.model_fields_set:
        return
    floor, path = view.plan.rollout.floor, ("rollout", "floor")
    model = LeafPairs(_without_drains(view.plan))
    blocked = list(find_blocked(model, floor))
    if not blocked:
        return
    least = min(each.left for each in blocked)
    tier = view.plan.tiers[min(blocked, key=lambda each: each.left).device.tier].name
    message = describe_blocked(model, blocked, floor)
    hint = f"set it to {share_text(least)}" if least else "set it to 0 and change them in a window without jobs"
    yield Finding(message, path, hint=hint, related=(Related("the switches of the tier", ("tiers", tier, "count")),))


@rule(
    "FG-ROL-003",
    "Scheduler groups that do not divide a rollout",
    why="Groups leave one after another. Where there is only one, all hosts behind single leafs would leave at once; "
    "beside a share of out_max, which limits what is out in their place, groups have no effect.",
    fix="Use unit, which is the default, or leave out_max out.",
    source=DOCS,
)
def check_scheduler_group(view: PlanView) -> Iterator[Finding]:
    """Groups that are larger than units are several, and no share takes their place."""
    limits, counts = view.plan.rollout, view.plan.tiers[0].counts
    group, path = view.intent.rollout.scheduler_group, ("rollout", "scheduler_group")
    if group == SCHEDULER_GROUPS[-1]:
        return
    last = Coordinates(counts.zone - 1, counts.pod - 1, counts.unit - 1)
    if limits.out_max:
        related = (Related("the share", ("rollout", "out_max")),)
        message = f"{group!r} has no effect beside a share of out_max"
        yield Finding(message, path, hint="leave out one of the two", related=related)
    elif not any(limits.group_of(last)):
        hint = "use unit, or a share of out_max"
        one = f"one {group}" if group in SCHEDULER_GROUPS else f"no more than {group}"
        yield Finding(f"the fabric has {one}, so all its hosts would leave at once", path, hint=hint)


def _without_drains(plan: FabricPlan) -> FabricPlan:
    """Return a plan whose drained switches and links are in service again: a drain is no reason to lower a floor."""
    known = plan.exceptions
    switches = {key: each._replace(state=each.state.removeprefix("drained")) for key, each in known.switches.items()}
    links = {key: each._replace(state=each.state.removeprefix("drained")) for key, each in known.links.items()}
    return plan._replace(exceptions=known._replace(switches=switches, links=links))


def _written(share: str) -> str | float:
    """Return a share as YAML reads it: a number where it is a decimal."""
    return share if "/" in share else float(share)
