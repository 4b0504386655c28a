"""Choosing devices by globs on their names, as ``--only`` and ``--device`` do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import NamedTuple

from fabricgen.diagnostics import Bag, register
from fabricgen.plan.model.fabric import FabricPlan

Globs = tuple[str, ...]
"""Globs of which a name has to match one; none at all match every name."""
WILDCARDS = frozenset("*?[")
_NEAR_MAX = 3
_KNOWN_MAX = 20_000
"""With more names than this, no close one is looked for."""


def is_chosen(name: str, globs: Globs) -> bool:
    """Return whether a name matches one of the globs, or there are none."""
    return not globs or any(fnmatchcase(name, glob) for glob in globs)


def find_unmatched(globs: Globs, names: Iterable[str]) -> list[str]:
    """Return the globs that match none of the names, in their order."""
    left = dict.fromkeys(globs)
    for name in names:
        for glob in [glob for glob in left if fnmatchcase(name, glob)]:
            del left[glob]
        if not left:
            break
    return list(left)


def name_close(glob: str, names: Iterable[str]) -> list[str]:
    """Return names that the glob was probably meant to match; the first and the last if none is close."""
    known = list(dict.fromkeys(names))
    near = get_close_matches(glob, known, n=_NEAR_MAX, cutoff=0.7) if len(known) <= _KNOWN_MAX else []
    return near or list(dict.fromkeys([*known[:1], *known[-1:]]))


NO_DEVICE = register(
    "FG-OUT-021",
    "An option chooses no device",
    why="The result would be empty or incomplete, and success reported.",
    fix="Use names, tiers and units of `fabricgen show INVENTORY devices`; * stands for any text.",
    source="docs/architecture.md, law 3: silence is a bug",
)
_RANGE = re.compile(r"(\d{1,6})-(\d{1,6})")


class Choice(NamedTuple):
    """Options that choose devices, which match one value of each that is given; units may be ranges such as ``2-4``."""

    devices: Globs = ()
    tiers: Globs = ()
    units: Globs = ()


class _Known(NamedTuple):
    """Names by which options select a device; ``unit`` is empty above the leafs."""

    name: str
    tier: str
    unit: str


def check_only(only: Globs, plan: FabricPlan, bag: Bag) -> bool:
    """Return whether every glob of ``--only`` matches a device; add a diagnostic for each that does not."""
    return not only or _check("--only", "device", only, [each.name for each in _list_known(plan)], bag)


def choose_devices(choice: Choice, plan: FabricPlan, bag: Bag) -> frozenset[str] | None:
    """Return the names of the devices that options choose; None if no option is given."""
    if choice == Choice():
        return None
    known = list(_list_known(plan))
    numbers = dict.fromkeys(each.unit for each in known if each.unit)
    units = _spell_ranges(choice.units, numbers)
    sound = [
        _check("--device", "device", choice.devices, [each.name for each in known], bag),
        _check("--tier", "tier", choice.tiers, dict.fromkeys(each.tier for each in known), bag),
        _check("--unit", plan.unit_name, units, numbers, bag),
    ]
    chosen = frozenset(
        each.name
        for each in known
        if is_chosen(each.name, choice.devices) and is_chosen(each.tier, choice.tiers) and is_chosen(each.unit, units)
    )
    if all(sound) and not chosen:
        bag.add(NO_DEVICE, "no device matches all of --device, --tier and --unit together")
    return chosen


def _list_known(plan: FabricPlan) -> Iterator[_Known]:
    for device in plan.switches():
        tier = plan.tiers[device.tier]
        unit = str(device.where.unit + 1) if tier.scope == "unit" else ""
        yield _Known(plan.device_name(device), tier.name, unit)
    for host in plan.all_hosts():
        yield _Known(plan.host_name(host), plan.hosts[host.group].name, str(host.where.unit + 1))


def _spell_ranges(units: Globs, numbers: Iterable[str]) -> Globs:
    """Return the values of ``--unit``, ranges as the numbers of units in them, without zeros in front."""
    spelled: list[str] = []
    for value in units:
        found = _RANGE.fullmatch(value)
        inside = [number for number in numbers if found and int(found[1]) <= int(number) <= int(found[2])]
        spelled += inside or [value.lstrip("0") or value]
    return tuple(spelled)


def _check(option: str, what: str, globs: Globs, names: Iterable[str], bag: Bag) -> bool:
    """Return whether every glob matches a name; add a diagnostic for each that does not."""
    known = list(names)
    unmatched = find_unmatched(globs, known)
    for glob in unmatched:
        near = ", ".join(name_close(glob, known))
        bag.add(NO_DEVICE, f"no {what} matches {option} {glob!r}; there are {len(known)}, for example {near}")
    return not unmatched
