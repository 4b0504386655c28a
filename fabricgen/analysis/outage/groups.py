"""Sets of switches of which a rollout may take a share out at once, and the hosts that have no other way then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.cells import RAIL_GROUP, Symmetry
from fabricgen.plan.model.cabling import host_links, links_of_host
from fabricgen.plan.model.fabric import FabricPlan, group_hosts
from fabricgen.plan.model.identity import Coordinates, DeviceId, HostId
from fabricgen.plan.model.rollout import SCOPES


class ScopeGroup(NamedTuple):
    """A tier, plane, rail or pod: the word of its scope, and its number or numbers."""

    scope: str
    numbers: tuple[int, ...]


class Cap(NamedTuple):
    """The size of a group, and the most of it that may be out at once."""

    size: int
    most: int


class Grouping:
    """The groups of a plan that its limits name."""

    def __init__(self, plan: FabricPlan) -> None:
        """Count the switches of each group."""
        self.plan = plan
        self._scopes = [scope for scope in SCOPES if plan.rollout.share(scope) is not None]
        self._striped = [group == RAIL_GROUP for group, _ in Symmetry(plan).axes]
        sizes = Counter(group for device in plan.switches() for group in self.of(device)) if self._scopes else Counter()
        shares = {scope: plan.rollout.share(scope) or Fraction(0) for scope in self._scopes}
        self.caps = {group: Cap(size, int(shares[group.scope] * size)) for group, size in sizes.items()}

    def of(self, device: DeviceId) -> Iterator[ScopeGroup]:
        """Yield the groups that a switch is in."""
        where = device.where
        for scope in self._scopes:
            if scope == "tier":
                yield ScopeGroup(scope, (device.tier,))
            elif scope == "plane":
                yield ScopeGroup(scope, (where.plane,))
            elif scope == "rail" and self._striped[device.tier]:
                yield ScopeGroup(scope, (where.group,))
            elif scope == "pod" and self.plan.tiers[device.tier].scope in ("unit", "pod"):
                yield ScopeGroup(scope, (where.zone, where.pod))

    def size(self, group: ScopeGroup) -> int:
        """Return how many switches a group has."""
        return self.caps[group].size

    def amount(self, group: ScopeGroup) -> str:
        """Return how many switches a group has, with its name."""
        return f"the {self.size(group)} switches of {self.name(group)}"

    def name(self, group: ScopeGroup) -> str:
        """Return the name of a group for people."""
        number = group.numbers[-1]
        if group.scope == "tier":
            return f"tier {self.plan.tiers[number].name!r}"
        if group.scope == "plane":
            return f"plane {chr(97 + number)}"
        if group.scope == "rail":
            return f"rail {number * self.plan.tiers[0].rails_per_group}"
        zones = self.plan.tiers[0].counts.zone > 1
        return f"pod {number + 1}" + (f" of zone {group.numbers[0] + 1}" if zones else "")


class LeafHosts:
    """Answers for one leaf at a time."""

    def __init__(self, plan: FabricPlan) -> None:
        """Note which leafs serve."""
        self.plan = plan
        self._units: dict[tuple[int, Coordinates], tuple[HostId, ...]] = {}
        self._irregular = {host.where[:3] for host in plan.exceptions.touched_hosts}

    def alone(self, leaf: DeviceId) -> Iterator[HostId]:
        """Yield the hosts of which a NIC is reached over a leaf only, some of them more than once."""
        if self._is_irregular(leaf):
            yield from (host for host, others in self._cabled(leaf) if not others)
            return
        unit = Coordinates(leaf.where.zone, leaf.where.pod, leaf.where.unit)
        for number, others in self._groups(leaf):
            if not others:
                yield from self._hosts(number, unit)

    def sharing(self, leaf: DeviceId) -> set[frozenset[DeviceId]]:
        """Return the sets of leafs over which a NIC is reached that a leaf is in, those of several leafs."""
        found = self._cabled(leaf) if self._is_irregular(leaf) else self._groups(leaf)
        return {frozenset({leaf, *others}) for _, others in found if others}

    def _is_irregular(self, leaf: DeviceId) -> bool:
        """Return whether cables of a leaf, or of hosts in its unit, are other than planned."""
        return leaf in self.plan.exceptions.touched or leaf.where[:3] in self._irregular

    def _groups(self, leaf: DeviceId) -> Iterator[tuple[int, set[DeviceId]]]:
        """Yield the host groups that a regular leaf meets, and the leafs that stand in for it."""
        planes, where = range(self.plan.tiers[0].counts.plane), leaf.where
        for number, group in enumerate(self.plan.hosts):
            if not group.meets(where):
                continue
            members = (
                DeviceId(0, where._replace(plane=plane, index=index))
                for plane in (planes if group.bond or group.spread else ())
                for index in range(group.leafs_per_group)
            )
            yield number, {other for other in members if other != leaf and self._serves(other)}

    def _cabled(self, leaf: DeviceId) -> Iterator[tuple[HostId, set[DeviceId]]]:
        """Yield the host of each cable of a leaf, and the leafs that stand in for it."""
        for link in host_links(self.plan, leaf):
            group = self.plan.hosts[link.host.group]
            same_nic = (other for other in links_of_host(self.plan, link.host) if other.rail == link.rail)
            others = {other.upper_end for other in same_nic if group.bond or group.spread} - {leaf}
            if self._serves(link.host):
                yield link.host, {other for other in others if self._serves(other)}

    def _hosts(self, group: int, unit: Coordinates) -> tuple[HostId, ...]:
        found = self._units.get((group, unit))
        if found is None:
            hosts = (HostId(group, unit, host) for host in group_hosts(self.plan.hosts[group]))
            found = self._units[group, unit] = tuple(host for host in hosts if self._serves(host))
        return found

    def _serves(self, device: DeviceId | HostId) -> bool:
        found = self.plan.exceptions.of(device)
        return found is None or not found.state
