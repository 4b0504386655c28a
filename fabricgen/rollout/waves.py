"""Waves of changes: which devices go out together, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from fabricgen.diagnostics import Bag
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.platforms.patching.rollout import is_drained
from fabricgen.rollout.model import Change, Wave, WaveKind, WavePlan


def plan_waves(plan: FabricPlan, changes: Sequence[Change], bag: Bag) -> WavePlan | None:
    """Return the waves in which changes go: one device after the other."""
    del plan, bag
    ordered = sorted(changes, key=lambda change: change.is_host)
    waves = tuple(Wave(number, _kind(change), (change.device,)) for number, change in enumerate(ordered))
    return WavePlan(waves, len(waves), "one device at a time", Fraction(1))


def _kind(change: Change) -> WaveKind:
    if change.is_host:
        return WaveKind.hosts
    return WaveKind.drain if is_drained(change.disruption) else WaveKind.hitless
