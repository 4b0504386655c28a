"""Sets of switches of which a rollout may take a share out at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from fabricgen.analysis.symmetry import RAIL_GROUP, Symmetry
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.plan.model.identity import DeviceId
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
        self.caps = {group: Cap(size, self._most(group, size)) for group, size in sizes.items()}

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

    def _most(self, group: ScopeGroup, size: int) -> int:
        share = self.plan.rollout.share(group.scope) or Fraction(0)
        return int(share * size)
