"""Progress of a rollout, read off freshly collected files: which waves each device has behind it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from enum import IntEnum
from functools import partial
from typing import NamedTuple

from fabricgen.diff.kinds import FileKind
from fabricgen.rollout.bundle import Digest, PlannedDevice, RolloutPlan
from fabricgen.rollout.digests import Meanings, digest_bytes, read_tree

_STILL_DRAINED = "its change is done, and it is still drained: the confirm, undrain and save steps are left"


class Fresh(NamedTuple):
    """A file as it was collected again, and how it is read; ``data`` is None if the device does not have it."""

    data: bytes | None
    kind: FileKind


class Stop(NamedTuple):
    """A device that a rollout cannot go on with, and why; ``procedure`` is of the last wave that may have begun."""

    device: str
    reason: str
    procedure: str

    @property
    def hint(self) -> str:
        """Return what brings it into a known state."""
        if self.reason == _STILL_DRAINED:
            steps = f"carry out the confirm, undrain and save steps of {self.procedure} in runbook.md on it"
            return f"{steps}, collect it again, and resume"
        steps = f"carry out the rollback of {self.procedure} in runbook.md on it"
        return f"if its steps were begun, {steps}, collect it again, and resume; otherwise plan a new rollout"


class Progress(NamedTuple):
    """A device of a rollout with the number of its waves that are done."""

    devices: tuple[PlannedDevice, ...]
    done: int


class Fit(IntEnum):
    """Answer to whether a file is in a state: it is, it is but for a drain that has begun, or it is not."""

    no = 0
    drained = 1
    yes = 2


def chain_devices(rollout: RolloutPlan) -> dict[str, tuple[PlannedDevice, ...]]:
    """Return what each device goes through, wave by wave, by ``KIND/NAME``."""
    found: dict[str, list[PlannedDevice]] = {}
    for device in rollout.devices:
        found.setdefault(f"{device.kind}/{device.name}", []).append(device)
    return {name: tuple(devices) for name, devices in found.items()}


def paths_of(devices: Sequence[PlannedDevice]) -> tuple[str, ...]:
    """Return the files that a device's waves change."""
    return tuple(dict.fromkeys(file.path for device in devices for file in device.files))


def find_progress(
    devices: Sequence[PlannedDevice], fresh: Mapping[str, Fresh], others: Sequence[Fit], meanings: Meanings
) -> Progress | Stop:
    """Return how many waves a device has behind it; or why it is in none of the states between its waves.

    ``fresh`` are its files by path, ``others`` the fits of those that no wave changes.
    """
    paths = paths_of(devices)
    fits = {path: list(_fits(path, devices, fresh[path], meanings)) for path in paths}
    done = _count_done(fits, len(devices))
    if done is None:
        return Stop(devices[0].name, _tell(fits, len(devices)), devices[-1].procedure)
    drained = any(fit is Fit.drained for fit in (*others, *(fits[path][done] for path in paths)))
    if drained and done:
        return Stop(devices[0].name, _STILL_DRAINED, devices[done - 1].procedure)
    return Progress(tuple(devices), done)


def _count_done(fits: Mapping[str, Sequence[Fit]], last: int) -> int | None:
    """Return the number of waves after which all files are as they are; None if there is none.

    A state that fits as it is goes before those that fit but for a drain: the drain may be the change itself.
    """
    for least in (Fit.yes, Fit.drained):
        for done in range(last + 1):
            if all(found[done] >= least for found in fits.values()):
                return done
    return None


def _fits(path: str, devices: Sequence[PlannedDevice], fresh: Fresh, meanings: Meanings) -> Iterator[Fit]:
    """Yield for every number of waves that may be done whether a file is as it is then."""
    mentioned = [next((file for file in device.files if file.path == path), None) for device in devices]
    for done in range(len(devices) + 1):
        earlier = next((file for file in reversed(mentioned[:done]) if file is not None), None)
        later = next((file for file in mentioned[done:] if file is not None), None)
        if earlier is not None:
            yield fit_digest(earlier.after, fresh, meanings, earlier.secrets)
        else:
            yield fit_digest(later.before, fresh, meanings) if later is not None else Fit.no


def fit_digest(digest: Digest | None, fresh: Fresh, meanings: Meanings, secrets: Sequence[str] = ()) -> Fit:
    """Return whether a file has the bytes of a digest, or means the same but for ``secrets`` or a drain."""
    if digest is None or fresh.data is None:
        return Fit.yes if digest is None and fresh.data is None else Fit.no
    if digest_bytes(fresh.data) == digest.sha256:
        return Fit.yes
    tree = read_tree(fresh.data, fresh.kind) if digest.meaning else None
    if tree is None:
        return Fit.no
    means = partial(meanings.digest, semantics=fresh.kind.semantics, kept=digest.kept, secrets=secrets)
    if means(tree) == digest.meaning:
        return Fit.yes
    end = fresh.kind.platform.procedures().end_drain
    ended = end(tree) if end else None
    return Fit.drained if ended is not None and means(ended) == digest.meaning else Fit.no


def _tell(fits: Mapping[str, Sequence[Fit]], last: int) -> str:
    """Return the state of a device that is in none of the planned ones."""
    neither = [path for path, found in fits.items() if not any(found)]
    if neither:
        return f"{', '.join(neither)}: neither as before nor as after the change"
    begun = [path for path, found in fits.items() if found[last]]
    rest = [path for path in fits if path not in begun]
    return f"half done: {', '.join(begun)} as after the change, {', '.join(rest)} not"
