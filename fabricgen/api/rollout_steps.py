"""Changes of devices sorted into the phases of a leg of a rollout."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from fabricgen.api.rollout_checks import Checks
from fabricgen.api.rollout_devices import DevicePlace
from fabricgen.api.rollout_legs import Leg
from fabricgen.diagnostics import Bag
from fabricgen.diff.device import DeviceDiff
from fabricgen.diff.patches import DevicePatch, plan_device, until_later
from fabricgen.platforms.patching.rollout import is_drained
from fabricgen.platforms.patching.steps import StepPhase
from fabricgen.rollout.bundle import Digest
from fabricgen.rollout.checks import Check
from fabricgen.rollout.deployed import Deployed
from fabricgen.rollout.login import find_former, list_cuts
from fabricgen.rollout.phases import DeviceChange
from fabricgen.rollout.shutdown_policy import hides_shutdown, ignores_shutdown
from fabricgen.rollout.two_ends import changes_contract, changes_hash, changes_sessions

_HASH = "all flows of a switch move at once, so it is drained, one tier after another"
_SESSIONS = re.compile(r"\b(?:bgp|bfd)\b")
"""Commands that show sessions."""
_Key = tuple[bool, int, int]
"""A hash changes, the place among the kinds of devices, and the place among the tiers."""


class PhaseChanges(NamedTuple):
    """The changes of a phase, its title, empty if it is the only one, and the reason why it comes in this place."""

    title: str
    reason: str
    changes: dict[str, DeviceChange]
    first: set[str]


class LegChanges:
    """Changes of devices in one leg.

    Attributes:
        silent: Names of devices that go out and send no communities, by which neighbors know of it.
        late: By name, what the change disturbs of devices that go on using a drained neighbor until it is done.
        first: Names of devices that go out before all others.
        contract: Names of devices of which what both ends of a link agree on changes without an order.
        sessions: Names of devices of which what both ends of a session agree on changes without an order.
    """

    def __init__(self, leg: Leg, checks: Checks, former: Checks, addresses: Mapping[str, str]) -> None:
        """Start without changes; ``former`` checks are those by the plan that the leg starts from."""
        self.leg = leg
        self._checks, self._former = checks, former
        self._addresses = addresses
        self.contract: list[str] = []
        self.sessions: list[str] = []
        self.late: dict[str, str] = {}
        self.silent: list[str] = []
        self.first: set[str] = set()
        self._of_contract: set[str] = set()
        self._ranks = {tier.name: rank for rank, tier in enumerate(leg.plan.tiers)}
        self._phases: dict[_Key, dict[str, DeviceChange]] = {}

    def plan(self, device: DeviceDiff, bag: Bag) -> DevicePatch | None:
        """Return the patch of a device; None if it has none."""
        if device.files and self.leg.step is None:
            if changes_contract(device):
                self._of_contract.add(device.name)
                self.contract += [] if self.leg.kinds else [device.name]
            self.sessions += [device.name] if changes_sessions(device) else []
        patch = plan_device(device, bag)
        if patch is None or self.leg.is_last:
            return patch
        return until_later(_without_sessions(patch) if self._waits else patch)

    @property
    def _waits(self) -> bool:
        """Return whether the sessions of what changes are down until its neighbors have changed."""
        return self.leg.step is not None and self.leg.step.part == "change"

    def add(
        self,
        device: DeviceDiff,
        patch: DevicePatch,
        known: DevicePlace,
        deployed: Deployed,
        earlier: dict[str, Digest | None],
    ) -> None:
        """Add the change of a device; ``earlier`` has the digests that earlier legs leave, by path, and takes these."""
        drains = is_drained(patch.disruption)
        if drains and ignores_shutdown(device):
            self.late[device.name] = patch.disruption
        if drains and hides_shutdown(device):
            self.silent.append(device.name)
        files = deployed.plan_files(device, earlier)
        earlier |= {file.path: file.after for file in files}
        moves = self._waits
        seen = self._checks.judge(device.name, moves=moves)
        change = DeviceChange(device.name, device.kind, *known, patch, files, self._checks_of(patch, moves=moves), seen)
        gains = frozenset(each.idle for _, each in device.changes if each.idle)
        change = change._replace(cuts=list_cuts(device), gains=gains if self.leg.step is None else frozenset())
        intended = self._addresses.get(device.name, "")
        moved = find_former(device, intended) if change.cuts else ""
        change = change._replace(address=moved, moves_to=intended) if moved else change
        self._phases.setdefault(self._key(device, known.tier), {})[device.name] = change

    def _checks_of(self, patch: DevicePatch, *, moves: bool) -> tuple[Check, ...]:
        """Return the checks around a change; sessions of a switch that waits for its neighbors are not among them."""
        if moves:
            return (*self._checks.moving(patch.device), *self._former.prove(patch.device))
        found = self._checks.of(patch.device, patch.disruption, stays_drained=patch.stays_drained)
        returns = self.leg.step is not None and self.leg.step.part == "return" and not is_drained(patch.disruption)
        return (*found, *self._checks.prove(patch.device, ended=True)) if returns else found

    def _key(self, device: DeviceDiff, tier: str) -> _Key:
        """Return the place of a change: in the order of the leg, hashes at the end and the top tier first."""
        if device.kind == "switches" and self.leg.step is None and changes_hash(device):
            return True, 0, -self._ranks.get(tier, -1)
        return False, (self.leg.order.index(device.kind) if self.leg.order else 0), 0

    def list_leaving(self) -> set[str]:
        """Return the devices that go out in the first phase."""
        first = min(self._phases, default=None)
        changes = self._phases[first].values() if first is not None else ()
        return {change.name for change in changes if is_drained(change.patch.disruption)}

    def expect(self, change: DeviceChange, pending: Collection[str]) -> DeviceChange:
        """Return a change that expects what both ends have: of what it gains, nothing that others add after it."""
        checks = self._checks.without(change.name, change.gains, pending)
        if checks is self._checks:
            return change
        found = checks.of(change.name, change.patch.disruption, stays_drained=change.patch.stays_drained)
        return change._replace(checks=found, judged=checks.judge(change.name))

    def list_phases(self) -> Iterator[PhaseChanges]:
        """Yield the phases in their order."""
        for number, key in enumerate(sorted(self._phases)):
            changes = self._phases[key]
            words = self._name(key, changes) if len(self._phases) > 1 or self.leg.title else ("", "")
            yield PhaseChanges(*words, changes, set() if number else self.first)

    def _name(self, key: _Key, changes: Mapping[str, DeviceChange]) -> tuple[str, str]:
        """Return the name of a phase, and the reason for its place."""
        if key[0]:
            return f"ECMP hash: tier {next(iter(changes.values())).tier}", _HASH
        if not self.leg.kinds or self._of_contract.isdisjoint(changes):
            return self.leg.title or "all else", self.leg.reason if not self.leg.kinds else ""
        kinds = {change.kind for change in changes.values()}
        at = f" ({', '.join(kinds)})" if len(kinds) == 1 else ""
        return f"{self.leg.title}{at}: {', '.join(self.leg.kinds)}", self.leg.reason


def _without_sessions(patch: DevicePatch) -> DevicePatch:
    """Return a patch without the looks at sessions behind its steps."""
    kept = (step for step in patch.apply if step.phase is not StepPhase.verify or not _SESSIONS.search(step.command))
    return patch._replace(apply=tuple(kept))
