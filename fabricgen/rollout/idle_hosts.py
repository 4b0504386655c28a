"""Hosts that may run no job during a wave."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.platforms.patching.rollout import is_drained
from fabricgen.rollout.bundle import PlannedWave


def list_idle_hosts(wave: PlannedWave) -> tuple[str, ...]:
    """Return the hosts that may run no job during a wave: those behind its switches, and those that it disturbs."""
    disturbed = [device.name for device in wave.devices if device.kind == "hosts" and is_drained(device.disruption)]
    return tuple(dict.fromkeys([*wave.hosts, *disturbed]))


def list_returned(wave: PlannedWave, waves: Sequence[PlannedWave]) -> tuple[str, ...]:
    """Return the hosts that get jobs again after a wave: those that the wave behind it does not need as well."""
    following = next((each for each in waves if each.number == wave.number + 1), None)
    kept = frozenset(list_idle_hosts(following)) if following is not None else frozenset[str]()
    return tuple(name for name in list_idle_hosts(wave) if name not in kept)
