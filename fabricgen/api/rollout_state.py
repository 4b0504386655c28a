"""A bundle held against what is deployed now: ``rollout verify`` and ``rollout resume``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from fabricgen.api.diff import DiffOptions, look_for_sides
from fabricgen.api.sides import Where, open_side
from fabricgen.diagnostics import Bag
from fabricgen.diff.device import DeviceComparer
from fabricgen.diff.diff_codes import OTHER_DEVICE
from fabricgen.diff.kinds import FileKinds
from fabricgen.diff.report import list_names
from fabricgen.diff.sides import File, SideDevice, Unreadable
from fabricgen.render.tree.new_folder import is_free, write_new_folder
from fabricgen.rollout.bundle import Digest, PlannedDevice, RolloutPlan
from fabricgen.rollout.digests import Meanings, digest_bytes, read_tree
from fabricgen.rollout.positions import Fit, Fresh, Progress, Stop, chain_devices, find_progress, fit_digest, paths_of
from fabricgen.rollout.resume import lay_out_rest, plan_digest, remaining
from fabricgen.rollout.rollout_codes import BUNDLE_CHANGED, NEITHER_STATE, NO_BUNDLE_FOLDER, NOT_COLLECTED
from fabricgen.rollout.stored_bundle import Bundle, open_bundle


class DriftedDevice(NamedTuple):
    """A device not as planned on: ``changed``, ``done`` as intended or ``not collected``; its files that differ."""

    device: str
    state: str
    files: tuple[str, ...] = ()


class Verified(NamedTuple):
    """Outcome of a verification: of how many devices the bundle was planned on, and those that differ."""

    devices: int
    moved: tuple[DriftedDevice, ...]


class Resumed(NamedTuple):
    """A rollout that goes on: from its start, and what remains of it; no waves if nothing does."""

    whole: RolloutPlan
    rest: RolloutPlan


class _Now(NamedTuple):
    """A bundle with the devices of a fresh collection, by ``KIND/NAME``; None where one was not collected."""

    bundle: Bundle
    kinds: FileKinds
    files: dict[str, dict[str, Fresh] | None]
    meanings: Meanings


def verify_rollout(folder: Path, deployed: str, options: DiffOptions, bag: Bag) -> Verified | None:
    """Compare a bundle's deployed side with what is deployed now; None with diagnostics if that fails."""
    with look_for_sides(options, bag) as found_with:
        now = _collect(folder, deployed, *found_with, bag)
        found = None if now is None else Verified(len(now.files), tuple(_list_moved(now, bag)))
        return None if bag.has_errors else found


def resume_rollout(folder: Path, deployed: str, out: Path | None, options: DiffOptions, bag: Bag) -> Resumed | None:
    """Return what remains of an interrupted rollout, and write its bundle to ``out``; None with diagnostics."""
    if out is not None and not is_free(out, bag, NO_BUNDLE_FOLDER):
        return None
    with look_for_sides(options, bag) as found_with:
        now = _collect(folder, deployed, *found_with, bag)
        all_progress = _find_all_progress(now, bag) if now is not None else {}
        if now is None or bag.has_errors:
            return None
        bundle = now.bundle
        rest = remaining(bundle.rollout, all_progress, plan_digest(bundle))
        if out is not None and rest.waves:
            files = lay_out_rest(bundle, rest, _digest_now(now))
            if files is None:
                bag.add(BUNDLE_CHANGED, f"{folder}: a file has changed while it was read")
                return None
            if not write_new_folder(out, files, bag, NO_BUNDLE_FOLDER):
                return None
        return Resumed(bundle.rollout, rest)


def _collect(folder: Path, deployed: str, where: Where, kinds: FileKinds, bag: Bag) -> _Now | None:
    bundle = open_bundle(folder, bag)
    side = open_side(deployed, where.of_deployed, bag) if bundle is not None else None
    if bundle is None or side is None:
        return None
    comparer = DeviceComparer(kinds, frozenset(), bag)
    chains = chain_devices(bundle.rollout)
    found: dict[str, dict[str, Fresh] | None] = dict.fromkeys(sorted({*bundle.deployed, *chains}))
    for device in side.side.devices():
        for key in (f"{device.kind}/{device.name}",) if device.kind else _keys(device.name, found):
            if key in found:
                paths = dict.fromkeys([*bundle.deployed.get(key, ()), *paths_of(chains.get(key, ()))])
                found[key] = _read(key, list(paths), device, comparer, kinds, bag)
    return None if bag.has_errors else _Now(bundle, kinds, found, Meanings())


def _keys(name: str, known: dict[str, dict[str, Fresh] | None]) -> list[str]:
    return [key for key in (f"switches/{name}", f"hosts/{name}") if key in known]


def _read(
    key: str, paths: list[str], device: SideDevice, comparer: DeviceComparer, kinds: FileKinds, bag: Bag
) -> dict[str, Fresh]:
    kind, name = key.split("/", 1)
    wanted = SideDevice(name, kind, {path: File(bytes, path) for path in paths})
    of_device = kinds.of_device(kind, paths)
    matched = comparer.match(wanted, device)
    found = {}
    for path in paths:
        data = matched[path].load() if path in matched else None
        if isinstance(data, Unreadable):
            bag.add(data.code, f"{name}: {matched[path].shown}: {data.message}", device=name)
            data = None
        found[path] = Fresh(data, of_device[path])
    return found


def _list_moved(now: _Now, bag: Bag) -> Iterator[DriftedDevice]:
    chains = chain_devices(now.bundle.rollout)
    for key, files in now.files.items():
        name = key.split("/", 1)[1]
        if files is None:
            yield DriftedDevice(name, "not collected")
            continue
        changed = _changed(key, files, now)
        if changed:
            progress = find_progress(chains[key], files, (), now.meanings) if key in chains else None
            done = isinstance(progress, Progress) and progress.done == len(progress.devices)
            if not done and _is_of_another(name, files, now, bag):
                continue
            yield DriftedDevice(name, "done" if done else "changed", changed)


def _is_of_another(name: str, files: dict[str, Fresh], now: _Now, bag: Bag) -> bool:
    """Report the files of a device that name another one of the rollout, and return whether there are any."""
    names = {key.split("/", 1)[1] for key in now.files} - {name}
    found = {path: _name_in(fresh) for path, fresh in files.items()}
    others = {path: other for path, other in found.items() if other in names}
    for path, other in others.items():
        bag.add(OTHER_DEVICE, f"{name}: {path}: it is the configuration of {other}", device=name)
    return bool(others)


def _name_in(fresh: Fresh) -> str:
    """Return the name that a file gives its device; empty if it gives none, or cannot be read."""
    tree = read_tree(fresh.data, fresh.kind) if fresh.data else None
    return fresh.kind.hostname(tree).split(".")[0] if tree is not None else ""


def _changed(key: str, files: dict[str, Fresh], now: _Now) -> tuple[str, ...]:
    known = now.bundle.deployed.get(key, {})
    fits = {path: fit_digest(known.get(path), fresh, now.meanings) for path, fresh in files.items()}
    return tuple(path for path, fit in fits.items() if fit is not Fit.yes)


def _find_all_progress(now: _Now, bag: Bag) -> dict[str, Progress]:
    """Return how far each device is; diagnostics for those in no planned state."""
    found: dict[str, Progress] = {}
    chains = chain_devices(now.bundle.rollout)
    missing = [key.split("/", 1)[1] for key, files in now.files.items() if files is None]
    if missing:
        verb = "was" if len(missing) == 1 else "were"
        bag.add(NOT_COLLECTED, f"{list_names(missing)} {verb} not collected")
    for key, files in now.files.items():
        if files is None:
            continue
        progress = _find_progress(key, files, chains.get(key, ()), now, bag)
        if progress is not None:
            found[key] = progress
    return found


def _find_progress(
    key: str, files: dict[str, Fresh], chain: Sequence[PlannedDevice], now: _Now, bag: Bag
) -> Progress | None:
    """Return how far a device is; None with diagnostics if it is in no planned state, or changes nowhere."""
    name, planned, known = key.split("/", 1)[1], paths_of(chain), now.bundle.deployed.get(key, {})
    fits = {path: fit_digest(known.get(path), files[path], now.meanings) for path in files if path not in planned}
    # Only a device that the rollout changes is drained by it.
    others = [path for path, fit in fits.items() if fit is Fit.no or (fit is Fit.drained and not planned)]
    progress = find_progress(chain, files, list(fits.values()), now.meanings) if chain else None
    if (others or isinstance(progress, Stop)) and _is_of_another(name, files, now, bag):
        return None
    if others:
        bag.add(NEITHER_STATE, f"{name}: {', '.join(others)}: changed, and not by the rollout", device=name)
    if isinstance(progress, Stop):
        bag.add(NEITHER_STATE, f"{name}: {progress.reason}", device=name, hint=progress.hint)
        return None
    return progress


def _digest_now(now: _Now) -> dict[str, dict[str, Digest]]:
    """Return digests of what is deployed now; what has not changed keeps its own."""
    return {
        key: {
            path: _digest(now.bundle.deployed.get(key, {}).get(path), fresh, now.meanings)
            for path, fresh in (files or {}).items()
            if fresh.data is not None
        }
        for key, files in now.files.items()
    }


def _digest(known: Digest | None, fresh: Fresh, meanings: Meanings) -> Digest:
    sha256 = digest_bytes(fresh.data or b"")
    if known is not None and known.sha256 == sha256:
        return known
    kept = known.kept if known is not None else ()
    return Digest(sha256, meanings.digest_file(fresh.data or b"", fresh.kind, kept=kept), kept)
