"""Legs of a rollout: from what is deployed to plans in between, and at last to the intended one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from fabricgen.api.diff import DiffOptions
from fabricgen.diagnostics import Bag, Severity
from fabricgen.diff.device import DeviceComparer, DeviceDiff
from fabricgen.diff.kinds import FileKinds
from fabricgen.diff.run import diff_sides
from fabricgen.diff.sides import File, Side
from fabricgen.diff.sides import SideDevice as SideDevice
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.reading.file_format import write_yaml
from fabricgen.rollout.model import StrandedPrefixes, Wave
from fabricgen.source import Document

STATES = "states"
"""Folder of a bundle with the intents that it leads over."""
Pair = tuple[SideDevice, SideDevice]


class PassStep(NamedTuple):
    """A step of a pass: switches are drained and changed, their neighbors follow, the switches come back.

    Attributes:
        part: ``change``, ``neighbors`` or ``return``.
        number: Of the pass, from 1.
        wave: The switches, with the bandwidth that is left while they are out.
        quiet: Neighbors, each with what its files call the switches.
        stranded: Prefixes that have no other path while one of them is out.
    """

    part: str
    number: int
    wave: Wave
    before: FabricPlan
    quiet: Mapping[str, frozenset[str]]
    stranded: tuple[StrandedPrefixes, ...] = ()


class Leg(NamedTuple):
    """A part of a rollout that leads to one plan.

    Attributes:
        title: Of the phase that leads there; empty if that is the only one.
        reason: Reason for its place, for people.
        order: The kinds of devices that change first, and those that follow; empty where all change in any order.
        kinds: What both ends of a link agree on and this part changes, for people.
        document: The intent, where the rollout leads over others than the intended one.
        names: Devices that may change; None for all.
        step: What it does of a pass; None if nothing.
    """

    plan: FabricPlan
    platforms: Mapping[str, PlatformSpec]
    side: Side
    title: str = ""
    reason: str = ""
    order: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    document: Document | None = None
    names: frozenset[str] | None = None
    step: PassStep | None = None
    is_last: bool = False


def write_states(legs: Sequence[Leg]) -> Iterator[tuple[str, bytes]]:
    """Yield the intents that a rollout leads over, as files of its bundle; none where it leads straight."""
    for number, leg in enumerate(legs, 1):
        if leg.document is not None:
            data = leg.document.data
            yield f"{STATES}/{number}-{leg.title}.yaml", write_yaml(data if isinstance(data, dict) else {}).encode()


class LegWalk:
    """The deployed side on its way through the legs: what is deployed at first, then what a leg has left."""

    def __init__(self, deployed: Side, kinds: FileKinds, options: DiffOptions, chosen: frozenset[str] | None) -> None:
        self._side = deployed
        self._kinds = kinds
        self._options = options
        self._chosen = chosen
        self._left: dict[str, SideDevice] | None = None

    def walk(self, leg: Leg, bag: Bag) -> Iterator[tuple[DeviceDiff, Pair | None]]:
        """Yield what leads to an intent by device, with both sides where both have it; errors alone of later legs."""
        found, only = bag, self._options.only
        if self._left is None:
            self._left = {}
        else:
            # What the first leg has told of devices is not repeated.
            found, only = Bag(), ()
            left = [each for each in self._left.values() if leg.names is None or each.name in leg.names]
            self._side = replace(self._side, devices=partial(list, left), one_file=False)
            self._chosen = frozenset(device.name for device in left)
        intended, deployed = _Watched(leg.side), _Watched(self._side, keeps=True)
        sides = intended.side, deployed.side
        for device in diff_sides(*sides, self._kinds, found, only=only, chosen=self._chosen, whole=True):
            one, other = intended.find(device), deployed.find(device)
            pair = (one, other) if one is not None and other is not None else None
            if pair is not None and not leg.is_last:
                self._left[f"{device.kind}/{device.name}"] = self._after(device, pair)
            yield _quieted(device, leg), pair
        if found is not bag and self._chosen:
            bag.extend([item for item in found if item.severity is Severity.ERROR])

    def _after(self, device: DeviceDiff, pair: Pair) -> SideDevice:
        files = DeviceComparer(self._kinds, frozenset(), Bag()).match(*pair)
        for file in device.files:
            if file.situation is not None and file.situation.changes and not file.overrides:
                files.pop(file.path, None)
                if file.intended:
                    files[file.path] = File(file.situation.outcome_text.encode, file.shown)
        return SideDevice(device.name, device.kind, files, is_partial=bool(device.absent))


def _quieted(device: DeviceDiff, leg: Leg) -> DeviceDiff:
    """Return a device whose changes about drained neighbors disturb nothing."""
    quiet = leg.step.quiet.get(device.name) if leg.step is not None and leg.step.part == "neighbors" else None
    if quiet is None:
        return device
    return replace(device, files=[file.quieted(quiet) for file in device.files])


class _Watched:
    """A side whose devices are remembered: the last one, or all of them where their content is not at hand."""

    def __init__(self, side: Side, *, keeps: bool = False) -> None:
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
