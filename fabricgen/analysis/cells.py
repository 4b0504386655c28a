"""Cells: the switches and hosts of a plan that are alike, each with one that stands for all.

Exchanging two equal pods, two members of a mesh, or two rails with their leafs changes nothing but names. What is
singled out (a failed switch, an exception, the destination of interest) stays where it is; everything else that can be
exchanged is alike. Where links are striped, the numbers of the stripes and of what they number go together.

The cells are the orbits of what can be exchanged, so each member of a cell has the same number of links into any other
cell: whatever is computed for the one that stands for it holds for every member. With everything singled out each cell
has one member, and the fabric is the explicit one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import product
from typing import NamedTuple

from fabricgen.plan.model.cabling import host_links_of_host, link_of
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import Coordinates, DeviceId, FabricLinkId, HostId, LinkId

Element = DeviceId | HostId | LinkId
"""Something that can fail."""
PLANE, RAIL_GROUP, PAIR_MEMBER = "plane", "rail group", "pair member"


class SingledOut(NamedTuple):
    """Positions that are alike no other.

    Attributes:
        places: Zones, pods and units: (zone,), (zone, pod), (zone, pod, unit).
        values: Numbers along an axis, see ``Symmetry.axes``.
        hosts: Hosts that differ from the others of their unit.
        rails: Rails that differ from the others of their rail group.
    """

    places: frozenset[tuple[int, ...]] = frozenset()
    values: frozenset[tuple[str, int]] = frozenset()
    hosts: frozenset[HostId] = frozenset()
    rails: frozenset[int] = frozenset()

    def joined(self, other: SingledOut) -> SingledOut:
        """Return the positions of both."""
        return SingledOut(
            self.places | other.places, self.values | other.values, self.hosts | other.hosts, self.rails | other.rails
        )


class Symmetry:
    """The positions of a plan that can be exchanged before anything is singled out.

    Attributes:
        axes: For each tier the names of its group axis and its index axis; tiers that share a name are numbered
            together, and an empty name is an axis of one value.
        hosts_alike: All hosts attach alike, so rail groups can be exchanged, the rails inside one, and leafs of a pair.
        kinds: For each unit number, which host groups it has.
    """

    def __init__(self, plan: FabricPlan) -> None:
        """Read a plan."""
        self.plan = plan
        self.axes = tuple(_axes(plan))
        shapes = {(len(group.rails), group.rails_per_leaf, group.leafs_per_group) for group in plan.hosts}
        self.hosts_alike = len(shapes) == 1
        units = range(plan.tiers[0].counts.unit)
        self.kinds = [tuple(group.in_unit(unit) for group in plan.hosts) for unit in units]

    def irregular(self) -> SingledOut:
        """Positions of everything that exceptions take out of service or move."""
        known = self.plan.exceptions
        states = (known.switches, known.hosts)
        out: list[Element] = [each for part in states for each, found in part.items() if found.state]
        out += [each for each, found in known.links.items() if found.state or found.end is not None]
        return self.singled_out(out)

    def singled_out(self, elements: Iterable[Element]) -> SingledOut:
        """Positions of some elements, and of whatever exceptions make their links end at."""
        found = SingledOut()
        for element in elements:
            if isinstance(element, HostId):
                found = found.joined(self._of_host(element, (0,)))
            elif isinstance(element, DeviceId):
                found = found.joined(self._of_device(element))
            else:
                found = found.joined(self._of_link(element))
        return found

    def host_alone(self, host: HostId, rail: int) -> SingledOut:
        """Positions of a NIC: its host, its rail, and the leafs it meets."""
        links = host_links_of_host(self.plan, host)
        found = self._of_host(host, (rail,))._replace(hosts=frozenset([host]))
        for link in links:
            if link.rail == rail:
                found = found.joined(self._of_device(link.upper_end))
        return found

    def _of_link(self, identity: LinkId) -> SingledOut:
        """Both ends of a link, and where its cable really ends."""
        link = link_of(self.plan, identity)
        change = self.plan.exceptions.links.get(identity)
        ends = [link.upper_end]
        if change is not None and change.end is not None:
            ends.append(DeviceId(link.upper_end.tier, change.end))
        if isinstance(identity, FabricLinkId):
            ends.append(identity.lower)
            return self.singled_out(ends)
        return self.singled_out(ends).joined(self.host_alone(identity.host, identity.rail))

    def _of_host(self, host: HostId, rails: Iterable[int]) -> SingledOut:
        where = host.where
        return SingledOut(_places(where, 3), rails=frozenset(rails))

    def _of_device(self, device: DeviceId) -> SingledOut:
        """A switch: its scopes, its plane, and its numbers along the axes of its tier."""
        where, tier = device.where, self.plan.tiers[device.tier]
        depth = {"unit": 3, "pod": 2, "zone": 1}.get(tier.scope, 0)
        group, index = self.axes[device.tier]
        values = frozenset({(PLANE, where.plane), (group, where.group), (index, where.index)})
        return SingledOut(_places(where, depth), values)


def _places(where: Coordinates, depth: int) -> frozenset[tuple[int, ...]]:
    whole = (where.zone, where.pod, where.unit)
    return frozenset(whole[:length] for length in range(1, depth + 1))


def _axes(plan: FabricPlan) -> Iterator[tuple[str, str]]:
    """Yield the axes of each tier: what is striped takes its group number from the tier below."""
    below = (RAIL_GROUP, PAIR_MEMBER)
    yield below
    for tier in plan.tiers[1:]:
        pattern = plan.links[tier.number].pattern
        group = {"stripe_rail": below[0], "stripe_index": below[1]}.get(pattern, "")
        below = (group, f"member of {tier.name}")
        yield below


Key = tuple[int, ...]
"""Identity of a cell: a tier number and a number along each dimension, below 0 for all that are not singled out."""
REST = -1


class Cell(NamedTuple):
    """Switches that are alike: the one that stands for them, and how many they are."""

    key: Key
    device: DeviceId
    size: int


class HostCell(NamedTuple):
    """Hosts in service that are alike: the one that stands for them, and how many they are; spares are none."""

    key: Key
    host: HostId
    size: int


class RailCell(NamedTuple):
    """Rails of a host group that are alike; the first stands for them."""

    key: tuple[int, int]
    rails: tuple[int, ...]


class Block(NamedTuple):
    """Numbers along a dimension that are alike; the first stands for them."""

    key: int
    first: int
    size: int


class Partition:
    """The cells of a plan once some positions are singled out."""

    def __init__(self, symmetry: Symmetry, singled_out: SingledOut) -> None:
        """Prepare; nothing is listed yet."""
        self.plan, self.symmetry, self.singled_out = symmetry.plan, symmetry, singled_out
        self._kind_keys = {kind: REST - at for at, kind in enumerate(dict.fromkeys(symmetry.kinds))}
        self._values: dict[str, set[int]] = {}
        self._keys: dict[DeviceId, Key] = {}
        leafs = self.plan.tiers[0].counts
        if not symmetry.hosts_alike:
            self._values = {PAIR_MEMBER: set(range(leafs.index)), RAIL_GROUP: set(range(leafs.group))}
        for axis, value in singled_out.values:
            self._values.setdefault(axis, set()).add(value)

    def planes(self) -> list[Block]:
        """Return the planes that are alike."""
        return self._blocks(PLANE, self.plan.tiers[0].counts.plane)

    def plane_of(self, plane: int) -> Block:
        """Return the planes that are like one."""
        key = self._value_key(PLANE, plane)
        return next(block for block in self.planes() if block.key == key)

    def key(self, device: DeviceId) -> Key:
        """Return the cell of a switch, worked out once."""
        found = self._keys.get(device)
        if found is None:
            found = self._keys[device] = self._key(device)
        return found

    def _key(self, device: DeviceId) -> Key:
        where, tier = device.where, device.tier
        group, index = self.symmetry.axes[tier]
        return (
            tier,
            *self._place_key(where, is_leaf=not tier),
            self._value_key(PLANE, where.plane),
            self._value_key(group, where.group),
            self._value_key(index, where.index),
        )

    def cells(self, tier: int) -> Iterator[Cell]:
        """Yield the cells of a tier, absent switches apart."""
        counts = self.plan.tiers[tier].counts
        group, index = self.symmetry.axes[tier]
        groups, indices = self._blocks(group, counts.group), self._blocks(index, counts.index)
        planes = self._blocks(PLANE, counts.plane)
        for (place, places), *inner in product(self._places(counts), planes, groups, indices):
            plane, one, two = inner
            device = DeviceId(tier, place._replace(plane=plane.first, group=one.first, index=two.first))
            if not self.plan.exceptions.is_absent(device):
                yield Cell(self.key(device), device, places * plane.size * one.size * two.size)

    def host_cells(self) -> Iterator[HostCell]:
        """Yield the cells of hosts, those out of service and spares apart."""
        alone = sorted(filter(self.serves, self.singled_out.hosts))
        apart = {host for host, found in self.plan.exceptions.hosts.items() if found.state}.union(alone)
        for place, places in self._places(self.plan.tiers[0].counts):
            for number, group in enumerate(self.plan.hosts):
                hosts = (HostId(number, place, at) for at in range(group.per_unit if group.in_unit(place.unit) else 0))
                alike = [host for host in hosts if host not in apart]
                if alike:
                    yield HostCell(self.host_key(alike[0]), alike[0], len(alike) * places)
        yield from (HostCell(self.host_key(host), host, 1) for host in alone)

    def host_key(self, host: HostId) -> Key:
        """Return the cell of a host that is in service."""
        alone = host.host if host in self.singled_out.hosts else REST
        return host.group, *self._place_key(host.where, is_leaf=True), alone

    def rail_cells(self, group: int) -> Iterator[RailCell]:
        """Yield the cells of the rails of a host group."""
        found: dict[tuple[int, int], list[int]] = {}
        for rail in range(len(self.plan.hosts[group].rails)):
            found.setdefault(self.rail_key(group, rail), []).append(rail)
        return (RailCell(key, tuple(rails)) for key, rails in found.items())

    def rail_key(self, group: int, rail: int) -> tuple[int, int]:
        """Return the cell of a rail of a host group."""
        if not self.symmetry.hosts_alike:
            return rail, rail
        number = self._value_key(RAIL_GROUP, rail // self.plan.hosts[group].rails_per_leaf)
        return number, rail if rail in self.singled_out.rails else REST

    def serves(self, host: HostId) -> bool:
        """Return whether a host takes part in the traffic: it is in service, and no spare."""
        found = self.plan.exceptions.hosts.get(host)
        return host.host < self.plan.hosts[host.group].per_unit and not (found is not None and found.state)

    def _value_key(self, axis: str, value: int) -> int:
        return value if value in self._values.get(axis, ()) else REST

    def _place_key(self, where: Coordinates, *, is_leaf: bool) -> tuple[int, int, int]:
        """Numbers of zone, pod and unit; inside a scope that is not singled out nothing is."""
        zone, pod, unit = where.zone, where.pod, where.unit
        places = self.singled_out.places
        kind = self._kind_keys[self.symmetry.kinds[unit]] if is_leaf else REST
        if (zone,) not in places:
            return REST, REST, kind
        if (zone, pod) not in places:
            return zone, REST, kind
        return zone, pod, unit if (zone, pod, unit) in places else kind

    def _blocks(self, axis: str, count: int) -> list[Block]:
        """Numbers along an axis that are alike."""
        return _blocks(range(count), self._values.get(axis, ()))

    def _places(self, counts: Coordinates) -> Iterator[tuple[Coordinates, int]]:
        """Yield (zone, pod, unit) that stand for all of a tier's, and for how many each stands."""
        places = self.singled_out.places
        for zone in _blocks(range(counts.zone), [at for at in range(counts.zone) if (at,) in places]):
            alone = [at for at in range(counts.pod) if (zone.first, at) in places] if zone.key >= 0 else []
            for pod in _blocks(range(counts.pod), alone):
                single = zone.key >= 0 and pod.key >= 0
                for unit in self._units(counts.unit, (zone.first, pod.first) if single else None):
                    where = Coordinates(zone.first, pod.first, unit.first)
                    yield where, zone.size * pod.size * unit.size

    def _units(self, count: int, pod: tuple[int, int] | None) -> Iterator[Block]:
        """Yield the units of a pod that are alike: of those not singled out, each kind by itself."""
        if count == 1:
            yield Block(0, 0, 1)
            return
        places = self.singled_out.places
        alone = {unit for unit in range(count) if pod and (*pod, unit) in places}
        yield from (Block(unit, unit, 1) for unit in sorted(alone))
        kinds: dict[tuple[bool, ...], list[int]] = {}
        for unit, kind in enumerate(self.symmetry.kinds):
            if unit not in alone:
                kinds.setdefault(kind, []).append(unit)
        yield from (Block(self._kind_keys[kind], units[0], len(units)) for kind, units in kinds.items())


def _blocks(numbers: range, alone: Collection[int]) -> list[Block]:
    """Those that are alone, then one block of the others."""
    found = [Block(number, number, 1) for number in numbers if number in alone]
    if len(found) < len(numbers):
        first = next(number for number in numbers if number not in alone)
        found.append(Block(REST, first, len(numbers) - len(found)))
    return found
