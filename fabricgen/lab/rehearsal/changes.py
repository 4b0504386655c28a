"""Changes of a wave as the lab carries them out: the device before and after, and the commands for its daemons."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from fabricgen.lab.model.blueprint import Blueprint, Interface, LabNode
from fabricgen.lab.model.configuration import adapt_commands, adapt_routing
from fabricgen.lab.model.routing_suite import CONFIG_NAME
from fabricgen.lab.rehearsal.equivalent import find_halfway, work_out
from fabricgen.lab.rehearsal.halfway import Halfway, InterimState, MakeFilter
from fabricgen.platforms.patching.rollout import is_drained
from fabricgen.rollout.bundle import PATCHES, PlannedDevice, PlannedWave
from fabricgen.rollout.stored_bundle import Bundle

APPLIED = ("etc/netplan/", "etc/sysctl.d/")
"""Folders of files of hosts that a lab applies, beside their routing configuration."""
_CLEAR = "clear bgp "


class LabChange(NamedTuple):
    """A change of one device.

    Attributes:
        before: The device as it runs.
        after: The same once it is changed.
        disruption: The greatest of its steps.
        commands: Lines for the running daemons, as ``vtysh -f`` takes them; empty if nothing of routing changes.
        clears: Commands that reset sessions afterwards, because what changed is negotiated when a session starts.
        own: The lines are the bundle's; otherwise they are worked out from both configurations, in the same way.
        drains: Its steps drain it first.
    """

    before: LabNode
    after: LabNode
    disruption: str
    commands: str
    clears: tuple[str, ...]
    own: bool
    drains: bool

    @property
    def name(self) -> str:
        """Name of the device."""
        return self.before.name

    @property
    def leaves(self) -> bool:
        """Return whether it is out of service for a while."""
        return is_drained(self.disruption)


@dataclass(frozen=True, slots=True)
class RehearsedFabrics:
    """Both fabrics, as far as the lab has cables for them, and what is between them.

    Attributes:
        deployed: Devices by name, as the lab had them before the first wave.
        intended: Devices by name.
        states: What devices are in between two waves that change them, by the key of their change.
        filters: What makes the packet filter of a switch, by platform.
    """

    deployed: Mapping[str, LabNode]
    intended: Mapping[str, LabNode]
    states: Mapping[str, InterimState] = field(default_factory=dict)
    filters: Mapping[str, MakeFilter] = field(default_factory=dict)

    def after(self, now: LabNode, device: PlannedDevice, bundle: Bundle, *, last: bool) -> LabNode:
        """Return a device as a wave leaves it.

        Args:
            now: The device as it runs.
            device: Its change.
            bundle: The bundle.
            last: No later wave changes it again.
        """
        intended = _with_cables(self.intended[now.name], now)
        if last:
            return intended
        state = self.states.get(device.key)
        if now.equivalent:
            config = now.config
            if state is not None and config:
                config = find_halfway(self.deployed[now.name].config, intended.config, state.stage)
        else:
            text = _file_of(device, bundle, CONFIG_NAME)
            config = adapt_routing(text).text if text else now.config
        if state is None:
            return replace(now, config=config)
        found = Halfway(self.deployed[now.name], intended, state)
        return found.node(config, self.filters.get(device.platform))


class WaveChanges:
    """Changes of a rollout in a lab, asked for one wave after the other."""

    def __init__(self, bundle: Bundle, sides: RehearsedFabrics) -> None:
        """Count how often each device is changed.

        Args:
            bundle: The rollout.
            sides: Both fabrics.
        """
        self._bundle, self._sides = bundle, sides
        self._left = Counter(device.name for device in bundle.rollout.devices)

    def of(self, wave: PlannedWave, blueprint: Blueprint) -> list[LabChange]:
        """Return what a wave changes of the lab.

        Args:
            wave: The next one.
            blueprint: The lab as it is.
        """
        found = []
        here = {node.name: node for node in blueprint.nodes}
        for device in wave.devices:
            self._left[device.name] -= 1
            now = here.get(device.name)
            if now is not None and now.name in self._sides.intended:
                after = self._sides.after(now, device, self._bundle, last=not self._left[device.name])
                found.append(plan_change(now, after, device, self._bundle))
        return found


def plan_change(now: LabNode, after: LabNode, device: PlannedDevice, bundle: Bundle) -> LabChange:
    """Return what a wave does to a device of the lab.

    Args:
        now: The device as it runs.
        after: The device as the wave leaves it.
        device: Its change.
        bundle: The bundle.
    """
    text = "" if now.equivalent else _file_of(device, bundle, f"{CONFIG_NAME}.commands")
    own = bool(text)
    commands = adapt_commands(text) if own else work_out(now.config, after.config)
    drains = bool(now.config) and bundle.rollout.procedure_of(device).drains
    return LabChange(now, after, device.disruption, commands, tuple(_clears(device, bundle)), own, drains)


def mix(blueprint: Blueprint, nodes: dict[str, LabNode]) -> Blueprint:
    """Return a lab with some of its devices exchanged for what they have become."""
    return replace(blueprint, nodes=tuple(nodes.get(node.name, node) for node in blueprint.nodes))


def _with_cables(intended: LabNode, now: LabNode) -> LabNode:
    """Return an intended device with the cables that the lab has: those of the deployed one with the same other end."""
    there = {(end.name, end.peer, end.peer_interface) for end in now.interfaces}
    return replace(intended, interfaces=tuple(end for end in intended.interfaces if _key(end) in there))


def _key(end: Interface) -> tuple[str, str, str]:
    return end.name, end.peer, end.peer_interface


def list_without_effect(wave: PlannedWave) -> list[str]:
    """Return the paths of files of hosts that a wave changes and a lab does not have.

    Args:
        wave: As the bundle has it.
    """
    paths = {file.path for device in wave.devices if device.kind == "hosts" for file in device.files}
    return sorted(path for path in paths if not path.startswith(APPLIED) and path.rpartition("/")[2] != CONFIG_NAME)


def list_unplugged(blueprint: Blueprint, intended: Blueprint) -> Iterator[str]:
    """Yield the cables of the intended fabric that the lab lacks, as ``device interface``."""
    there = {node.name: {_key(end) for end in node.interfaces} for node in blueprint.nodes}
    for node in intended.nodes:
        for end in node.interfaces:
            if node.name in there and end.peer in there and _key(end) not in there[node.name]:
                yield f"{node.name} {end.name}"


def _file_of(device: PlannedDevice, bundle: Bundle, name: str) -> str:
    """Return the file of the steps that is called so, whatever number is in front; empty if there is none."""
    for step in bundle.rollout.procedure_of(device).steps:
        if step.file.rpartition("/")[2].partition("-")[2] == name:
            return (bundle.read(f"{PATCHES}/{device.patch}/{step.file}") or b"").decode(errors="replace")
    return ""


def _clears(device: PlannedDevice, bundle: Bundle) -> Iterator[str]:
    """Yield the commands of the steps that reset sessions."""
    for step in bundle.rollout.procedure_of(device).steps:
        words = shlex.split(step.command) if _CLEAR in step.command else []
        yield from dict.fromkeys(word for word in words if word.startswith(_CLEAR))
