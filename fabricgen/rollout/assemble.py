"""From phases to a rollout: waves numbered through, steps as data, digests over devices, addresses wave by wave."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from fabricgen.diff.patches import DevicePatch, name_files
from fabricgen.platforms.patching.steps import worst
from fabricgen.rollout.bundle import (
    FORMAT,
    Digest,
    PlannedDevice,
    PlannedFailure,
    PlannedNeighbor,
    PlannedPhase,
    PlannedSide,
    PlannedWave,
    RolloutPlan,
)
from fabricgen.rollout.model import Wave
from fabricgen.rollout.phases import DeviceChange, RolloutPhase
from fabricgen.rollout.procedures import Use, parts_of, plan_procedures

_PLACES = 6
"""Decimal places of a part of the bandwidth."""


class Subject(NamedTuple):
    """The fabric that a rollout changes, and the sides that it was planned from."""

    fabric: str
    intent: str
    intended: PlannedSide
    deployed: PlannedSide
    summary: tuple[str, ...] = ()


def assemble(subject: Subject, phases: Sequence[RolloutPhase]) -> RolloutPlan:
    """Return the rollout of some phases, at least one, in their order."""
    placed = [(wave, number, phase.changes) for number, phase in enumerate(phases) for wave in phase.waves.waves]
    changes = [known[name] for wave, _, known in placed for name in wave.devices]
    patches = _name_patches(changes)
    procedures, uses = plan_procedures(changes, patches)
    planned = [PlannedPhase(number, each.title, each.reason, each.leg) for number, each in enumerate(phases)]
    limits = phases[-1].waves.limits
    stranded = dict.fromkeys(each for phase in phases for each in phase.waves.stranded)
    return RolloutPlan(
        format=FORMAT,
        fabric=subject.fabric,
        intent=subject.intent,
        intended=subject.intended,
        deployed=subject.deployed,
        floor=_part(min(phase.waves.limits.floor for phase in phases)),
        disruption=worst([change.patch.disruption for change in changes]),
        phases=tuple(planned),
        procedures=procedures,
        waves=tuple(_plan_waves(placed, uses, patches, limits.max_failures)),
        soak_seconds=limits.soak_seconds,
        gate=limits.gate,
        stranded=tuple(stranded),
        neighbors=tuple(_list_neighbors(changes).values()),
        summary=subject.summary,
    )


def _plan_waves(
    placed: Sequence[tuple[Wave, int, Mapping[str, DeviceChange]]],
    uses: Sequence[Use],
    patches: Sequence[str],
    max_failures: int,
) -> Iterator[PlannedWave]:
    """Yield the waves; a device is reached at its new address behind the wave that moves it.

    Each is placed with the number of its phase and the changes of that; ``uses`` and ``patches`` are procedures of the
    devices and names of their patches, wave by wave. ``max_failures`` is for the last phase.
    """
    all_changes = [known[name] for wave, _, known in placed for name in wave.devices]
    addresses = {change.name: change.address for change in all_changes if change.moves_to}
    rest = zip(uses, patches, strict=True)
    for number, (wave, phase, known) in enumerate(placed):
        devices = [_plan_device(known[name], number, *next(rest), addresses) for name in wave.devices]
        addresses |= {device.name: device.moves_to for device in devices if device.moves_to}
        yield PlannedWave(
            number,
            phase,
            wave.kind.value,
            wave.scope,
            _part(wave.bandwidth),
            tuple(wave.kept),
            tuple(wave.hosts),
            tuple(devices),
            _part(wave.n_minus_1.share),
            PlannedFailure(wave.n_minus_1.switch, wave.n_minus_1.kept),
            # The next phase rests on all devices of this one.
            max_failures if phase == placed[-1][1] else 0,
        )


def _name_patches(changes: Sequence[DeviceChange]) -> list[str]:
    """Return the name of each change's patch: that of its steps, and a number where framing makes other files."""
    known: dict[str, list[dict[str, bytes]]] = {}
    names = []
    for change in changes:
        files = list_files(change.patch)
        alike = known.setdefault(change.patch.tag, [])
        if files not in alike:
            alike.append(files)
        number = alike.index(files)
        names.append((f"{change.patch.tag}-{number + 1}" if number else change.patch.tag) if files else "")
    return names


def list_files(patch: DevicePatch) -> dict[str, bytes]:
    """Return the files of a patch by their path in it."""
    return {
        f"{folder}/{name}": content.encode()
        for folder, steps in parts_of(patch)
        for (_, content), name in name_files(steps).items()
    }


def _list_neighbors(changes: Sequence[DeviceChange]) -> dict[str, PlannedNeighbor]:
    """Return the devices that are asked about others, by name."""
    former = {change.name: change.address for change in reversed(changes) if change.moves_to}
    places = (place for change in changes for check in change.checks for place in check.at)
    return {at.device: PlannedNeighbor(at.device, at.platform, former.get(at.device, at.address)) for at in places}


def _plan_device(change: DeviceChange, wave: int, use: Use, patch: str, addresses: Mapping[str, str]) -> PlannedDevice:
    return PlannedDevice(
        name=change.name,
        wave=wave,
        kind=change.kind,
        tier=change.tier,
        plane=change.plane,
        platform=change.platform,
        disruption=change.patch.disruption,
        procedure=use.procedure,
        patch=patch,
        before=digest_files((file.path, file.before) for file in change.files),
        after=digest_files((file.path, file.after) for file in change.files),
        files=change.files,
        values=use.values,
        address=addresses.get(change.name, change.address),
        login=", ".join(change.cuts),
        moves_to=change.moves_to,
    )


def digest_files(files: Iterable[tuple[str, Digest | None]]) -> str:
    """Return one digest over files: SHA-256 of lines as ``sha256sum`` writes them, sorted by path."""
    lines = sorted((path, digest.sha256) for path, digest in files if digest is not None)
    return hashlib.sha256("".join(f"{sha256}  {path}\n" for path, sha256 in lines).encode()).hexdigest()


def _part(value: Fraction) -> float:
    """Return a part of the bandwidth as a decimal that is no larger."""
    scale = 10**_PLACES
    return float(Fraction(value.numerator * scale // value.denominator, scale))
