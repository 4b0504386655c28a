"""Steps of devices sorted into the phases of a rollout."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fabricgen.api.rollout_checks import Checks
from fabricgen.api.rollout_devices import Device
from fabricgen.diagnostics import Bag
from fabricgen.diff.device import DeviceDiff
from fabricgen.diff.patches import DevicePatch, plan_device
from fabricgen.rollout.bundle import Digest
from fabricgen.rollout.deployed import Deployed
from fabricgen.rollout.phases import DeviceChange
from fabricgen.rollout.phasing.kinds import Stage
from fabricgen.rollout.phasing.refusals import Refusals
from fabricgen.rollout.phasing.split import DeviceStep, explain_phase, name_phase, split_device

_Key = tuple[Stage, int]
_MOVES = frozenset(("address", "asn", "network", "list", "accept", "send"))
"""Kinds of changes between which sessions and routes are neither the old nor the new ones."""


class PlannedStep(NamedTuple):
    """A step of a device with its patch."""

    step: DeviceStep
    patch: DevicePatch


class StepsByPhase:
    """Steps of devices, by phase.

    Attributes:
        refusals: Changes that cannot be split.
    """

    def __init__(self, ranks: Mapping[str, int], checks: Checks) -> None:
        """Start without steps.

        Args:
            ranks: Tiers by name, 0 next to the hosts.
            checks: What is read around a step.
        """
        self._checks = checks
        self.refusals = Refusals()
        self._ranks = ranks
        self._changes: dict[_Key, dict[str, DeviceChange]] = {}
        self._kinds: dict[_Key, set[str]] = {}
        self._anywhere: dict[str, DeviceChange] = {}

    def plan(self, device: DeviceDiff, bag: Bag) -> list[PlannedStep]:
        """Return the steps of a device with their patches.

        Args:
            device: Its difference.
            bag: Takes what cannot be patched.
        """
        steps = split_device(device, self.refusals)
        patched = [(step, plan_device(step.device, bag)) for step in steps]
        return [PlannedStep(step, patch) for step, patch in patched if patch is not None]

    def add(self, steps: Sequence[PlannedStep], known: Device, deployed: Deployed) -> None:
        """Add the steps of a device.

        Args:
            steps: The steps.
            known: What the plan knows of it.
            deployed: Digests of its deployed files.
        """
        earlier: dict[str, Digest | None] = {}
        for step, patch in steps:
            files = deployed.plan_files(step.device, earlier)
            earlier |= {file.path: file.after for file in files}
            # Sessions and routes are those of the plan only once the last of them has moved.
            moves = step is not steps[-1].step and step.kinds & _MOVES
            checks = () if moves else self._checks.of(patch.device, patch.disruption)
            self._add(step, known.tier, DeviceChange(patch.device, step.device.kind, *known, patch, files, checks))

    def _add(self, step: DeviceStep, tier: str, change: DeviceChange) -> None:
        if step.is_free:
            self._anywhere[change.name] = change
            return
        # Hashes change one tier after another, the top one first.
        key = (step.stage, -self._ranks.get(tier, -1) if step.stage is Stage.rehash else 0)
        self._changes.setdefault(key, {})[change.name] = change
        self._kinds.setdefault(key, set()).update(step.kinds)

    def list_phases(self) -> Iterator[tuple[str, str, dict[str, DeviceChange]]]:
        """Yield title, reason and changes of each phase, in their order; what needs none goes with the first."""
        keys = sorted(self._changes) or [(Stage.migrate, 0)]
        for key in keys:
            changes = {**self._changes.get(key, {}), **(self._anywhere if key == keys[0] else {})}
            kinds = self._kinds.get(key, set())
            is_only = len(keys) == 1
            yield "" if is_only else name_phase(key[0], kinds), "" if is_only else explain_phase(kinds), changes
