"""Destinations of lossless packets: one of each kind, and those of which an exception makes a kind of their own."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice, product
from typing import NamedTuple

from fabricgen.plan.model.cabling import host_links, links_of_host, rewired
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.plan.model.links import HostLink
from fabricgen.plan.model.numbering import Coordinates


class HostRail(NamedTuple):
    """A rail of a host.

    Attributes:
        host: The host.
        rail: The rail.
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
