"""A rollout from two sides: the differences, the patches, the waves, and the bundle that carries them out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from fabricgen.api.diff import DiffOptions, find_compiled, look_for_sides
from fabricgen.api.diff_plans import describe_change
from fabricgen.api.render import digest_intent
from fabricgen.api.rollout_automation import list_platforms, read_tasks
from fabricgen.api.rollout_checks import Checks
from fabricgen.api.rollout_devices import DevicePlace, find_deployed, list_addresses
from fabricgen.api.rollout_legs import Leg, LegWalk, SideDevice, write_states
from fabricgen.api.rollout_passes import wave_of_step
from fabricgen.api.rollout_policies import order_late
from fabricgen.api.rollout_route import DeployedIntent, find_deployed_intent, plan_legs, report_unordered
from fabricgen.api.rollout_steps import LegChanges
from fabricgen.api.sides import Opened, open_side
from fabricgen.compiler.compile import Compiled
from fabricgen.device.globs import Choice, choose_devices
from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.visible import show_line
from fabricgen.diagnostics.words import counted
from fabricgen.diff.device import DeviceComparer, DeviceDiff
from fabricgen.diff.kinds import FileKinds
from fabricgen.diff.report import name_devices
from fabricgen.render.tree.new_folder import is_free, write_new_folder
from fabricgen.rollout.assemble import Subject, assemble
from fabricgen.rollout.bundle import Digest, PlannedSide, RolloutPlan
from fabricgen.rollout.bundle_files import lay_out
from fabricgen.rollout.deployed import Deployed
from fabricgen.rollout.model import WavePlan
from fabricgen.rollout.one_more_failure import warn_of_failures
from fabricgen.rollout.phases import RolloutPhase
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
    """A rollout with the files of its bundle, if anything differs; ``secrets`` were not compared."""

    rollout: RolloutPlan
    files: dict[str, bytes]
    secrets: int = 0


def plan_rollout(
    intended: str, deployed: str, out: Path, options: DiffOptions, bag: Bag, *, base: str = ""
) -> PlannedRollout | None:
    """Plan the rollout that leads from one side to the other, and write its bundle; None with diagnostics.

    The intended side is an inventory, or a tree beside the one that it was rendered from; nothing is written if nothing
    differs. The base is the inventory that is deployed, or a git revision of it, where ``deployed`` are files; empty if
    not known.
    """
    if not is_free(out, bag, NO_BUNDLE_FOLDER):
        return None
    with look_for_sides(options, bag) as (where, kinds):
        wanted, have = open_side(intended, where, bag), open_side(deployed, where.of_deployed, bag)
        planned = None
        if wanted is not None and have is not None:
            before = find_deployed_intent(have, base, where.of_deployed, bag)
            planned = None if before is None else _plan(wanted, have, kinds, options, before, bag)
    return _write(planned, out, bag)


def plan_between(wanted: Opened, have: Opened, out: Path, options: DiffOptions, bag: Bag) -> PlannedRollout | None:
    """Plan the rollout between two inventories that are compiled, and write its bundle; see ``plan_rollout``."""
    with look_for_sides(options, bag) as (where, kinds):
        before = find_deployed_intent(have, "", where.of_deployed, bag)
        planned = None if before is None else _plan(wanted, have, kinds, options, before, bag)
    return _write(planned, out, bag)


def _write(planned: PlannedRollout | None, out: Path, bag: Bag) -> PlannedRollout | None:
    if planned is None or bag.has_errors:
        return None
    if planned.files and not write_new_folder(out, planned.files, bag, NO_BUNDLE_FOLDER):
        return None
    return planned


def _plan(
    wanted: Opened, have: Opened, kinds: FileKinds, options: DiffOptions, before: DeployedIntent, bag: Bag
) -> PlannedRollout | None:
    compiled = find_compiled(wanted, options, bag)
    if compiled is None or compiled.plan is None:
        _tell_no_plan(wanted, bag)
        return None
    plan = compiled.plan
    chosen = choose_devices(Choice(tiers=options.tiers), plan, bag) if options.tiers else None
    legs = plan_legs(wanted, compiled, before, options, bag)
    if legs is None or (options.tiers and not chosen):
        return None
    found = _Found(Deployed(kinds, is_rendered=have.side.is_ours), find_deployed(plan, have.compiled), kinds)
    _walk(legs, LegWalk(have.side, kinds, options, chosen), found, bag)
    found.tell(wanted, have, bag)
    report_unordered(found.legs[0], legs, have.side.shown, before, compiled.intent, bag)
    planned = None if bag.has_errors else _order(_describe(wanted, have, compiled, found), found, legs, bag)
    if planned is not None and (options.only or options.tiers or found.unseen):
        found.tell_partial(bag)
    return planned and planned._replace(secrets=found.secrets)


def _walk(legs: Sequence[Leg], walk: LegWalk, found: _Found, bag: Bag) -> None:
    """Go through the legs of a rollout, and take what differs in each."""
    addresses = list_addresses(legs[-1].plan)
    former = None
    for leg in legs:
        checks = Checks(leg.plan, leg.platforms, found.places)
        found.begin(LegChanges(leg, checks, former or checks, addresses))
        for device, sides in walk.walk(leg, bag):
            found.take(device, sides, bag)
        order_late(found.changes, leg.plan, bag)
        former = checks


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
    shown = wanted.side.shown
    if wanted.tree is not None:
        message = f"no inventory near {shown} or here has the intent that it was rendered from"
        bag.add(NO_ROLLOUT_PLAN, message, hint=_RENDER)
    else:
        bag.add(NO_ROLLOUT_PLAN, f"no inventory of {shown} is known")


def _order(subject: Subject, found: _Found, legs: Sequence[Leg], bag: Bag) -> PlannedRollout | None:
    phases: list[RolloutPhase] = []
    for number, (leg, changes) in enumerate(zip(legs, found.legs, strict=True)):
        own: list[RolloutPhase] = []
        for title, reason, devices, first in changes.list_phases():
            changed = [each.change for each in devices.values()]
            waves = (
                wave_of_step(leg, leg.step, changed, bag)
                if leg.step
                else plan_waves(leg.plan, changed, bag, first=first)
            )
            if waves is None:
                return None
            own.append(RolloutPhase(title, devices, waves, reason, number))
        phases += _expect_both_ends(changes, own) if leg.step is None else own
    nothing = RolloutPhase("", {}, WavePlan((), legs[-1].plan.rollout))
    phases = [phase for phase in phases if phase.waves.waves] or [nothing]
    warn_of_failures((phase.waves for phase in phases), bag)
    specs = legs[-1].platforms
    rollout = assemble(subject, phases)._replace(platforms=tuple(list_platforms(specs)))
    if not rollout.waves:
        return PlannedRollout(rollout, {})
    return PlannedRollout(rollout, lay_out(rollout, phases, found.deployed, read_tasks(specs), write_states(legs)))


def _expect_both_ends(leg: LegChanges, phases: Sequence[RolloutPhase]) -> Iterator[RolloutPhase]:
    """Yield phases of which no device expects a link or session that its other end only gets in its wave or later."""
    left = Counter(name for phase in phases for wave in phase.waves.waves for name in wave.devices)
    for phase in phases:
        changes = dict(phase.changes)
        for wave in phase.waves.waves:
            for name in wave.devices:
                if changes[name].gains:
                    changes[name] = leg.expect(changes[name], {each for each in left if each != name})
            left -= Counter(wave.devices)
        yield phase._replace(changes=changes)


class _Found:
    """Outcome of the comparisons: devices of one side only, and how many of each kind have nothing deployed."""

    def __init__(self, deployed: Deployed, places: Mapping[str, DevicePlace], kinds: FileKinds) -> None:
        self.deployed = deployed
        self.places = places
        self.legs: list[LegChanges] = []
        self.left: dict[str, list[str]] = {"new": [], "removed": []}
        self.unseen: Counter[tuple[str, str]] = Counter()
        self.secrets = 0
        self._kinds = kinds
        self._earlier: dict[str, dict[str, Digest | None]] = {}

    @property
    def changes(self) -> LegChanges:
        """Return the changes of the present leg."""
        return self.legs[-1]

    def begin(self, changes: LegChanges) -> None:
        """Begin another leg."""
        self.legs.append(changes)

    def take(self, device: DeviceDiff, sides: tuple[SideDevice, SideDevice] | None, bag: Bag) -> None:
        """Take a device of the present leg."""
        known, is_first = self.places.get(device.name), len(self.legs) == 1
        if is_first:
            self._note(device)
        if sides is None:
            return
        if is_first and is_replaced(device, sides[0].files):
            bag.add(REPLACED, f"{device.name} runs another platform: it has {device.foreign[0]}", device=device.name)
            return
        patch = self.changes.plan(device, bag) if known is not None else None
        if is_first:
            matched = DeviceComparer(self._kinds, frozenset(), Bag()).match(*sides)
            self.deployed.add(sides[0], matched, device)
        if known is not None and patch is not None:
            earlier = self._earlier.setdefault(f"{device.kind}/{device.name}", {})
            self.changes.add(device, patch, known, self.deployed, earlier)
        if self.changes.leg.is_last:
            self.deployed.intend(sides[0])
            self.secrets += sum(len(part.secrets) for file in device.files for part in file.parts)

    def _note(self, device: DeviceDiff) -> None:
        """Count what a rollout leaves to other ways."""
        if device.is_new or device.is_gone:
            self.left["new" if device.is_new else "removed"].append(device.name)
        if device.is_missing and not device.failed:
            self.unseen[device.kind, ""] += 1
        self.unseen.update((device.kind, path) for path in device.absent)

    def tell_partial(self, bag: Bag) -> None:
        """Report the kinds of changes that need an order across devices, some of which are left out."""
        reasons = dict.fromkeys(phase.reason for changes in self.legs for phase in changes.list_phases())
        rules = "; ".join(filter(None, reasons))
        if rules:
            bag.add(PARTIAL, f"some devices are left out of an order: {rules}")

    def list_left(self) -> list[str]:
        """Return a line for the devices that only the intended side has, and one for those that only the other has."""
        return [f"{word}: {name_devices(names)}" for word, names in self.left.items() if names]

    def tell(self, wanted: Opened, have: Opened, bag: Bag) -> None:
        """Report the devices that a rollout leaves to other ways, and the changes that it cannot make."""
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
            bag.add(INCOMPLETE, f"{wanted.side.shown}: no rollout is written")
