"""From a name back to the host or switch that bears it, by solving its pattern: nothing is listed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import product

from fabricgen.plan.model.fabric import FabricPlan, group_hosts
from fabricgen.plan.model.identity import Coordinates, DeviceId, HostId
from fabricgen.plan.model.topology import HostGroup, Tier

_VARIABLE = re.compile(r"\{(\w+)[^}]*\}")


def find_host(plan: FabricPlan, name: str) -> HostId | None:
    """The host of that name that exists; None where there is none."""
    for number, group in enumerate(plan.hosts):
        hosts = frozenset(group_hosts(group))
        for zone, pod, unit, host in _host_places(plan, group, name):
            where = Coordinates(zone, pod, unit)
            found = HostId(number, where, host)
            if host in hosts and group.in_unit(unit) and not plan.exceptions.is_absent(found):
                return found
    return None


def find_switch(plan: FabricPlan, name: str) -> DeviceId | None:
    """The switch of that name that exists; None where there is none."""
    for tier in plan.tiers:
        for where in _switch_places(tier, name):
            found = DeviceId(tier.number, where)
            if not plan.exceptions.is_absent(found):
                return found
    return None


def _host_places(plan: FabricPlan, group: HostGroup, name: str) -> Iterator[tuple[int, ...]]:
    """Zone, pod, unit and number, from 0, at which a host of a group has the name."""
    values = _solve(group.name_pattern, name, {"group": group.name.replace("_", "-")})
    if values is None:
        return
    counts = plan.tiers[0].counts
    ranges = {"zone": range(counts.zone), "pod": range(counts.pod), "unit": range(counts.unit)}
    ranges["host"] = range(group.per_unit_reserved + group.backup_per_unit)
    for place in product(*(_ordinal(values, key, every) for key, every in ranges.items())):
        if group.host_name(Coordinates(*place[:3]), place[3]) == name:
            yield place


def _switch_places(tier: Tier, name: str) -> Iterator[Coordinates]:
    """Coordinates at which a switch of a tier has the name."""
    values = _solve(tier.name_pattern, name, {})
    if values is None:
        return
    counts = tier.counts
    outer = [_ordinal(values, key, range(getattr(counts, key))) for key in ("zone", "pod", "unit")]
    for place in product(*outer, range(counts.plane), range(counts.group), range(counts.index)):
        if tier.device_name(Coordinates(*place)) == name:
            yield Coordinates(*place)


def _ordinal(values: Mapping[str, str], key: str, every: range) -> range:
    """The numbers, from 0, that a variable leaves possible: the one it says, or every one where the name has it not."""
    if key not in values:
        return every
    number = int(values[key]) - 1
    return range(number, number + 1) if number in every else range(0)


def _solve(pattern: str, name: str, known: Mapping[str, str]) -> dict[str, str] | None:
    """Return the text of each variable of a pattern in a name; None where the name is not of the pattern.

    A number beside another one, or beside a digit of the pattern, is left open.
    """
    parts, seen, end = [], set(known), 0
    for found in _VARIABLE.finditer(pattern):
        variable = found[1]
        parts.append(re.escape(pattern[end : found.start()]))
        end = found.end()
        adjacent = pattern[: found.start()][-1:] + pattern[end:][:1]
        if variable in known:
            parts.append(re.escape(known[variable]))
        elif variable == "plane":
            parts.append("[a-z]")
        elif variable in seen or any(char in "{}" or char.isdecimal() for char in adjacent):
            parts.append(r"\d+")
        else:
            seen.add(variable)
            parts.append(rf"(?P<{variable}>\d+)")
    solved = re.fullmatch("".join([*parts, re.escape(pattern[end:])]), name, re.ASCII)
    return solved.groupdict() if solved else None
