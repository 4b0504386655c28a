"""Input of a bundle: the phases of a rollout, each with the patches of its devices and the waves they go in."""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.diff.patches import DevicePatch
from fabricgen.rollout.bundle import PlannedFile
from fabricgen.rollout.checks import Check
from fabricgen.rollout.expectation import DeviceExpectation
from fabricgen.rollout.model import ChangedDevice, WavePlan


class DeviceChange(NamedTuple):
    """A change of one device in one phase.

    Attributes:
        address: The management address that it has until the change, or a name that resolves.
        files: The files that they change, before and after.
        checks: What is read around the steps.
        judged: How a program judges those readings; None where none does.
        cuts: Names of the changes that cut its login.
        moves_to: The management address that it has afterwards; empty if it keeps the one it has.
        gains: Names of its ports and neighbors that carry nothing before the change.
    """

    name: str
    kind: str
    tier: str
    plane: int
    platform: str
    address: str
    patch: DevicePatch
    files: tuple[PlannedFile, ...]
    checks: tuple[Check, ...] = ()
    judged: DeviceExpectation | None = None
    cuts: tuple[str, ...] = ()
    moves_to: str = ""
    gains: frozenset[str] = frozenset()

    @property
    def change(self) -> ChangedDevice:
        """Return what the planner of waves has to know of it."""
        return ChangedDevice(self.name, self.patch.disruption, self.kind == "hosts")


class RolloutPhase(NamedTuple):
    """A part of a rollout that is complete before the next begins.

    Attributes:
        title: What it does, for people; empty if it is the only one.
        reason: Why it comes in this place, for people; empty where any other would do.
        leg: Number of the plan that they lead to, from 0.
    """

    title: str
    changes: dict[str, DeviceChange]
    waves: WavePlan
    reason: str = ""
    leg: int = 0
