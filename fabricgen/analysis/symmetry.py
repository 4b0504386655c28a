"""Symmetry of a plan: which positions are alike, so that one of them can stand for all.

Exchanging two equal pods, two members of a mesh, or two rails with their leafs changes nothing but names. What is
singled out (a failed switch, an exception, the destination of interest) stays where it is; everything else that can be
exchanged is alike. Where links are striped, the numbers of the stripes and of what they number go together.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId, FabricLinkId, HostId, LinkId
from fabricgen.plan.model.links import host_links_of_host, link_of
from fabricgen.plan.model.numbering import Coordinates

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
            self.places | other.places,
            self.values | other.values,
            self.hosts | other.hosts,
            self.rails | other.rails,
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
