"""States of devices between two waves of a bundle, found again from the two sides that it was planned from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from fabricgen.diagnostics import Bag
from fabricgen.diff.device import DeviceDiff
from fabricgen.diff.kinds import FileKinds
from fabricgen.diff.run import diff_sides
from fabricgen.diff.sides import Side
from fabricgen.lab.rehearsal.halfway import InterimState
from fabricgen.rollout.bundle import PlannedDevice
from fabricgen.rollout.digests import digest_bytes
from fabricgen.rollout.phasing.refusals import Refusals
from fabricgen.rollout.phasing.split import split_device
from fabricgen.rollout.positions import chain_devices
from fabricgen.rollout.stored_bundle import Bundle


def find_states(bundle: Bundle, intended: Side, deployed: Side, kinds: FileKinds) -> dict[str, InterimState]:
    """Return the state that each wave but the last leaves a device in, by the key of its change.

    Args:
        bundle: The rollout.
        intended: The intended side.
        deployed: The deployed side, as the bundle was planned on.
        kinds: How files are read.
    """
    chains = {key: devices for key, devices in chain_devices(bundle.rollout).items() if len(devices) > 1}
    if not chains:
        return {}
    chosen = frozenset(devices[0].name for devices in chains.values())
    found: dict[str, InterimState] = {}
    for device in diff_sides(intended, deployed, kinds, Bag(), chosen=chosen, whole=True):
        found.update(_follow(device, chains.get(f"{device.kind}/{device.name}", ())))
    return found


def _follow(device: DeviceDiff, chain: Sequence[PlannedDevice]) -> Iterator[tuple[str, InterimState]]:
    """Yield the states of a device; a wave that is no step of its own leaves it without one."""
    texts = {file.path: file.situation.before_text for file in device.files if file.situation is not None}
    steps = split_device(device, Refusals()) if chain else []
    for planned in chain:
        if steps and _leads_to(steps[0].device, planned):
            step = steps.pop(0)
            texts |= {file.path: file.intended.decode() for file in step.device.files}
            yield planned.key, InterimState(step.stage, dict(texts))


def _leads_to(step: DeviceDiff, planned: PlannedDevice) -> bool:
    """Return whether a step leaves the files that a wave does."""
    after = {file.path: digest_bytes(file.intended) for file in step.files}
    return all(file.after is not None and after.get(file.path) == file.after.sha256 for file in planned.files)
