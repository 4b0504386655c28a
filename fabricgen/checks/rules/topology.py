"""Rules on tiers, host links and names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from fabricgen.checks.model import Finding, IntentView, PlanView, further, rule
from fabricgen.diagnostics import IntentPath, Related, Severity
from fabricgen.intent.topology import Links
from fabricgen.plan.model.fabric import FabricPlan, group_hosts
from fabricgen.plan.model.identity import Coordinates


@further("FG-TOP-006")
def check_host_links(view: IntentView) -> Iterator[Finding]:
    """Host links carry neither per_pair nor pattern."""
    for name, link, _ in host_links(view):
        if link.per_pair != 1:
            message = f"links.{name}.per_pair is {link.per_pair}; a NIC port is one cable"
            yield Finding(message, ("links", name, "per_pair"), hint="remove per_pair")
        if link.pattern is not None:
            message = f"links.{name}.pattern is set; attachment decides how hosts attach"
            yield Finding(message, ("links", name, "pattern"), on_key=True, hint="remove pattern")


@rule(
    "FG-TOP-026",
    "Upper tier with a single switch",
    severity=Severity.WARNING,
    why="When it fails, or is drained, the fabric is cut.",
    fix="Use two or more.",
    source="RFC 7938 section 3.2",
)
def check_tier_redundancy(view: PlanView) -> Iterator[Finding]:
    """Every leaf reaches at least two switches of each upper tier."""
    for tier in view.plan.tiers[1:]:
        if view.plan.links[tier.number].width < 2:
            yield Finding(
                f"a switch of tier {view.plan.tiers[tier.number - 1].name!r} meets one switch of "
                f"{tier.name!r}; its failure cuts it off",
                ("tiers", tier.name, "count"),
                hint="use 2 or more",
            )


@rule(
    "FG-TOP-031",
    "Tier built per less than the tier below it",
    why="Switches below are shared by several of its scopes and would meet those of one; the others stand idle.",
    fix="Build it per the same scope as the tier below, or a wider one.",
    source="docs/intent.md, tiers",
)
def check_scopes_widen(view: PlanView) -> Iterator[Finding]:
    """No tier is built per a smaller scope than the tier below it."""
    order = ("unit", "pod", "zone", "fabric")
    for lower, tier in pairwise(view.plan.tiers):
        if order.index(tier.scope) < order.index(lower.scope):
            message = f"tier {tier.name!r} is built per {tier.scope}, tier {lower.name!r} below it per {lower.scope}"
            related = (Related("the tier below", ("tiers", lower.name)),)
            yield Finding(message, ("tiers", tier.name, "per"), hint=f"use per: {lower.scope}", related=related)


def host_links(view: IntentView) -> Iterator[tuple[str, Links, list[str]]]:
    """Every link group of hosts, with the host groups that use it."""
    ends = {name: name.partition("-")[::2] for name in sorted(view.intent.links)}
    common = {upper for lower, upper in ends.values() if lower == "host"}
    groups = set(view.intent.hosts) - set(view.intent.tiers) - {"host"}
    own = {lower for lower, upper in ends.values() if lower in groups and upper in (common or {upper})}
    for name, (lower, _) in ends.items():
        if lower == "host" and "host" not in view.intent.tiers:
            yield name, view.intent.links[name], sorted(set(view.intent.hosts) - own)
        elif lower in own:
            yield name, view.intent.links[name], [lower]


def host_path(view: IntentView | PlanView, group: str, *rest: str) -> tuple[str, ...]:
    """Path of a host group; the group ``gpu`` may be written without its name, which positions resolve."""
    return ("hosts", group, *rest)


SCOPES = ("zone", "pod", "unit")
"""Dimensions of which a fabric may have several, the widest first."""
JOINED = {"fabric": 0, "zone": 1, "pod": 2, "unit": 3}
"""Number of them that the switches of a scope stand apart in."""


@rule(
    "FG-TOP-033",
    "Parts of the fabric that do not meet",
    severity=Severity.WARNING,
    why="No path leads from one part to another, but every host has a route to all: what it sends there is lost.",
    fix="Build the topmost tier per fabric, or add one above it; or make each part an inventory of its own.",
    source="RFC 7938 section 3.2; docs/intent.md, tiers",
)
def check_parts_meet(view: PlanView) -> Iterator[Finding]:
    """The topmost tier joins all that stands below it, and the leafs of each pair."""
    top, leaf = view.plan.tiers[-1], view.plan.tiers[0]
    if len(view.plan.tiers) < len(view.intent.tiers):
        # A tier that no link reaches is reported as such.
        return
    apart = [name for name in SCOPES[: JOINED[top.scope]] if getattr(leaf.counts, name) > 1]
    if apart:
        counted = " of ".join(f"{getattr(leaf.counts, name)} {name}s" for name in reversed(apart))
        above = "is above the leafs" if top is leaf else f"is above tier {top.name!r}, which is built per {top.scope}"
        message = f"nothing joins {counted}: no tier {above}"
        path = ("tiers", top.name) if top is leaf else ("tiers", top.name, "per")
        hint = "add a tier above them" if top is leaf else "use per: fabric, or add a tier above"
        yield Finding(message, path, hint=hint, related=tuple(Related(f"the {name}s", (f"{name}s",)) for name in apart))
    yield from _pairs(view.plan)


def _pairs(plan: FabricPlan) -> Iterator[Finding]:
    """Leafs over which hosts bond meet above them; otherwise none can stand in for the other's lost link."""
    leaf, links = plan.tiers[0], plan.links[1:]
    if leaf.counts.index < 2 or not any(group.bond for group in plan.hosts):
        return
    message = "the leafs of a pair, over which hosts bond, meet nowhere"
    if not links:
        yield Finding(f"{message}: no tier is above them", ("tiers", leaf.name), hint="add a tier above them")
    elif links[0].pattern == "stripe_index" and all(link.pattern == "stripe_rail" for link in links[1:]):
        path = ("links", links[0].name, "pattern")
        yield Finding(f"{message}: stripe: index keeps them apart", path, hint="leave the pattern out")


NAME_MAX = 63
"""Longest label of a host name, and the longest name that exceptions can speak of."""


@rule(
    "FG-TOP-012",
    "Name that two devices have, or that is too long",
    why="Names are identities: one device's files would overwrite the other's. Devices refuse or cut a long one.",
    fix="Put every dimension that has more than one member into the name pattern, and keep names short.",
    source="docs/intent.md, names; RFC 1123 section 2.1 (labels of up to 63 characters); Linux, HOST_NAME_MAX",
)
def check_names_unique(view: PlanView) -> Iterator[Finding]:
    """Every device and host has a name of its own."""
    plan = view.plan
    owner: dict[str, tuple[str, ...]] = {}
    for tier in plan.tiers:
        path: tuple[str, ...] = (
            ("tiers", tier.name, "name") if view.intent.tiers[tier.name].name else ("tiers", tier.name)
        )
        yield from _claim(owner, Counter(tier.device_name(where) for where in tier.coordinates()), path)
    for group in plan.hosts:
        path = host_path(view, group.name, "name") if view.intent.hosts[group.name].name else ("hosts",)
        yield from _claim(owner, Counter(view.host_names(group)), path)


def _claim(owner: dict[str, tuple[str, ...]], spelled: Counter[str], path: tuple[str, ...]) -> Iterator[Finding]:
    """Enter names; the case of letters makes no difference to DNS and to some file systems."""
    names: Counter[str] = Counter()
    for name, count in spelled.items():
        names[name.lower()] += count
    doubled = [name for name, count in names.items() if count > 1]
    if doubled:
        message = f"{len(doubled)} names are given more than once, for example {doubled[0]!r} {names[doubled[0]]} times"
        yield Finding(message, path, hint="add the missing variable to the pattern, or remove name")
    taken = [name for name in names if name in owner and name not in doubled]
    if taken:
        message = f"{len(taken)} names belong to another tier or group already, for example {taken[0]!r}"
        related = (Related("the other pattern", owner[taken[0]]),)
        yield Finding(message, path, hint="change one of the patterns, or remove name", related=related)
    for name in names:
        owner.setdefault(name, path)


@further("FG-TOP-012")
def check_name_length(view: PlanView) -> Iterator[Finding]:
    """The longest name of every pattern, at the reserved maximum, is a host name."""
    plan = view.plan
    longest: list[tuple[str, IntentPath]] = []
    for tier in plan.tiers:
        own = ("name",) if view.intent.tiers[tier.name].name else ()
        last = Coordinates(*(count - 1 for count in tier.reserved))
        longest.append((tier.device_name(last), ("tiers", tier.name, *own)))
    leaf = plan.tiers[0].reserved
    for group in plan.hosts:
        path = host_path(view, group.name, "name") if view.intent.hosts[group.name].name else ("hosts",)
        unit = Coordinates(leaf.zone - 1, leaf.pod - 1, leaf.unit - 1)
        longest.append((group.host_name(unit, max(group_hosts(group), default=0)), path))
    for name, path in longest:
        if len(name) > NAME_MAX:
            message = f"{name!r} has {len(name)} characters; {NAME_MAX} are allowed"
            yield Finding(message, path, hint="shorten the pattern, or remove name" if path[-1] == "name" else "")
