"""Kinds of units: places that are numbered as all others are, with fewer hosts, fewer uplinks, or nothing yet."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.diagnostics import Bag, IntentPath, Nearest, Related
from fabricgen.diagnostics.words import or_list
from fabricgen.intent.fabric import FabricIntent
from fabricgen.intent.topology import UnitKindIntent
from fabricgen.plan.model.cabling import FabricLink, uplinks, with_absent
from fabricgen.plan.model.fabric import FabricPlan, LinkException
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.plan.model.topology import UnitKind
from fabricgen.plan.planner import plan_codes as codes


def add_kinds(plan: FabricPlan, intent: FabricIntent, bag: Bag) -> FabricPlan:
    """Return the plan with its kinds of units, and without what they lack; what is wrong with one is left out."""
    if not intent.units.kinds:
        return plan
    plan = plan._replace(
        kinds=tuple(_build_kind(plan, name, kind, bag) for name, kind in sorted(intent.units.kinds.items()))
    )
    _check_units(plan, bag)
    found = with_absent(plan, _gone(plan), "").exceptions
    missing = list(_missing_uplinks(plan))
    ends = frozenset(end for link in missing for end in (link.lower_end, link.upper_end))
    found = found._replace(
        links={link.id: LinkException(state="absent") for link in missing},
        touched=found.touched | ends,
        recabled=found.recabled | ends,
    )
    return plan._replace(planned=found, exceptions=found)


def _build_kind(plan: FabricPlan, name: str, written: UnitKindIntent, bag: Bag) -> UnitKind:
    """A kind with the counts that there is room for; others are reported."""
    per_unit = {group.name: group.per_unit for group in plan.hosts}
    hosts: dict[str, int] = {}
    for group, count in sorted(written.hosts.items()):
        path = ("units", "kinds", name, "hosts", group)
        if group not in per_unit:
            near = Nearest().find(group, per_unit)
            hint = f"did you mean {near!r}?" if near else f"use {or_list(per_unit)}"
            bag.add(codes.KIND, f"there is no host group {group!r}", path, on_key=True, hint=hint)
        elif count > (most := per_unit[group]):
            message = f"units of kind {name!r} have {count} hosts of group {group!r}, more than per_unit, {most}"
            related = [Related("hosts of the largest unit", ("hosts", group, "per_unit"))]
            bag.add(codes.KIND, message, path, hint=f"use at most {most}, or raise per_unit", related=related)
        else:
            hosts[group] = count
    ranges = tuple((first - 1, last - 1) for first, last in written.units)
    uplinks_kept = _uplinks_kept(plan, name, written.uplinks, bag)
    return UnitKind(name, ranges, hosts, uplinks_kept, is_absent=written.state == "absent")


def _uplinks_kept(plan: FabricPlan, name: str, count: int | None, bag: Bag) -> int:
    """Uplinks of each leaf of a kind; 0 for all of them. As many go to one upper switch as to another."""
    if count is None:
        return 0
    path: IntentPath = ("units", "kinds", name, "uplinks")
    links = plan.links[1:2]
    width = links[0].width if links else 0
    even = [width * each for each in range(1, links[0].per_pair + 1)] if links else []
    related = [Related("the links", ("links", each.name)) for each in links]
    if not even or count > even[-1] or (count > width and count % width):
        message = f"{count} uplinks of a leaf of kind {name!r} do not spread evenly over {width} upper switches"
        hint = f"use {or_list(map(str, even))}, or fewer than {width}" if even else "remove uplinks"
        bag.add(codes.KIND, message, path, hint=hint, related=related)
        return 0
    if count < width:
        message = f"leafs of kind {name!r} reach {count} of {width} upper switches, which carry all of their traffic"
        hint = f"no action is needed if this is intended; otherwise use {or_list(map(str, even))}"
        bag.add(codes.FEW_UPPERS, message, path, hint=hint, related=related)
    return count


def _check_units(plan: FabricPlan, bag: Bag) -> None:
    """Report units of a kind that do not exist, and those of two kinds."""
    count = plan.tiers[0].counts.unit
    for kind in plan.kinds:
        path: IntentPath = ("units", "kinds", kind.name, "units")
        last = max(last for _, last in kind.units)
        if last >= count:
            message = f"kind {kind.name!r} names unit {last + 1}; there are {count}"
            related = [Related("the units", ("units", "count"))]
            bag.add(codes.KIND, message, path, hint=f"use units 1-{count}", related=related)
        units = (unit for first, last in kind.units for unit in range(first, min(last + 1, count)))
        for unit, other in ((unit, plan.kind_at(unit)) for unit in units):
            if other and other.name != kind.name:
                message = f"unit {unit + 1} is of kind {other.name!r} and of kind {kind.name!r}"
                related = [Related("the other kind", ("units", "kinds", other.name, "units"))]
                bag.add(codes.KIND, message, path, hint="name the unit in one of the two", related=related)
                break


def _gone(plan: FabricPlan) -> Iterator[DeviceId | HostId]:
    """Yield the leafs and hosts that units lack by their kinds."""
    absent = {unit for unit in range(plan.tiers[0].counts.unit) if (kind := plan.kind_at(unit)) and kind.is_absent}
    yield from (DeviceId(0, where) for where in plan.tiers[0].coordinates() if where.unit in absent)
    for unit in plan.units():
        kind = plan.kind_at(unit.unit)
        for host in plan.hosts_of_unit(unit) if kind else ():
            group = plan.hosts[host.group]
            if kind and (kind.is_absent or kind.per_unit(group) <= host.host < group.per_unit):
                yield host


def _missing_uplinks(plan: FabricPlan) -> Iterator[FabricLink]:
    """Yield the uplinks that leafs lack by their kinds: the last of those to each upper switch, by number."""
    tier = plan.tiers[0]
    for where in tier.coordinates() if any(kind.uplinks for kind in plan.kinds) else ():
        kind = plan.kind_at(where.unit)
        for link in uplinks(plan, tier, where) if kind and kind.uplinks else ():
            upper, parallel = divmod(link.lower_position, plan.links[1].per_pair)
            if kind and parallel * plan.links[1].width + upper >= kind.uplinks:
                yield link
