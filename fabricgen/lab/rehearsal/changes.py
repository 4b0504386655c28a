"""Changes of a wave as the lab carries them out: the device before and after, and the commands for its daemons."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import FileKind, load_kinds
from fabricgen.diff.tree_changes import compare_trees
from fabricgen.lab.model.blueprint import Blueprint, Interface, LabNode
from fabricgen.lab.model.configuration import adapt_commands
from fabricgen.lab.model.routing_suite import CONFIG_NAME, CONFIG_PATH
from fabricgen.platforms.families.vtysh.patch import list_commands
from fabricgen.platforms.patching.rollout import is_drained
from fabricgen.platforms.patching.steps import Situation
from fabricgen.rollout.bundle import PATCHES, PlannedDevice, PlannedWave
from fabricgen.rollout.stored_bundle import Bundle

APPLIED = ("etc/netplan/", "etc/sysctl.d/")
"""Folders of files of hosts that a lab applies, beside their routing configuration."""
_CLEAR = "clear bgp "


class LabChange(NamedTuple):
    """A change of one device.

    Attributes:
        commands: Lines for the running daemons, as ``vtysh -f`` takes them; empty if nothing of routing changes.
        clears: Commands that reset sessions afterwards, because what changed is negotiated when a session starts.
        own: The lines are the bundle's; otherwise they are worked out from both configurations, in the same way.
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


def list_changes(
    bundle: Bundle, legs: Sequence[Mapping[str, LabNode]], wave: PlannedWave, blueprint: Blueprint
) -> list[LabChange]:
    """Return what a wave changes of the lab as it is; devices by the plans that the rollout leads over."""
    here = {node.name: node for node in blueprint.nodes}
    planned = legs[bundle.rollout.phases[wave.phase].leg]
    pairs = ((device, here.get(device.name), planned.get(device.name)) for device in wave.devices)
    return [
        plan_change(now, _with_cables(after, now), device, bundle)
        for device, now, after in pairs
        if now is not None and after is not None
    ]


def plan_change(now: LabNode, after: LabNode, device: PlannedDevice, bundle: Bundle) -> LabChange:
    """Return what a wave does to a device of the lab, from as it runs to as the wave leaves it."""
    text = "" if now.equivalent else _file_of(device, bundle, f"{CONFIG_NAME}.commands")
    own = bool(text)
    commands = adapt_commands(text) if own else work_out(now.config, after.config)
    drains = bool(now.config) and bundle.rollout.procedure_of(device).drains
    return LabChange(now, after, device.disruption, commands, tuple(_clears(device, bundle)), own, drains)


def work_out(before: str, after: str) -> str:
    """Return the commands that lead a running daemon from one configuration to another."""
    if before == after or not before or not after:
        return ""
    kind = _routing_kind()
    have, wanted = kind.read(before), kind.read(after)
    changes = compare_trees(have, wanted, kind.semantics).changes
    situation = Situation(CONFIG_PATH, changes, have, wanted, before, after, kind.semantics)
    return "".join(f"{line}\n" for line in list_commands(situation))


@cache
def _routing_kind() -> FileKind:
    return load_kinds(None, Bag()).of_device("switches", [CONFIG_PATH])[CONFIG_PATH]


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
    """Return the paths of files of hosts that a wave changes and a lab does not have."""
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
