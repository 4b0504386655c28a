"""Steps of devices sorted into the phases of a rollout."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from fabricgen.api.rollout_checks import Checks
from fabricgen.api.rollout_devices import DevicePlace
from fabricgen.api.rollout_legs import Leg
from fabricgen.diagnostics import Bag
from fabricgen.diff.device import DeviceDiff
from fabricgen.diff.patches import DevicePatch, plan_device, until_later
from fabricgen.platforms.patching.rollout import is_drained
from fabricgen.platforms.reading.semantics import DISRUPTIONS
from fabricgen.rollout.bundle import Digest
from fabricgen.rollout.checks import Check
from fabricgen.rollout.deployed import Deployed
from fabricgen.rollout.login import find_former, list_cuts
from fabricgen.rollout.phases import DeviceChange
from fabricgen.rollout.phasing.directions import changes_contract
from fabricgen.rollout.phasing.kinds import CONTRACT, RolloutStage
from fabricgen.rollout.phasing.refusals import Refusals
from fabricgen.rollout.phasing.split import DeviceStep, explain_phase, name_phase, split_device
from fabricgen.rollout.shutdown_policy import hides_shutdown, ignores_shutdown

_Key = tuple[RolloutStage, int]
_MOVES = frozenset(("address", "asn", "network", "list", "accept", "send", "community"))
"""Kinds of changes between which sessions and routes are neither the old nor the new ones."""


class PatchedStep(NamedTuple):
    """A step of a device with its patch."""

    step: DeviceStep
    patch: DevicePatch


class PhaseChanges(NamedTuple):
    """The changes of a phase.

    Attributes:
        title: What it does, for people; empty if it is the only one.
        reason: Why it comes in this place, for people.
        changes: By device.
        first: Names of devices that go out before all others.
    """

    title: str
    reason: str
    changes: dict[str, DeviceChange]
    first: set[str]


class _StagedChange(NamedTuple):
    """A change, and the kinds of changes that give it its stage."""

    change: DeviceChange
    kinds: frozenset[str]


class StepsByPhase:
    """Steps of devices, by phase.

    Attributes:
        refusals: Changes that cannot be split.
        silent: Names of devices that go out first of all and send no communities, by which neighbors know of it.
        late: By name, what the first step disturbs of devices that go on using a drained neighbour until it is done.
        first: Names of devices that go out before all others.
        contract: Names of devices whose change needs an order that only an intent in between gives.
    """

    def __init__(self, leg: Leg, checks: Checks, addresses: Mapping[str, str], refusals: Refusals) -> None:
        """Start without steps.

        Args:
            leg: The part of the rollout whose steps they are.
            checks: What is read around a step.
            addresses: Intended management addresses of devices by name.
            refusals: Takes changes that cannot be split.
        """
        self._leg = leg
        self._checks = checks
        self._addresses = addresses
        self.refusals = refusals
        self.contract: list[str] = []
        self.late: dict[str, str] = {}
        self.silent: list[str] = []
        self.first: set[str] = set()
        self._ranks = {tier.name: rank for rank, tier in enumerate(leg.plan.tiers)}
        self._changes: dict[_Key, dict[str, _StagedChange]] = {}
        self._anywhere: dict[str, _StagedChange] = {}

    def plan(self, device: DeviceDiff, bag: Bag) -> list[PatchedStep]:
        """Return the steps of a device with their patches.

        Args:
            device: Its difference.
            bag: Takes what cannot be patched.
        """
        steps = split_device(device, self.refusals, self._leg.stage_of(device.kind))
        if device.files and not self._leg.state.name and changes_contract(device):
            self.contract.append(device.name)
        patched = [(step, plan_device(step.device, bag)) for step in steps]
        return [
            PatchedStep(step, patch if step is steps[-1] and self._leg.is_last else until_later(patch))
            for step, patch in patched
            if patch is not None
        ]

    def add(
        self,
        device: DeviceDiff,
        steps: Sequence[PatchedStep],
        known: DevicePlace,
        deployed: Deployed,
        earlier: dict[str, Digest | None],
    ) -> None:
        """Add the steps of a device.

        Args:
            device: Its difference.
            steps: The steps.
            known: What the plan knows of it.
            deployed: Digests of its deployed files.
            earlier: Digests of the files that earlier steps leave, by path; takes those of these steps.
        """
        first = steps[0].patch.disruption if steps else DISRUPTIONS[0]
        # Where traffic stays it goes before the first drain; any other, or a later phase, is too late for neighbours.
        is_early = not is_drained(first) and bool(steps) and ignores_shutdown(steps[0].step.device)
        if ignores_shutdown(device) and not is_early:
            self.late[device.name] = first
        if is_drained(first) and hides_shutdown(device):
            self.silent.append(device.name)
        self._add_all(steps, known, deployed, earlier)

    @property
    def is_last(self) -> bool:
        """Return whether these steps lead to the intended side."""
        return self._leg.is_last

    def list_leaving(self) -> set[str]:
        """Return the devices that go out in the first phase."""
        _, placed = next(self._phases())
        return {name for name, each in placed.items() if is_drained(each.change.patch.disruption)}

    def _add_all(
        self,
        steps: Sequence[PatchedStep],
        known: DevicePlace,
        deployed: Deployed,
        earlier: dict[str, Digest | None],
    ) -> None:
        """Add steps in their order."""
        for step, patch in steps:
            files = deployed.plan_files(step.device, earlier)
            earlier |= {file.path: file.after for file in files}
            # Sessions and routes are those of the plan only once the last of them has moved.
            moves = step is not steps[-1].step and bool(step.kinds & _MOVES)
            checks = self._checks.moving(patch.device) if moves else self._all_checks(patch)
            judged = self._checks.judge(patch.device, moves=moves)
            change = DeviceChange(patch.device, step.device.kind, *known, patch, files, checks, judged)
            gains = frozenset(each.idle for _, each in step.device.changes if each.idle)
            change = change._replace(cuts=list_cuts(step.device), gains=gains if not moves else frozenset())
            intended = self._addresses.get(patch.device, "")
            former = find_former(step.device, intended) if change.cuts else ""
            self._add(step, known.tier, change._replace(address=former, moves_to=intended) if former else change)

    def _all_checks(self, patch: DevicePatch) -> tuple[Check, ...]:
        return self._checks.of(patch.device, patch.disruption, stays_drained=patch.stays_drained)

    def _add(self, step: DeviceStep, tier: str, change: DeviceChange) -> None:
        placed = _StagedChange(change, step.kinds)
        if step.is_free:
            self._anywhere[change.name] = placed
            return
        # Hashes change one tier after another, the top one first.
        key = (step.stage, -self._ranks.get(tier, -1) if step.stage is RolloutStage.rehash else 0)
        self._changes.setdefault(key, {})[change.name] = placed

    def _phases(self) -> Iterator[tuple[RolloutStage, dict[str, _StagedChange]]]:
        """Yield the stage of each phase with its changes, in their order; what needs no stage goes with the first."""
        keys = sorted(key for key, placed in self._changes.items() if placed) or [(RolloutStage.migrate, 0)]
        for key in keys:
            yield key[0], {**self._changes.get(key, {}), **(self._anywhere if key == keys[0] else {})}

    def expect(self, change: DeviceChange, pending: Collection[str]) -> DeviceChange:
        """Return a change that expects what both ends have: of what it gains, nothing that others add after it.

        Args:
            change: Of one device.
            pending: Names of devices whose own part of what they gain is not done before.
        """
        checks = self._checks.without(change.name, change.gains, pending)
        if checks is self._checks:
            return change
        found = checks.of(change.name, change.patch.disruption, stays_drained=change.patch.stays_drained)
        return change._replace(checks=found, judged=checks.judge(change.name))

    def list_kinds(self) -> frozenset[str]:
        """Return what changes at two ends."""
        return frozenset[str]().union(*(each.kinds for _, placed in self._phases() for each in placed.values()))

    def list_phases(self) -> Iterator[PhaseChanges]:
        """Yield the phases in their order."""
        phases = list(self._phases())
        for number, (stage, placed) in enumerate(phases):
            kinds = frozenset[str]().union(*(each.kinds for each in placed.values()))
            changes = {name: each.change for name, each in placed.items()}
            # Hashes change one tier after another.
            tiers = {each.change.tier for each in placed.values()} if stage is RolloutStage.rehash else ()
            ends = {each.change.kind for each in placed.values()}
            words = self._name(stage, kinds, tiers, ends) if len(phases) > 1 or self._leg.state.name else ("", "")
            yield PhaseChanges(*words, changes, set() if number else self.first)

    def _name(
        self, stage: RolloutStage, kinds: frozenset[str], tiers: Collection[str], ends: Collection[str]
    ) -> tuple[str, str]:
        """Return the name of a phase, and the reason for its place."""
        own, state = (name_phase(stage, kinds, tiers), explain_phase(kinds)), self._leg.state
        if kinds.isdisjoint(CONTRACT):
            return own if kinds or not state.name else (state.name, "")
        titles = [*state.kinds, *filter(None, [own[0].partition(": ")[2]])]
        at = f" ({', '.join(ends)})" if len(ends) == 1 else ""
        return f"{state.name}{at}: {', '.join(titles)}", "; ".join(filter(None, (state.reason, own[1])))
