"""Hosts behind a leaf: those that have no other way while it is out, and the leafs that stand in for it."""

from __future__ import annotations

from collections.abc import Iterator

from fabricgen.plan.model.cabling import host_links, links_of_host
from fabricgen.plan.model.fabric import FabricPlan, group_hosts
from fabricgen.plan.model.identity import DeviceId, HostId
from fabricgen.plan.model.numbering import Coordinates


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
