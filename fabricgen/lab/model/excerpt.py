"""A faithful part of a fabric: the rest is absent, and nothing of what stays is numbered anew."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from fabricgen.diagnostics import Bag
from fabricgen.lab.lab_codes import BAD_CUT, CUT_CHOSEN
from fabricgen.plan.model.cabling import with_absent
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates, DeviceId, HostId
from fabricgen.plan.model.topology import Tier

_ENTRY = re.compile(r"([a-z][a-z0-9_-]*)=([1-9][0-9]{0,8})")
_HOSTS = "hosts_per_unit"


class Dimension(NamedTuple):
    """Something a cut can leave fewer of: how many the fabric has, and what is not proven without the rest."""

    size: int
    unproven: str


@dataclass(frozen=True, slots=True)
class Cut:
    """Number of items kept of each dimension; a dimension that is not named stays whole."""

    keep: tuple[tuple[str, int], ...] = ()

    def of(self, name: str, count: int) -> int:
        """Return how many stay of a dimension that has so many."""
        return min(dict(self.keep).get(name, count), count)

    def __str__(self) -> str:
        """The cut as ``--cut`` takes it."""
        return ",".join(f"{name}={count}" for name, count in self.keep)


def list_dimensions(plan: FabricPlan) -> dict[str, Dimension]:
    """Return what can be cut of a fabric, outermost first."""
    counts = plan.tiers[0].counts
    found = {}
    for name, count in (("zones", counts.zone), ("pods", counts.pod), ("units", counts.unit)):
        if count > 1:
            found[name] = Dimension(count, "routing tables and prefix limits at full size")
    found[_HOSTS] = Dimension(
        max((group.per_unit + group.backup_per_unit for group in plan.hosts), default=1),
        "addresses, cables and leaf ports of the other hosts",
    )
    for tier in plan.tiers[1:]:
        found[f"{tier.name}s"] = Dimension(tier.counts.index, f"ECMP towards the {tier.name} at full width")
    return found


def parse_cut(text: str, plan: FabricPlan, bag: Bag) -> Cut:
    """Read a cut like ``units=2,hosts_per_unit=1,spines=4``; what is wrong with it is in the bag."""
    known = list_dimensions(plan)
    offered = ", ".join(f"{name} (1 to {dimension.size})" for name, dimension in known.items())
    keep: dict[str, int] = {}
    for entry in text.split(","):
        match = _ENTRY.fullmatch(entry.strip())
        if match is None or match[1] not in known or match[1] in keep:
            again = match is not None and match[1] in keep
            reason = "is given twice" if again else "is not NAME=NUMBER with a name of this fabric"
            bag.add(BAD_CUT, f"--cut: {entry.strip()!r} {reason}", hint=f"use {offered}")
            continue
        name, count = match[1], int(match[2])
        if count > known[name].size:
            bag.add(BAD_CUT, f"--cut: {name}={count}, but there are {known[name].size}", hint=f"use {offered}")
            continue
        keep[name] = count
    return Cut(tuple(keep.items()))


def choose_cut(plan: FabricPlan, bag: Bag, fits: Callable[[int, int], bool]) -> Cut:
    """The largest part that fits this machine: fewer hosts first, then units, then upper switches."""
    dimensions = list_dimensions(plan)
    keep: dict[str, int] = {}
    steps = [(_HOSTS, 1), *((name, 2) for name in dimensions if name != _HOSTS)]
    for name, least in steps:
        while not fits(*measure(plan, Cut(tuple(keep.items())))):
            now = keep.get(name, dimensions[name].size)
            if now <= least:
                break
            keep[name] = least if name == _HOSTS else max(least, (now + 1) // 2)
    cut = Cut(tuple(keep.items()))
    if keep:
        nodes, links = measure(plan, cut)
        whole_nodes, whole_links = measure(plan, Cut())
        bag.add(
            CUT_CHOSEN,
            f"{whole_nodes} devices with {whole_links} links are too many for this machine; chosen is --cut {cut}: "
            f"{nodes} devices, {links} links",
        )
    return cut


def apply_cut(plan: FabricPlan, cut: Cut) -> FabricPlan:
    """The plan with everything absent that the cut leaves out."""
    if not cut.keep:
        return plan
    if plan.transition is not None:
        plan = plan._replace(transition=plan.transition._replace(former=apply_cut(plan.transition.former, cut)))
    return with_absent(plan, _cut_off(plan, cut), "cut")


def describe_cut(plan: FabricPlan, cut: Cut) -> tuple[str, ...]:
    """Return what a cut no longer proves, one sentence each."""
    dimensions = list_dimensions(plan)
    return tuple(
        f"{name.replace('_', ' ')}: {count} of {dimensions[name].size}; not proven: {dimensions[name].unproven}"
        for name, count in cut.keep
        if count < dimensions[name].size
    )


def measure(plan: FabricPlan, cut: Cut) -> tuple[int, int]:
    """Return how many devices and links a cut leaves, exceptions aside."""
    nodes = links = 0
    for tier in plan.tiers:
        kept = sum(1 for where in tier.coordinates() if _stays(tier, where, cut))
        nodes += kept
        if tier.number + 1 < len(plan.tiers):
            up, upper = plan.links[tier.number + 1], plan.tiers[tier.number + 1]
            links += kept * up.per_pair * min(up.width, cut.of(f"{upper.name}s", upper.counts.index))
    for host, stays in _list_hosts(plan, cut):
        nodes += stays
        links += stays and len(plan.hosts[host.group].rails) * plan.hosts[host.group].nic_ports
    return nodes, links


def _list_hosts(plan: FabricPlan, cut: Cut) -> Iterator[tuple[HostId, bool]]:
    """Yield every host of a fabric, and whether it stays."""
    for unit in plan.units():
        stays = _stays(plan.tiers[0], unit, cut)
        for number, group in enumerate(plan.hosts):
            backups = range(group.per_unit_reserved, group.per_unit_reserved + group.backup_per_unit)
            for host in (*range(group.per_unit), *backups) if group.in_unit(unit.unit) else ():
                yield HostId(number, unit, host), stays and host < cut.of(_HOSTS, host + 1)


def _cut_off(plan: FabricPlan, cut: Cut) -> Iterator[DeviceId | HostId]:
    for tier in plan.tiers:
        for where in tier.coordinates():
            if not _stays(tier, where, cut):
                yield DeviceId(tier.number, where)
    yield from (host for host, stays in _list_hosts(plan, cut) if not stays)


def _stays(tier: Tier, where: Coordinates, cut: Cut) -> bool:
    counts = tier.counts
    if where.zone >= cut.of("zones", counts.zone) or where.pod >= cut.of("pods", counts.pod):
        return False
    if tier.number == 0:
        return where.unit < cut.of("units", counts.unit)
    return where.index < cut.of(f"{tier.name}s", counts.index)
