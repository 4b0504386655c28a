"""Limits of a rollout as the plan has them: shares that may be out at once, and the bandwidth that stays."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

SCOPES = ("tier", "plane", "rail", "pod")
"""Sets of switches of which a share may be out at once."""
SCHEDULER_GROUPS = ("zone", "pod", "unit")
"""Extents of the groups of hosts that leave together; the place here is that of the last coordinate that counts."""
FLOOR = Fraction(3, 4)
"""The floor where the intent names none."""


class RolloutLimits(NamedTuple):
    """Limits that every wave keeps.

    Attributes:
        out_max: The largest share of every tier, plane, rail and pod that is out at once, by the word for it.
        floor: Part of its planned bandwidth that every pair of leafs in service keeps.
        scheduler_group: Extent of the groups of hosts that leave together, one of ``SCHEDULER_GROUPS``.
    """

    out_max: tuple[tuple[str, Fraction], ...] = ()
    floor: Fraction = FLOOR
    scheduler_group: str = "unit"

    @property
    def group_depth(self) -> int:
        """Return how many coordinates tell a scheduler group: zone, pod and unit, or fewer."""
        return SCHEDULER_GROUPS.index(self.scheduler_group) + 1

    def share(self, scope: str) -> Fraction | None:
        """Return the share of a scope, one of ``SCOPES``; None where the intent names none."""
        return dict(self.out_max).get(scope)
