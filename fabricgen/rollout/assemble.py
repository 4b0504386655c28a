"""From phases to a rollout: waves numbered through, steps as data, digests over devices, addresses wave by wave."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from fabricgen.diff.patches import name_files
from fabricgen.platforms.patching.steps import Step, worst
from fabricgen.rollout.bundle import (
    FORMAT,
    Digest,
    Origin,
    PlannedCheck,
    PlannedDevice,
    PlannedFailure,
    PlannedPhase,
    PlannedStep,
    PlannedWave,
    Rollout,
    StrandedPrefixes,
)
from fabricgen.rollout.model import Wave
from fabricgen.rollout.phases import DeviceChange, Phase

_LOOK = "look: "
_PLACES = 6
"""Decimal places of a part of the bandwidth."""


class Subject(NamedTuple):
    """The fabric that a rollout changes, and the sides that it was planned from."""

    fabric: str
    intent: str
    intended: Origin
    deployed: Origin
    summary: tuple[str, ...] = ()


def assemble(subject: Subject, phases: Sequence[Phase]) -> Rollout:
    """Return the rollout of some phases.

    Args:
        subject: The fabric and the sides.
        phases: At least one, in their order.
    """
    planned, waves = _plan_phases(phases)
    stranded = dict.fromkeys(StrandedPrefixes(*each) for phase in phases for each in phase.waves.stranded)
    disruptions = [device.disruption for wave in waves for device in wave.devices]
    return Rollout(
        format=FORMAT,
        fabric=subject.fabric,
        intent=subject.intent,
        intended=subject.intended,
        deployed=subject.deployed,
        floor=_part(min(phase.waves.floor for phase in phases)),
        disruption=worst(disruptions),
        phases=tuple(planned),
        waves=tuple(waves),
        stranded=tuple(stranded),
        summary=subject.summary,
    )


def _plan_phases(phases: Sequence[Phase]) -> tuple[list[PlannedPhase], list[PlannedWave]]:
    """Return the phases and their waves; a device is reached at its new address behind the wave that moves it."""
    planned: list[PlannedPhase] = []
    waves: list[PlannedWave] = []
    moves = (change for phase in phases for change in phase.changes.values() if change.moves_to)
    addresses = {change.name: change.address for change in moves}
    for number, phase in enumerate(phases):
        plan = phase.waves
        planned.append(PlannedPhase(number, phase.title, phase.reason))
        for wave in plan.waves:
            waves.append(_plan_wave(wave, len(waves), number, phase, addresses))
            addresses |= {device.name: device.moves_to for device in waves[-1].devices if device.moves_to}
    return planned, waves


def _plan_wave(wave: Wave, number: int, phase: int, source: Phase, addresses: Mapping[str, str]) -> PlannedWave:
    folder = f"waves/{number:02d}-{wave.kind.value}{_suffix(wave.scope)}"
    changes = [source.changes[name] for name in wave.devices]
    devices = [_plan_device(change, f"{folder}/{change.name}", addresses) for change in changes]
    return PlannedWave(
        number,
        phase,
        wave.kind.value,
        wave.scope,
        _part(wave.bandwidth),
        tuple(wave.kept),
        tuple(wave.hosts),
        folder,
        tuple(devices),
        _part(wave.n_minus_1.share),
        PlannedFailure(wave.n_minus_1.switch, wave.n_minus_1.kept),
    )


def _plan_device(change: DeviceChange, folder: str, addresses: Mapping[str, str]) -> PlannedDevice:
    patch, files = change.patch, change.files
    return PlannedDevice(
        name=change.name,
        kind=change.kind,
        tier=change.tier,
        plane=change.plane,
        platform=change.platform,
        disruption=patch.disruption,
        folder=folder,
        before=digest_files((file.path, file.before) for file in files),
        after=digest_files((file.path, file.after) for file in files),
        files=files,
        steps=plan_steps(patch.apply, "apply"),
        rollback=plan_steps(patch.rollback, "rollback"),
        undo=plan_steps(patch.undo, "undo"),
        checks=tuple(_read_at(check, addresses) for check in change.checks),
        address=addresses.get(change.name, change.address),
        login=", ".join(change.cuts),
        moves_to=change.moves_to,
    )


def _read_at(check: PlannedCheck, addresses: Mapping[str, str]) -> PlannedCheck:
    """Return a check with the addresses that its neighbors have by then."""
    places = (place._replace(address=addresses.get(place.device, place.address)) for place in check.at)
    return check._replace(at=tuple(places)) if check.at else check


def plan_steps(steps: Sequence[Step], folder: str) -> tuple[PlannedStep, ...]:
    """Return steps as data, with the files of ``layout_patch`` in the same folder."""
    names = name_files(steps)
    return tuple(_plan_step(step, names.get((step.file, step.content), ""), folder) for step in steps)


def _plan_step(step: Step, name: str, folder: str) -> PlannedStep:
    reason = step.reason.replace("{file}", name)
    expected = reason.removeprefix(_LOOK) if reason.startswith(_LOOK) else ""
    return PlannedStep(
        phase=step.phase.value,
        action="note" if not step.command else "look" if expected else "run",
        command=step.command.replace("{file}", name),
        file=f"{folder}/{name}" if name else "",
        disruption=step.disruption,
        reason="" if expected else reason,
        expected=expected,
        seconds=round(step.seconds, 1),
        trial=step.trial,
    )


def digest_files(files: Iterable[tuple[str, Digest | None]]) -> str:
    """Return one digest over files: SHA-256 of lines as ``sha256sum`` writes them, sorted by path."""
    lines = sorted((path, digest.sha256) for path, digest in files if digest is not None)
    return hashlib.sha256("".join(f"{sha256}  {path}\n" for path, sha256 in lines).encode()).hexdigest()


def _suffix(scope: str) -> str:
    """Return a scope as the end of a folder's name."""
    word = "".join(sign if sign.isalnum() else "-" for sign in scope.lower())
    word = "-".join(filter(None, word.split("-")))
    return f"-{word}" if word else ""


def _part(value: Fraction) -> float:
    """Return a part of the bandwidth as a decimal that is no larger."""
    scale = 10**_PLACES
    return float(Fraction(value.numerator * scale // value.denominator, scale))
