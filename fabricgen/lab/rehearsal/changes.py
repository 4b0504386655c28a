"""Changes of a wave as the lab carries them out: the device before and after, and the commands for its daemons."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.tree_changes import compare_trees
from fabricgen.lab.model.blueprint import Blueprint, Interface, Node
from fabricgen.lab.model.configuration import adapt_routing, stand_in_secrets
from fabricgen.lab.model.routing_suite import CONFIG_NAME, CONFIG_PATH
from fabricgen.platforms.families.vtysh.patch import list_commands
from fabricgen.platforms.patching.steps import Phase, Situation
from fabricgen.rollout.bundle import PlannedDevice
from fabricgen.rollout.opening import Bundle

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

    before: Node
    after: Node
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
        return self.disruption != "hitless"


@dataclass(frozen=True, slots=True)
class Intended:
    """The intended fabric, as far as the lab has cables for it.

    Attributes:
        nodes: Devices by name.
    """

    nodes: dict[str, Node]

    def after(self, now: Node, device: PlannedDevice, bundle: Bundle, *, last: bool) -> Node:
        """Return a device as a wave leaves it.

        Args:
            now: The device as it runs.
            device: Its change.
            bundle: The bundle.
            last: No later wave changes it again; otherwise only its routing is taken from the bundle.
        """
        if last:
            return _with_cables(self.nodes[now.name], now)
        text = _file_of(device, bundle, CONFIG_NAME)
        return replace(now, config=adapt_routing(text).text) if text and not now.equivalent else now


def plan_change(now: Node, after: Node, device: PlannedDevice, bundle: Bundle) -> LabChange:
    """Return what a wave does to a device of the lab.

    Args:
        now: The device as it runs.
        after: The device as the wave leaves it.
        device: Its change.
        bundle: The bundle.
    """
    text = "" if now.equivalent else _file_of(device, bundle, f"{CONFIG_NAME}.commands")
    own = bool(text)
    commands = stand_in_secrets(text) if own else _work_out(now.config, after.config)
    drains = bool(now.config) and any(step.phase == Phase.drain.value for step in device.steps)
    return LabChange(now, after, device.disruption, commands, tuple(_clears(device)), own, drains)


def mix(blueprint: Blueprint, nodes: dict[str, Node]) -> Blueprint:
    """Return a lab with some of its devices exchanged for what they have become."""
    return replace(blueprint, nodes=tuple(nodes.get(node.name, node) for node in blueprint.nodes))


def _with_cables(intended: Node, now: Node) -> Node:
    """Return an intended device with the cables that the lab has: those of the deployed one with the same other end."""
    there = {(end.name, end.peer, end.peer_interface) for end in now.interfaces}
    return replace(intended, interfaces=tuple(end for end in intended.interfaces if _key(end) in there))


def _key(end: Interface) -> tuple[str, str, str]:
    return end.name, end.peer, end.peer_interface


def list_unplugged(blueprint: Blueprint, intended: Blueprint) -> Iterator[str]:
    """Yield the cables of the intended fabric that the lab lacks, as ``device interface``."""
    there = {node.name: {_key(end) for end in node.interfaces} for node in blueprint.nodes}
    for node in intended.nodes:
        for end in node.interfaces:
            if node.name in there and end.peer in there and _key(end) not in there[node.name]:
                yield f"{node.name} {end.name}"


def _file_of(device: PlannedDevice, bundle: Bundle, name: str) -> str:
    """Return the file of the steps that is called so, whatever number is in front; empty if there is none."""
    for step in device.steps:
        if step.file.rpartition("/")[2].partition("-")[2] == name:
            return (bundle.read(f"{device.folder}/{step.file}") or b"").decode(errors="replace")
    return ""


def _clears(device: PlannedDevice) -> Iterator[str]:
    """Yield the commands of the steps that reset sessions."""
    for step in device.steps:
        words = shlex.split(step.command) if _CLEAR in step.command else []
        yield from dict.fromkeys(word for word in words if word.startswith(_CLEAR))


def _work_out(before: str, after: str) -> str:
    """Return the commands that lead a running daemon from one configuration to another."""
    if before == after or not before or not after:
        return ""
    kind = load_kinds(None, Bag()).of_device("switches", [CONFIG_PATH])[CONFIG_PATH]
    have, wanted = kind.read(before), kind.read(after)
    changes = compare_trees(have, wanted, kind.semantics).changes
    lines = list_commands(Situation(CONFIG_PATH, changes, have, wanted, before, after, kind.semantics))
    return "".join(f"{line}\n" for line in lines)
