"""Input of a bundle: the phases of a rollout, each with the patches of its devices and the waves they go in."""

from __future__ import annotations

from typing import NamedTuple

from fabricgen.diff.patches import DevicePatch
from fabricgen.rollout.bundle import PlannedCheck, PlannedFile
from fabricgen.rollout.model import Change, WavePlan


class DeviceChange(NamedTuple):
    """A change of one device in one phase.

    Attributes:
        kind: ``switches`` or ``hosts``.
        address: Its management address, or a name that resolves.
        patch: Its steps.
        files: The files that they change, before and after.
        checks: What is read around the steps.
        prepares: Steps of the wave that comes before the first drain, with their files; None if it has none.
    """

    name: str
    kind: str
    tier: str
    plane: int
    platform: str
    address: str
    patch: DevicePatch
    files: tuple[PlannedFile, ...]
    checks: tuple[PlannedCheck, ...] = ()
    prepares: DevicePatch | None = None
    prepared: tuple[PlannedFile, ...] = ()

    @property
    def change(self) -> Change:
        """Return what the planner of waves has to know of it."""
        return Change(self.name, self.patch.disruption, self.kind == "hosts", self.prepares is not None)


class Phase(NamedTuple):
    """A part of a rollout that is complete before the next begins.

    Attributes:
        title: What it does, for people; empty if it is the only one.
        reason: Why it comes in this place, for people; empty where any other would do.
        changes: Devices that it changes, by name.
        waves: The order in which they go.
    """

    title: str
    changes: dict[str, DeviceChange]
    waves: WavePlan
    reason: str = ""
