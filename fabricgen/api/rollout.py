"""A rollout from two sides: the differences, the patches, the waves, and the bundle that carries them out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from fabricgen.api.diff import DiffOptions, find_compiled
from fabricgen.api.diff_plans import describe_change
from fabricgen.api.render import digest_intent
from fabricgen.api.rollout_automation import list_platforms, read_tasks
from fabricgen.api.rollout_checks import Checks
from fabricgen.api.rollout_devices import DevicePlace, find_deployed, list_addresses
from fabricgen.api.rollout_policies import order_late
from fabricgen.api.rollout_steps import StepsByPhase
from fabricgen.api.sides import Opened, Where, open_side
from fabricgen.compiler.compile import Compiled
from fabricgen.device.globs import Choice, choose_devices
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.visible import show_line
from fabricgen.diagnostics.words import counted
from fabricgen.diff.device import DeviceComparer, DeviceDiff
from fabricgen.diff.kinds import FileKinds, load_kinds
from fabricgen.diff.report import name_devices
from fabricgen.diff.run import diff_sides
from fabricgen.diff.sides import Side
from fabricgen.diff.sides import SideDevice as SideDevice
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.patching.rollout import is_drained
from fabricgen.render.tree.new_folder import is_free, write_new_folder
from fabricgen.rollout.assemble import Subject, assemble
from fabricgen.rollout.bundle import PlannedSide, RolloutPlan
from fabricgen.rollout.bundle_files import lay_out
from fabricgen.rollout.deployed import Deployed
from fabricgen.rollout.one_more_failure import warn_of_failures
from fabricgen.rollout.phases import RolloutPhase
from fabricgen.rollout.phasing.split import explain_phase
from fabricgen.rollout.replaced import is_replaced
from fabricgen.rollout.rollout_codes import (
    EXCHANGED,
    INCOMPLETE,
    NO_BUNDLE_FOLDER,
    NO_ROLLOUT_PLAN,
    NOT_PLANNED,
    PARTIAL,
    REPLACED,
    UNSEEN,
)
from fabricgen.rollout.waves import plan_waves

_RENDER = "render again if the inventory has changed since, or name the inventory in place of the tree"


class PlannedRollout(NamedTuple):
    """A rollout with its bundle.

    Attributes:
        files: Files of the bundle, by their path in it; none if nothing differs.
        secrets: How many secrets were not compared, because the intended side only refers to them.
    """

    rollout: RolloutPlan
    files: dict[str, bytes]
    secrets: int = 0


def plan_rollout(intended: str, deployed: str, out: Path, options: DiffOptions, bag: Bag) -> PlannedRollout | None:
    """Plan the rollout that leads from one side to the other, and write its bundle.

    Args:
        intended: What should be: an inventory, or a tree beside the inventory that it was rendered from.
        deployed: What is: whatever ``diff`` takes.
        out: The new folder of the bundle; nothing is written if nothing differs.
        options: As of ``diff``.
        bag: Takes everything that is wrong.

    Returns:
        The rollout; None with diagnostics if none can be planned, or its bundle cannot be written.
    """
    if not is_free(out, bag, NO_BUNDLE_FOLDER):
        return None
    with ExitStack() as folders:

        def scratch() -> Path:
            return Path(folders.enter_context(TemporaryDirectory(prefix="fabricgen-rollout-")))

        kinds = load_kinds(None, bag)
        where = Where(options.base, options.stdin, scratch, options.overlays, options.catalogs)
        where = replace(where, only=options.only, names=kinds.names)
        wanted = open_side(intended, replace(where, today=options.today), bag)
        have = open_side(deployed, replace(where, is_intended=False), bag)
        planned = _plan(wanted, have, kinds, options, bag) if wanted is not None and have is not None else None
    if planned is None or bag.has_errors:
        return None
    if planned.files and not write_new_folder(out, planned.files, bag, NO_BUNDLE_FOLDER):
        return None
    return planned


def _plan(wanted: Opened, have: Opened, kinds: FileKinds, options: DiffOptions, bag: Bag) -> PlannedRollout | None:
    compiled = find_compiled(wanted, options, bag)
    if compiled is None or compiled.plan is None:
        _tell_no_plan(wanted, bag)
        return None
    plan = compiled.plan
    chosen = choose_devices(Choice(tiers=options.tiers), plan, bag) if options.tiers else None
    if options.tiers and not chosen:
        return None
    devices = find_deployed(plan, have.compiled)
    deployed = Deployed(kinds, is_rendered=have.side.is_ours)
    found = _Found(deployed, _start_steps(plan, Checks(plan, compiled.platforms or {}, devices)))
    for device, sides in _compare(wanted.side, have.side, kinds, bag, options, chosen):
        found.take(device, sides, devices.get(device.name), kinds, bag)
    if not found.steps.refusals.any:
        order_late(found.steps, plan, bag)
    found.tell(wanted, have, bag)
    planned = None if bag.has_errors else _order(_describe(wanted, have, compiled, found), found, compiled, bag)
    if planned is not None and (options.only or options.tiers or found.unseen):
        found.tell_partial(bag)
    return planned and planned._replace(secrets=found.secrets)


def _start_steps(plan: FabricPlan, checks: Checks) -> StepsByPhase:
    """Return where the steps of devices are taken together; nothing is planned yet."""
    return StepsByPhase({tier.name: rank for rank, tier in enumerate(plan.tiers)}, checks, list_addresses(plan))


def _describe(wanted: Opened, have: Opened, compiled: Compiled, found: _Found) -> Subject:
    """Return what a rollout is of."""
    change = describe_change(have, wanted, compiled)
    return Subject(
        compiled.plan.name if compiled.plan is not None else "",
        digest_intent(compiled.document),
        PlannedSide(show_line(wanted.side.shown), found.deployed.digest_intended()),
        PlannedSide(show_line(have.side.shown), found.deployed.digest()),
        ((f"intent: {change}",) if change else ()) + tuple(found.list_left()),
    )


def _tell_no_plan(wanted: Opened, bag: Bag) -> None:
    """Report why no plan of a side is known."""
    shown = wanted.side.shown
    if wanted.tree is not None:
        message = f"no inventory near {shown} or here has the intent that it was rendered from"
        bag.add(NO_ROLLOUT_PLAN, message, hint=_RENDER)
    else:
        bag.add(NO_ROLLOUT_PLAN, f"no inventory of {shown} is known")


def _order(subject: Subject, found: _Found, compiled: Compiled, bag: Bag) -> PlannedRollout | None:
    """Return the rollout of what was found."""
    plan, specs = compiled.plan, compiled.platforms or {}
    phases: list[RolloutPhase] = []
    for title, reason, changes, first in found.steps.list_phases() if plan is not None else ():
        moved = [change.change for change in changes.values()]
        waves = plan_waves(plan, moved, bag, first=first) if plan is not None else None
        if waves is None:
            return None
        phases.append(RolloutPhase(title, changes, waves, reason))
    phases = list(_expect_both_ends(found.steps, phases))
    warn_of_failures((phase.waves for phase in phases), bag)
    rollout = assemble(subject, phases)._replace(platforms=tuple(list_platforms(specs)))
    return PlannedRollout(rollout, lay_out(rollout, phases, found.deployed, read_tasks(specs)) if rollout.waves else {})


def _expect_both_ends(steps: StepsByPhase, phases: Sequence[RolloutPhase]) -> Iterator[RolloutPhase]:
    """Yield phases of which no device expects a link or session that its other end only gets in its wave or later."""
    left = Counter(name for phase in phases for wave in phase.waves.waves for name in wave.devices)
    for phase in phases:
        changes = dict(phase.changes)
        for wave in phase.waves.waves:
            for name in wave.devices:
                if changes[name].gains:
                    changes[name] = steps.expect(changes[name], {each for each in left if each != name})
            left -= Counter(wave.devices)
        yield phase._replace(changes=changes)


class _Found:
    """Everything that the comparison gave.

    Attributes:
        steps: Changes of devices, by phase.
        deployed: Digests of every deployed file.
        left: Devices that are on one side only.
        unseen: How many devices of each kind, or with each file, the deployed side has nothing of.
        secrets: How many secrets were not compared.
    """

    def __init__(self, deployed: Deployed, steps: StepsByPhase) -> None:
        """Start empty."""
        self.steps = steps
        self.deployed = deployed
        self.left: dict[str, list[str]] = {"new": [], "removed": []}
        self.unseen: Counter[tuple[str, str]] = Counter()
        self.secrets = 0

    def take(
        self,
        device: DeviceDiff,
        sides: tuple[SideDevice, SideDevice] | None,
        known: DevicePlace | None,
        kinds: FileKinds,
        bag: Bag,
    ) -> None:
        """Take a device."""
        if device.is_new or device.is_gone:
            self.left["new" if device.is_new else "removed"].append(device.name)
        if device.is_missing and not device.failed:
            self.unseen[device.kind, ""] += 1
        self.unseen.update((device.kind, path) for path in device.absent)
        self.secrets += sum(len(part.secrets) for file in device.files for part in file.parts)
        if sides is None:
            return
        if is_replaced(device, sides[0].files):
            bag.add(REPLACED, f"{device.name} runs another platform: it has {device.foreign[0]}", device=device.name)
            return
        planned = self.steps.plan(device, bag) if known is not None else []
        matched = DeviceComparer(kinds, frozenset(), Bag()).match(*sides)
        drains = any(is_drained(patch.disruption) for _, patch in planned)
        self.deployed.add(sides[0], matched, device, drains=drains)
        if known is not None:
            self.steps.add(device, planned, known, self.deployed)

    def tell_partial(self, bag: Bag) -> None:
        """Report the kinds of changes that need an order across devices, some of which are left out."""
        kinds = self.steps.list_kinds()
        if kinds:
            bag.add(PARTIAL, f"some devices are left out of an order: {explain_phase(kinds)}")

    def list_left(self) -> list[str]:
        """Return a line for the devices that only the intended side has, and one for those that only the other has."""
        return [f"{word}: {name_devices(names)}" for word, names in self.left.items() if names]

    def tell(self, wanted: Opened, have: Opened, bag: Bag) -> None:
        """Report the devices that a rollout leaves to other ways, and the changes that it cannot make."""
        self.steps.refusals.tell(bag)
        if wanted.tree is not None and have.compiled is not None:
            message = f"{have.side.shown}, the deployed side, is an inventory, and {wanted.side.shown} a rendered tree"
            bag.add(EXCHANGED, message)
        for (kind, path), count in sorted(self.unseen.items()):
            devices = counted(count, "switch", "switches") if kind == "switches" else counted(count, "host")
            lacks = f"{path} of {devices}, which" if path else f"{devices}, of which"
            has = "does not have" if path else "has no configuration"
            bag.add(UNSEEN, f"left out: {lacks} {have.side.shown} {has}")
        for line in self.list_left():
            bag.add(NOT_PLANNED, line)
        if bag.has_errors:
            # A device left out of a change at two ends is no way round its refusal.
            hint = "correct what the other errors name" if self.steps.refusals.any else ""
            bag.add(INCOMPLETE, f"{wanted.side.shown}: no rollout is written", hint=hint)


def _compare(
    wanted: Side, have: Side, kinds: FileKinds, bag: Bag, options: DiffOptions, chosen: frozenset[str] | None
) -> Iterator[tuple[DeviceDiff, tuple[SideDevice, SideDevice] | None]]:
    """Yield every difference with its device on both sides; None where one of them has none."""
    intended, deployed = _Watched(wanted), _Watched(have, keeps=True)
    found = diff_sides(intended.side, deployed.side, kinds, bag, only=options.only, chosen=chosen, whole=True)
    for device in found:
        one, other = intended.find(device), deployed.find(device)
        yield device, (one, other) if one is not None and other is not None else None


class _Watched:
    """A side whose devices are remembered: the last one, or all of them where their content is not at hand."""

    def __init__(self, side: Side, *, keeps: bool = False) -> None:
        """Watch a side."""
        self._source = side
        self._keeps = keeps
        self._seen: dict[tuple[str, str], SideDevice] = {}
        self.side = replace(side, devices=self._devices)

    def _devices(self) -> Iterator[SideDevice]:
        for device in self._source.devices():
            if not self._keeps:
                self._seen.clear()
            self._seen[device.kind, device.name] = device
            yield device

    def find(self, device: DeviceDiff) -> SideDevice | None:
        """Return the device of a difference."""
        return self._seen.get((device.kind, device.name)) or self._seen.get(("", device.name))
