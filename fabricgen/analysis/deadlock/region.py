"""Destinations of lossless packets, one of each kind, and the part of a fabric that decides the ways to one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby, islice, product
from operator import attrgetter
from typing import NamedTuple

from fabricgen.plan.model.cabling import FabricLink, HostLink, host_links, links_of_host, rewired, up_links
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates, DeviceId, HostId

Pair = tuple[DeviceId, DeviceId]
"""Two switches with links between them, the lower first."""


@dataclass(slots=True)
class Region:
    """Switches with the links between them.

    ``above`` has the switches above each, in the order of its uplinks. A pair is ``drained`` if every link of it is, or
    one of its switches.
    """

    above: dict[DeviceId, list[DeviceId]] = field(default_factory=dict)
    below: dict[DeviceId, list[DeviceId]] = field(default_factory=dict)
    links: dict[Pair, list[FabricLink]] = field(default_factory=dict)
    asns: dict[DeviceId, int] = field(default_factory=dict)
    drained: set[Pair] = field(default_factory=set)

    def neighbours(self, device: DeviceId) -> list[DeviceId]:
        """Return the switches next to one."""
        return [*self.above[device], *self.below[device]]


def build_region(plan: FabricPlan, leafs: Iterable[DeviceId]) -> Region:
    """Return some leafs with every switch above them; all leafs give the whole fabric."""
    region = Region()
    level = list(dict.fromkeys(leafs))
    for device in level:
        _enter(plan, region, device)
    while level:
        found: dict[DeviceId, None] = {}
        for device in level:
            for upper, parallel in groupby(up_links(plan, device), key=attrgetter("upper_end")):
                found[upper] = None
                if upper not in region.asns:
                    _enter(plan, region, upper)
                links = region.links.setdefault((device, upper), [])
                if not links:
                    region.above[device].append(upper)
                    region.below[upper].append(device)
                links += parallel
        level = list(found)
    if plan.exceptions.switches or plan.exceptions.links:
        region.drained = {pair for pair, links in region.links.items() if _is_drained(plan, pair, links)}
    return region


def split(region: Region) -> list[frozenset[DeviceId]]:
    """Return the parts of a region between which there is no way."""
    found: list[frozenset[DeviceId]] = []
    known: set[DeviceId] = set()
    for first in region.asns:
        if first not in known:
            part, waiting = {first}, [first]
            while waiting:
                others = [each for each in region.neighbours(waiting.pop()) if each not in part]
                part.update(others)
                waiting += others
            known |= part
            found.append(frozenset(part))
    return found


def upper_switches(plan: FabricPlan, devices: set[DeviceId]) -> set[DeviceId]:
    """Return the switches of the tier above that some switches have links to."""
    return {link.upper_end for device in devices for link in up_links(plan, device)}


def _enter(plan: FabricPlan, region: Region, device: DeviceId) -> None:
    region.above.setdefault(device, [])
    region.below.setdefault(device, [])
    region.asns[device] = plan.asn_of(device)


def _is_drained(plan: FabricPlan, pair: Pair, links: Iterable[FabricLink]) -> bool:
    known = plan.exceptions
    ends = (known.of(device) for device in pair)
    found = (known.links.get(link.id) for link in links)
    return any(end is not None and end.state == "drained" for end in ends) or all(
        change is not None and change.state == "drained" for change in found
    )


class HostRail(NamedTuple):
    """A rail of a host.

    Attributes:
        access: Its links by leaf.
        twins: Leafs that announce the block of its address: those of its links, and others of the same block.
        has_route: Leafs announce the host itself too, as long as their link to it works.
    """

    host: HostId
    rail: int
    access: dict[DeviceId, tuple[HostLink, ...]]
    twins: tuple[DeviceId, ...]
    has_route: bool

    def text(self, plan: FabricPlan) -> str:
        """Return its name."""
        return f"{plan.host_name(self.host)} rail {self.rail}"

    def within(self, part: frozenset[DeviceId]) -> HostRail:
        """Return the same with the leafs of a part of the fabric only."""
        access = {leaf: links for leaf, links in self.access.items() if leaf in part}
        return self._replace(access=access, twins=tuple(leaf for leaf in self.twins if leaf in part))


def list_destinations(plan: FabricPlan) -> Iterator[HostRail]:
    """Yield a destination of every kind.

    Two are alike if they are of one host group and rail group, and no exception has moved or taken away a cable of
    theirs, of their leafs, or of a switch of their pod.
    """
    seen: set[tuple[object, ...]] = set()
    changed = rewired(plan)
    busy = {(device.where.zone, device.where.pod) for device in changed if device.tier}
    for leafs in _rail_groups(plan, changed, busy):
        where = leafs[0].where
        place = (where.zone, where.pod) if (where.zone, where.pod) in busy else ()
        own = tuple(leaf for leaf in leafs if leaf in changed)
        groups = tuple(number for number, group in enumerate(plan.hosts) if group.meets(where))
        key = (where.group, place, groups)
        if own or key not in seen:
            seen.add(() if own else key)
            yield from _of_group(plan, leafs, irregular=bool(own))


def _rail_groups(
    plan: FabricPlan, changed: Collection[DeviceId], busy: Collection[tuple[int, int]]
) -> Iterator[tuple[DeviceId, ...]]:
    """Yield the leafs of each rail group, in all planes, those that are not there left out, in units of every kind.

    Units are alike if none of their leafs is an exception, their pods are alike, and the same host groups are in them.
    """
    counts, seen = plan.tiers[0].counts, set[tuple[object, ...]]()
    irregular = {device.where[:3] for device in (*changed, *plan.exceptions.switches) if not device.tier}
    for zone, pod, number in product(range(counts.zone), range(counts.pod), range(counts.unit)):
        kind = (
            (zone, pod) if (zone, pod) in busy else (),
            *(position for position, group in enumerate(plan.hosts) if group.in_unit(number)),
        )
        if (zone, pod, number) not in irregular:
            if kind in seen:
                continue
            seen.add(kind)
        for group in range(counts.group):
            members = product(range(counts.plane), range(counts.index))
            places = (Coordinates(zone, pod, number, plane, group, index) for plane, index in members)
            leafs = tuple(leaf for at in places if not plan.exceptions.is_absent(leaf := DeviceId(0, at)))
            if leafs:
                yield leafs


def _of_group(plan: FabricPlan, leafs: tuple[DeviceId, ...], *, irregular: bool) -> Iterator[HostRail]:
    """Yield the destinations below some leafs: the first of each host group, or all where exceptions are about.

    Without routes to single hosts those of a leaf are alike in any case.
    """
    known: set[object] = set()
    single = bool(plan.addressing.host_len)
    for leaf in leafs:
        below = host_links(plan, leaf)
        for link in below if single else islice(below, 1):
            kind: object = leaf
            if single:
                kind = (link.host, link.rail) if irregular else (link.host.group, len(_access(plan, link)))
            if kind not in known:
                known.add(kind)
                yield _destination(plan, link, leafs)


def _access(plan: FabricPlan, link: HostLink) -> dict[DeviceId, tuple[HostLink, ...]]:
    """Return the links of the same rail by leaf."""
    found: dict[DeviceId, tuple[HostLink, ...]] = {}
    for each in links_of_host(plan, link.host):
        if each.rail == link.rail and not plan.exceptions.is_absent(each.upper_end):
            found[each.upper_end] = (*found.get(each.upper_end, ()), each)
    return found


def _destination(plan: FabricPlan, link: HostLink, leafs: tuple[DeviceId, ...]) -> HostRail:
    block, single = plan.tiers[0].layout.host_block, bool(plan.addressing.host_len)
    access: dict[DeviceId, tuple[HostLink, ...]] = {link.upper_end: (link,)}
    if single:
        access = _access(plan, link)
    number = block.at(link.upper) if block else 0
    twins = (leaf for leaf in leafs if block and block.at(leaf.where) == number)
    return HostRail(link.host, link.rail, access, tuple(dict.fromkeys([*access, *twins])), single)
