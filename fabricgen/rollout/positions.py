"""Progress of a rollout, read off freshly collected files: which waves each device has behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from fabricgen.diff.kinds import FileKind
from fabricgen.rollout.bundle import Digest, PlannedDevice, PlannedFile, Rollout
from fabricgen.rollout.digests import Meanings, digest_bytes


class Fresh(NamedTuple):
    """A file as it was collected again.

    Attributes:
        data: Its content; None if the device does not have it.
        kind: How it is read.
    """

    data: bytes | None
    kind: FileKind


class Stop(NamedTuple):
    """A device that a rollout cannot go on with.

    Attributes:
        reason: Its state, in words that follow its name.
        folder: Of the last of its waves in the bundle that may have begun.
    """

    device: str
    reason: str
    folder: str


class Stand(NamedTuple):
    """A device of a rollout with the number of its waves that are done."""

    devices: tuple[PlannedDevice, ...]
    done: int


Matches = Callable[[PlannedFile, bool], bool]
"""Tells whether the collected file is the one before (False) or after (True) a change."""


def chain_devices(rollout: Rollout) -> dict[str, tuple[PlannedDevice, ...]]:
    """Return what each device goes through, wave by wave, by ``KIND/NAME``."""
    found: dict[str, list[PlannedDevice]] = {}
    for device in rollout.devices:
        found.setdefault(f"{device.kind}/{device.name}", []).append(device)
    return {name: tuple(devices) for name, devices in found.items()}


def paths_of(devices: Sequence[PlannedDevice]) -> tuple[str, ...]:
    """Return the files that a device's waves change."""
    return tuple(dict.fromkeys(file.path for device in devices for file in device.files))


def find_stand(devices: Sequence[PlannedDevice], fresh: dict[str, Fresh], meanings: Meanings) -> Stand | Stop:
    """Return how many waves a device has behind it.

    Args:
        devices: What it goes through.
        fresh: Its files by path.
        meanings: Digests.

    Returns:
        The stand; or why the device is in none of the states between its waves.
    """
    paths = paths_of(devices)
    fits = {path: list(_fits(path, devices, fresh[path], meanings)) for path in paths}
    for done in range(len(devices) + 1):
        if all(fits[path][done] for path in paths):
            return Stand(tuple(devices), done)
    return Stop(devices[0].name, _tell(fits, len(devices)), devices[-1].folder)


def _fits(path: str, devices: Sequence[PlannedDevice], fresh: Fresh, meanings: Meanings) -> Iterator[bool]:
    """Yield for every number of waves that may be done whether a file is as it is then."""
    mentioned = [next((file for file in device.files if file.path == path), None) for device in devices]
    for done in range(len(devices) + 1):
        earlier = next((file for file in reversed(mentioned[:done]) if file is not None), None)
        later = next((file for file in mentioned[done:] if file is not None), None)
        if earlier is not None:
            yield is_after(earlier, fresh, meanings)
        else:
            yield later is not None and is_digest(later.before, fresh, meanings)


def is_digest(digest: Digest | None, fresh: Fresh, meanings: Meanings) -> bool:
    """Return whether a file has the bytes of a digest, or means the same."""
    if digest is None or fresh.data is None:
        return digest is None and fresh.data is None
    if digest_bytes(fresh.data) == digest.sha256:
        return True
    return bool(digest.meaning) and meanings.digest_file(fresh.data, fresh.kind) == digest.meaning


def is_after(file: PlannedFile, fresh: Fresh, meanings: Meanings) -> bool:
    """Return whether a file is as a change leaves it, whatever else is there that is not fabricgen's."""
    after = file.after
    if after is None or fresh.data is None:
        return after is None and fresh.data is None
    if digest_bytes(fresh.data) == after.sha256:
        return True
    found = meanings.digest_file(fresh.data, fresh.kind, managed=True, withheld=file.withheld)
    return bool(after.meaning) and found == after.meaning


def _tell(fits: dict[str, list[bool]], last: int) -> str:
    """Return the state of a device that is in none of the planned ones."""
    neither = [path for path, found in fits.items() if not any(found)]
    if neither:
        return f"{', '.join(neither)}: neither as before nor as after the change"
    begun = [path for path, found in fits.items() if found[last]]
    rest = [path for path in fits if path not in begun]
    return f"half done: {', '.join(begun)} as after the change, {', '.join(rest)} not"
