"""Failures that are caused in a lab and undone: what fails, for whom, and how."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from fabricgen.lab.lifecycle.boot import start_daemons
from fabricgen.lab.lifecycle.kernel import find_processes, run_ip, wait_for
from fabricgen.lab.model.blueprint import Blueprint, Interface, LabNode
from fabricgen.lab.verify.observe import routes_differ
from fabricgen.lab.verify.predict import FailedParts, predict
from fabricgen.lab.verify.reach import Endpoint

PATIENCE_S = 60.0
"""After which forwarding that is not as predicted is taken for wrong."""


@dataclass(frozen=True, slots=True)
class InjectedFault:
    """A failure that can be made and undone.

    Attributes:
        name: Name of the drill.
        victim: What fails, in words.
        failures: The same for the prediction.
        pairs: NICs whose packets meet it.
        make: Makes it.
        undo: Undoes it; also after a drill that was interrupted.
        detection_s: Planned detection time of the neighbours; 0 where they are notified.
        lossless: No packet may be lost.
        note: What the drill does not prove.
    """

    name: str
    victim: str
    failures: FailedParts
    pairs: Sequence[tuple[Endpoint, Endpoint]]
    make: Callable[[], object]
    undo: Callable[[], object]
    detection_s: float
    lossless: bool = False
    note: str = ""


def cut_cable(
    name: str, blueprint: Blueprint, node: LabNode, end: Interface, pairs: Sequence[tuple[Endpoint, Endpoint]]
) -> InjectedFault:
    """A cable carries nothing any more, and both of its ends see that."""
    namespace = blueprint.namespace(node.name)
    return InjectedFault(
        name=name,
        victim=f"{node.name} {end.name} to {end.peer} {end.peer_interface}",
        failures=FailedParts(links=frozenset({(node.name, end.name)})),
        pairs=pairs,
        make=lambda: run_ip([f"link set {end.name} down"], namespace),
        undo=lambda: run_ip([f"link set {end.name} up"], namespace),
        detection_s=0,
    )


def kill_switch(
    name: str, blueprint: Blueprint, switch: LabNode, pairs: Sequence[tuple[Endpoint, Endpoint]], *, note: str = ""
) -> InjectedFault:
    """All processes die and all links lose their carrier at once."""
    namespace = blueprint.namespace(switch.name)

    def make() -> None:
        run_ip((f"link set {end.name} down" for end in switch.interfaces), namespace)
        for pid in find_processes([namespace]).get(namespace, []):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def undo() -> None:
        tracked = [end for end in switch.interfaces if end.announces]
        others = [end for end in switch.interfaces if not end.announces]
        run_ip((f"link set {end.name} up" for end in others), namespace)
        if not find_processes([namespace]):
            start_daemons(blueprint, switch)
        if tracked:
            _wait_for_uplinks(blueprint, switch, tracked)
            run_ip((f"link set {end.name} up" for end in tracked), namespace)

    return InjectedFault(
        name=name,
        victim=switch.name,
        failures=FailedParts(nodes=frozenset({switch.name})),
        pairs=pairs,
        make=make,
        undo=undo,
        detection_s=0,
        note=note,
    )


def _wait_for_uplinks(blueprint: Blueprint, leaf: LabNode, tracked: Sequence[Interface]) -> None:
    """Hold a leaf's ports to bonded hosts down until it forwards, as link tracking does on the device."""
    lost = FailedParts(links=frozenset((leaf.name, end.name) for end in tracked))
    prediction = predict(blueprint, lost)
    wait_for(lambda: not routes_differ(blueprint, prediction, [leaf]), PATIENCE_S, 0.05)
