"""Stages of a wave, each with the forwarding that is predicted once the kernels have settled."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.rehearsal.changes import LabChange, mix
from fabricgen.lab.verify.predict import FailedParts, Prediction, predict


class RehearsalStage(StrEnum):
    """Stages in the order in which a wave goes through them; one that a wave does not need is left out."""

    drain = "drain"
    out = "out"
    change = "change"
    undrain = "undrain"


class ExpectedStage(NamedTuple):
    """A stage of a wave, and the predicted time until traffic has moved."""

    stage: RehearsalStage
    expected: Prediction
    moves_s: float = 0.0


class Course(NamedTuple):
    """A wave in one lab; ``whole`` is the forwarding before it, ``service`` that with earlier drains undone."""

    number: int
    changes: tuple[LabChange, ...]
    before: Blueprint
    after: Blueprint
    whole: Prediction
    service: Prediction
    stages: tuple[ExpectedStage, ...]
    drains: bool

    def lab_at(self, stage: RehearsalStage) -> Blueprint:
        """Return the lab as it is during a stage."""
        return self.before if stage in (RehearsalStage.drain, RehearsalStage.out) else self.after

    @property
    def leaving(self) -> list[LabChange]:
        """Return the changes that take a device out of service."""
        return [change for change in self.changes if change.leaves]

    def drained(self) -> list[LabChange]:
        """Return the changes whose device is drained first."""
        return [change for change in self.changes if self.drains and change.drains]

    def returning(self) -> list[LabChange]:
        """Return those that end their drain: no drain is saved over a reboot, and a plan may keep one."""
        return [each for each in self.drained() if each.disruption != "reboot" and each.after.state != "drained"]


def plan_course(
    number: int,
    blueprint: Blueprint,
    changes: Sequence[LabChange],
    moves_s: float,
    *,
    drains: bool,
    restored: frozenset[str] = frozenset(),
) -> Course:
    """Return the course of a wave.

    ``moves_s`` is the predicted time until traffic has moved around a device that goes out undrained, ``restored`` are
    devices that an earlier wave has drained and a later one returns.
    """
    after = mix(blueprint, {change.name: change.after for change in changes})
    whole = predict(blueprint)
    service = predict(blueprint, FailedParts(restored=restored)) if restored else whole
    course = Course(number, tuple(changes), blueprint, after, whole, service, (), drains)
    drained = frozenset(change.name for change in course.drained())
    kept = frozenset(change.name for change in course.returning())
    out = frozenset(change.name for change in changes if change.leaves)
    stages = []
    if drained:
        stages.append(ExpectedStage(RehearsalStage.drain, predict(blueprint, FailedParts(drained=drained))))
    if out:
        failures = FailedParts(nodes=out, drained=drained - out)
        stages.append(ExpectedStage(RehearsalStage.out, predict(blueprint, failures), moves_s))
    stages.append(ExpectedStage(RehearsalStage.change, predict(after, FailedParts(drained=kept))))
    if kept:
        stages.append(ExpectedStage(RehearsalStage.undrain, predict(after)))
    return course._replace(stages=tuple(stages))
