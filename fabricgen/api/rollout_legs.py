"""Legs of a rollout: from what is deployed to intents in between, and at last to the intended one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from fabricgen.api.diff import DiffOptions
from fabricgen.api.render import CONTRACT_KEY
from fabricgen.api.sides import Opened, Where, open_side, render_devices
from fabricgen.compiler.between import LinkContract, StateBetween, describe_moved, list_states
from fabricgen.compiler.compile import Compiled, compile_document
from fabricgen.diagnostics import Bag, Severity
from fabricgen.diff.device import DeviceComparer, DeviceDiff
from fabricgen.diff.kinds import FileKinds
from fabricgen.diff.run import diff_sides
from fabricgen.diff.sides import File, Side
from fabricgen.diff.sides import SideDevice as SideDevice
from fabricgen.intent.fabric import FabricIntent
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.reading.file_format import write_yaml
from fabricgen.render.tree.access import load_manifest
from fabricgen.rollout.phasing.kinds import RolloutStage
from fabricgen.rollout.rollout_codes import DRIFTED, NO_DEPLOYED_INTENT, NO_STATE_BETWEEN

STATES = "states"
"""Folder of a bundle with the intents that it leads over."""
_STAGES: dict[str, tuple[RolloutStage, RolloutStage]] = {
    "expand": (RolloutStage.accept, RolloutStage.ready),
    "migrate": (RolloutStage.ready, RolloutStage.migrate),
    "contract": (RolloutStage.cease, RolloutStage.drop),
}
"""Stages of the devices that change first in a leg, and of those that follow."""
Pair = tuple[SideDevice, SideDevice]


class Leg(NamedTuple):
    """A part of a rollout that leads to one intent.

    Attributes:
        state: The intent.
        plan: Its plan, checked.
        platforms: Its platforms by name.
        side: Its files.
        is_last: It is the intended one.
    """

    state: StateBetween
    plan: FabricPlan
    platforms: Mapping[str, PlatformSpec]
    side: Side
    is_last: bool

    def stage_of(self, kind: str) -> RolloutStage | None:
        """Return the stage in which devices of a kind change what both ends agree on; None where all go together."""
        if not self.state.name:
            return None
        if not self.state.order:
            return RolloutStage.migrate
        return _STAGES[self.state.name][self.state.order.index(kind)]


def find_contract(deployed: Opened, named: str, where: Where, bag: Bag) -> LinkContract | None:
    """Return what both ends of the deployed links agree on; None where no intent of theirs is known.

    Args:
        deployed: The deployed side: an inventory has the intent, the manifest of a rendered tree what is asked for.
        named: The inventory, tree or git revision that is deployed, where the user names it; empty otherwise.
        where: What that is looked for with.
        bag: Takes what is wrong with it.
    """
    opened = open_side(named, where, bag) if named else deployed
    if opened is None:
        return None
    if opened.compiled is not None and opened.compiled.intent is not None:
        return LinkContract.of(opened.compiled.intent)
    manifest = load_manifest(opened.tree, Bag()) if opened.tree is not None else None
    return LinkContract.read(manifest.header.get(CONTRACT_KEY)) if manifest is not None else None


def plan_legs(
    wanted: Opened, compiled: Compiled, before: LinkContract | None, options: DiffOptions, bag: Bag
) -> list[Leg] | None:
    """Return the legs of a rollout.

    Args:
        wanted: The intended side.
        compiled: Its inventory.
        before: What both ends of the deployed links agree on; None if that is not known.
        options: As of ``diff``.
        bag: Takes an intent in between that is none.

    Returns:
        The legs; None with a diagnostic.
    """
    if compiled.intent is None or compiled.plan is None:
        return None
    after = LinkContract.of(compiled.intent)
    moved = describe_moved(before, after) if before is not None else ""
    if moved:
        hint = "give the new priority a code point of its own, and let NICs mark that"
        bag.add(NO_STATE_BETWEEN, f"{moved} at both ends of every link at once", hint=hint)
        return None
    *between, last = list_states(compiled.document, after, before)
    legs = []
    for state in between:
        found = Bag()
        other = compile_document(state.document, compiled.folder, found, options.catalogs)
        faults = [item for item in found if item.severity is Severity.ERROR and not item.waived]
        if faults or other.plan is None:
            _refuse(state, faults[0].message if faults else "it has no plan", bag)
            return None
        devices = partial(render_devices, other, options.only, bag)
        side = Side(f"{wanted.side.shown} ({state.name})", devices, is_ours=True)
        legs.append(Leg(state, other.plan, other.platforms or {}, side, is_last=False))
    return [*legs, Leg(last, compiled.plan, compiled.platforms or {}, wanted.side, is_last=True)]


def _refuse(state: StateBetween, reason: str, bag: Bag) -> None:
    kinds = ", ".join(state.kinds)
    message = f"{kinds}: the intent of {state.name}, which has what both intents take, is not valid: {reason}"
    hint = "change one thing at a time in rollouts of their own, or all of it while no jobs run"
    bag.add(NO_STATE_BETWEEN, message, hint=hint)


def report_contract(
    names: Sequence[str], deployed: str, before: LinkContract | None, intent: FabricIntent | None, bag: Bag
) -> None:
    """Report devices whose classes, PFC, ECN, marks or MTU change without an intent in between.

    Args:
        names: Of the devices.
        deployed: The deployed side, as the user named it.
        before: The contract of the deployed intent; None if that is not known.
        intent: The intended one.
        bag: Takes an error where the deployed intent is not known, and a warning where devices have drifted from it.
    """
    # Classes that are lossy in both intents change on devices that have not drifted, too.
    is_same = before is not None and intent is not None and LinkContract.of(intent).to_data() == before.to_data()
    if not names or (before is not None and not is_same):
        return
    more = f" and {len(names) - 1:,} more" if names[1:] else ""
    if is_same:
        message = f"{names[0]}{more}: classes, PFC, ECN, marks or MTU are not those of the deployed intent"
        hint = "no action is needed where this is drift; otherwise name what is deployed with --from"
        bag.add(DRIFTED, message, device=names[0], hint=hint)
        return
    message = f"{names[0]}{more}: classes, PFC, ECN, marks or MTU change, and no intent of {deployed} is known"
    hint = "name it: --from INVENTORY or --from REV:INVENTORY; the intended one where devices drifted from it"
    bag.add(NO_DEPLOYED_INTENT, message, device=names[0], hint=hint)


def write_states(legs: Sequence[Leg]) -> Iterator[tuple[str, bytes]]:
    """Yield the intents that a rollout leads over, as files of its bundle; none where it leads straight."""
    for number, leg in enumerate(legs if len(legs) > 1 else (), 1):
        data = leg.state.document.data
        yield f"{STATES}/{number}-{leg.state.name}.yaml", write_yaml(data if isinstance(data, dict) else {}).encode()


class LegWalk:
    """The deployed side on its way through the legs: what is deployed at first, then what a leg has left."""

    def __init__(self, deployed: Side, kinds: FileKinds, options: DiffOptions, chosen: frozenset[str] | None) -> None:
        """Start at the deployed side.

        Args:
            deployed: That side.
            kinds: How files are read.
            options: As of ``diff``.
            chosen: Names of the devices to compare; None for all.
        """
        self._side = deployed
        self._kinds = kinds
        self._options = options
        self._chosen = chosen
        self._left: dict[str, SideDevice] | None = None

    def walk(self, leg: Leg, bag: Bag) -> Iterator[tuple[DeviceDiff, Pair | None]]:
        """Yield what leads to an intent, device by device, with the device on both sides where both have it.

        Args:
            leg: The next one.
            bag: Takes what keeps devices from being compared, of later legs errors alone.
        """
        found, only = bag, self._options.only
        if self._left is not None:
            # What the first leg has told of devices is not repeated.
            found, only = Bag(), ()
            self._side = replace(self._side, devices=partial(list, self._left.values()), one_file=False)
            self._chosen = frozenset(device.name for device in self._left.values())
        self._left = {}
        intended, deployed = _Watched(leg.side), _Watched(self._side, keeps=True)
        sides = intended.side, deployed.side
        for device in diff_sides(*sides, self._kinds, found, only=only, chosen=self._chosen, whole=True):
            one, other = intended.find(device), deployed.find(device)
            pair = (one, other) if one is not None and other is not None else None
            if pair is not None and not leg.is_last:
                self._left[f"{device.kind}/{device.name}"] = self._after(device, pair)
            yield device, pair
        if found is not bag and self._chosen:
            bag.extend([item for item in found if item.severity is Severity.ERROR])

    def _after(self, device: DeviceDiff, pair: Pair) -> SideDevice:
        """Return a device as a leg leaves it."""
        files = DeviceComparer(self._kinds, frozenset(), Bag()).match(*pair)
        for file in device.files:
            if file.situation is not None and file.situation.changes and not file.overrides:
                files.pop(file.path, None)
                if file.intended:
                    files[file.path] = File(partial(_give, file.situation.outcome_text.encode()), file.shown)
        return SideDevice(device.name, device.kind, files)


def _give(data: bytes) -> bytes:
    return data


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
