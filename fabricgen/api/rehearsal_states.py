"""States of devices between two waves of a bundle, found again from the two sides that it was planned from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.api.diff import DiffOptions
from fabricgen.api.rollout_legs import Leg, LegWalk
from fabricgen.diagnostics import Bag
from fabricgen.diff.device import DeviceDiff
from fabricgen.diff.kinds import FileKinds
from fabricgen.diff.sides import Side
from fabricgen.lab.rehearsal.halfway import InterimState
from fabricgen.rollout.bundle import PlannedDevice
from fabricgen.rollout.digests import digest_bytes
from fabricgen.rollout.phasing.kinds import RolloutStage
from fabricgen.rollout.phasing.refusals import Refusals
from fabricgen.rollout.phasing.split import split_device
from fabricgen.rollout.positions import chain_devices
from fabricgen.rollout.stored_bundle import Bundle


def find_states(
    bundle: Bundle, legs: Sequence[Leg], deployed: Side, kinds: FileKinds, options: DiffOptions
) -> dict[str, InterimState]:
    """Return the state that each wave but the last leaves a device in, by the key of its change.

    Args:
        bundle: The rollout.
        legs: What it leads over.
        deployed: The deployed side, as the bundle was planned on.
        kinds: How files are read.
        options: As of ``diff``.
    """
    chains = {key: list(devices) for key, devices in chain_devices(bundle.rollout).items() if len(devices) > 1}
    if not chains:
        return {}
    walk = LegWalk(deployed, kinds, options, frozenset(devices[0].name for devices in chains.values()))
    found: dict[str, InterimState] = {}
    texts: dict[str, dict[str, str]] = {}
    for number, leg in enumerate(legs):
        for device, _ in walk.walk(leg, Bag()):
            key = f"{device.kind}/{device.name}"
            if key in chains:
                found.update(_follow(device, chains[key], texts.setdefault(key, {}), leg, is_first=not number))
    return found


def _follow(
    device: DeviceDiff, left: list[PlannedDevice], texts: dict[str, str], leg: Leg, *, is_first: bool
) -> Iterator[tuple[str, InterimState]]:
    """Yield the states of a device in a leg; a wave that is no step of its own leaves it without one."""
    files = {file.path: file.situation.before_text for file in device.files if file.situation is not None}
    texts |= {path: text for path, text in files.items() if path not in texts}
    steps = split_device(device, Refusals(), leg.stage_of(device.kind))
    for planned in tuple(left):
        if steps and _leads_to(steps[0].device, planned):
            left.remove(planned)
            step = steps.pop(0)
            texts |= {file.path: file.intended.decode() for file in step.device.files}
            # What changes in stages has done so in the first leg.
            yield planned.key, InterimState(step.stage if is_first else max(RolloutStage), dict(texts))


def _leads_to(step: DeviceDiff, planned: PlannedDevice) -> bool:
    """Return whether a step leaves the files that a wave does."""
    after = {file.path: digest_bytes(file.intended) for file in step.files}
    return all(file.after is not None and after.get(file.path) == file.after.sha256 for file in planned.files)
