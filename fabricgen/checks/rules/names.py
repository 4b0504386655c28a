"""Rules on the names of devices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from fabricgen.checks.model import Finding, PlanView, rule
from fabricgen.checks.rules.topology import host_path
from fabricgen.diagnostics import IntentPath, Related, set_to
from fabricgen.plan.model.fabric import group_hosts
from fabricgen.plan.model.numbering import Coordinates

NAME_MAX = 63
"""Longest label of a host name, and the longest name that exceptions can speak of."""


@rule(
    "FG-TOP-012",
    "Two devices with one name",
    why="Names are identities: one device's files would overwrite the other's.",
    fix="Put every dimension that has more than one member into the name pattern.",
    source="docs/intent.md, names",
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
        names = Counter(
            group.host_name(unit, host)
            for unit in plan.units()
            if group.in_unit(unit.unit)
            for host in group_hosts(group)
        )
        yield from _claim(owner, names, path)


def _claim(owner: dict[str, tuple[str, ...]], spelled: Counter[str], path: tuple[str, ...]) -> Iterator[Finding]:
    """Enter names; the case of letters makes no difference to DNS and to some file systems."""
    names: Counter[str] = Counter()
    for name, count in spelled.items():
        names[name.lower()] += count
    doubled = [name for name, count in names.items() if count > 1]
    if doubled:
        yield Finding(
            f"{len(doubled)} names are given more than once, for example {doubled[0]!r} {names[doubled[0]]} times",
            path,
            hint="add the missing variable to the pattern, or remove name",
            fixes=set_to(path, None, hinted=True),
        )
    taken = [name for name in names if name in owner and name not in doubled]
    if taken:
        yield Finding(
            f"{len(taken)} names belong to another tier or group already, for example {taken[0]!r}",
            path,
            hint="change one of the patterns, or remove name",
            fixes=set_to(path, None, hinted=True),
            related=(Related("the other pattern", owner[taken[0]]),),
        )
    for name in names:
        owner.setdefault(name, path)


@rule(
    "FG-TOP-034",
    "Name that is too long for a host name",
    why="Devices refuse it or cut it off, and two that differ behind the cut have one name.",
    fix="Shorten the name pattern, or the name of the tier or group that stands in it.",
    source="RFC 1123 section 2.1 (labels of up to 63 characters); Linux, HOST_NAME_MAX",
)
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
            yield Finding(
                f"{name!r} has {len(name)} characters; {NAME_MAX} are allowed",
                path,
                hint="shorten the pattern, or remove name" if path[-1] == "name" else "",
                fixes=set_to(path, None, hinted=True) if path[-1] == "name" else (),
            )
