"""Hosts that may run no job during a wave."""

from __future__ import annotations

from fabricgen.platforms.patching.rollout import is_drained
from fabricgen.rollout.bundle import PlannedWave


def list_idle_hosts(wave: PlannedWave) -> tuple[str, ...]:
    """Return the hosts that may run no job during a wave: those behind its switches, and those that it disturbs."""
    disturbed = [device.name for device in wave.devices if device.kind == "hosts" and is_drained(device.disruption)]
    return tuple(dict.fromkeys([*wave.hosts, *disturbed]))
