"""Switches that go out in a rollout, each with the limits that it counts for."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import NamedTuple

from fabricgen.analysis.outage.groups import Grouping, LeafHosts, ScopeGroup
from fabricgen.analysis.outage.leaf_pairs import LeafPairs
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId

Unit = tuple[int, ...]
"""Zone, pod and unit, or fewer of them: a scheduler group."""


class Member(NamedTuple):
    """A switch that goes out.

    Attributes:
        node: Its node among those above the leafs; None of a leaf, and of what no leaf in service is below.
        groups: Groups that it counts for, and sets of leafs over which the same NICs are reached.
        unit: The scheduler group that leaves with it; None if every host has another way.
    """

    device: DeviceId
    node: int | None
    groups: tuple[Hashable, ...]
    unit: Unit | None


class WaveLimits:
    """The limits of a rollout in one place.

    Every pair of leafs keeps ``floor``, a part of its planned bandwidth. With ``planes_apart`` planes go one after
    another, with ``units_apart`` scheduler groups.
    """

    def __init__(self, plan: FabricPlan) -> None:
        """Read the limits of a plan; what it does not limit has the cautious default."""
        self.plan, self.model = plan, LeafPairs(plan)
        self.grouping, self.hosts = Grouping(plan), LeafHosts(plan)
        self.floor = plan.rollout.floor
        self.planes_apart = plan.rollout.share("plane") is None and plan.tiers[0].counts.plane > 1
        self.units_apart = not plan.rollout.out_max

    def most(self, group: Hashable) -> int:
        """Return how many of a group may be out at once, of leafs that share NICs one."""
        return self.grouping.caps[group].most if isinstance(group, ScopeGroup) else 1

    def members(self, devices: Iterable[DeviceId]) -> Iterator[Member]:
        """Yield switches that go out, with the limits that each counts for."""
        devices = list(devices)
        pairs: dict[DeviceId, list[frozenset[DeviceId]]] = {}
        for shared in sorted(
            {each for leaf in devices if not leaf.tier for each in self.hosts.sharing(leaf)}, key=sorted
        ):
            for leaf in shared:
                pairs.setdefault(leaf, []).append(shared)
        for device in devices:
            groups, where = tuple(self.grouping.of(device)), device.where
            if device.tier:
                yield Member(device, self.model.graph.node(device), groups, None)
                continue
            alone = next(self.hosts.alone(device), None)
            unit = self.plan.rollout.group_of(where) if alone is not None else None
            yield Member(device, None, (*groups, *pairs.get(device, ())), unit)
