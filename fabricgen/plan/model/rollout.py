"""Limits of a rollout as the plan has them: what may be out at once, what stays, and how fast waves grow."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from fabricgen.plan.model.identity import Coordinates

SCOPES = ("tier", "plane", "rail", "pod")
"""Sets of switches of which a share may be out at once."""
SCHEDULER_GROUPS = ("zone", "pod", "unit")
"""Extents of the groups of hosts that leave together; the place here is that of the last coordinate that counts."""
FLOOR = Fraction(3, 4)
"""The floor where the intent names none."""
Step = int | Fraction
"""Most devices of a wave: a count, or a share of those of its kind."""
STEPS: tuple[Step, ...] = (Fraction(1, 4), Fraction(1, 2))
"""The steps where the intent names none."""


class RolloutLimits(NamedTuple):
    """Limits that every wave keeps.

    Attributes:
        out_max: The largest share of every tier, plane, rail and pod that is out at once, by the word for it.
        floor: Part of its planned bandwidth that every pair of leafs in service keeps.
        scheduler_group: Extent of the groups of hosts that leave together, one of ``SCHEDULER_GROUPS``.
        group_units: How many units such a group has where its extent is the unit.
        canary: Devices of each tier or host group and disruption in the first wave of a kind.
        steps: Most devices of the waves after that; the last step repeats.
        soak_seconds: Time between a wave and the next one.
        gate: Command that has to succeed before the next wave; empty if there is none.
        max_failures: Devices of a wave that may fail before the next wave is stopped.
    """

    out_max: tuple[tuple[str, Fraction], ...] = ()
    floor: Fraction = FLOOR
    scheduler_group: str = "unit"
    group_units: int = 1
    canary: int = 1
    steps: tuple[Step, ...] = STEPS
    soak_seconds: int = 0
    gate: str = ""
    max_failures: int = 0

    def group_of(self, where: Coordinates) -> tuple[int, ...]:
        """Return the scheduler group of a place: zone, pod and number among the groups of a pod, or fewer."""
        whole = (where.zone, where.pod, where.unit // self.group_units)
        return whole[: SCHEDULER_GROUPS.index(self.scheduler_group) + 1]

    def share(self, scope: str) -> Fraction | None:
        """Return the share of a scope, one of ``SCOPES``; None where the intent names none."""
        return dict(self.out_max).get(scope)
