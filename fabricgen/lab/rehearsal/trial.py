"""One wave in a running lab, with probes between hosts from before its first step until after its last."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import NamedTuple

from fabricgen.lab.lifecycle.boot import WORKERS
from fabricgen.lab.lifecycle.kernel import inside, read_forwarded
from fabricgen.lab.model.blueprint import Blueprint
from fabricgen.lab.rehearsal import devices
from fabricgen.lab.rehearsal.bandwidth import Tables
from fabricgen.lab.rehearsal.changes import LabChange
from fabricgen.lab.rehearsal.crossing import Pair
from fabricgen.lab.rehearsal.stages import Course, ExpectedStage, RehearsalStage
from fabricgen.lab.verify.drill import drain, settle
from fabricgen.lab.verify.forwarding import read_all_routes
from fabricgen.lab.verify.traffic import NO_PROBES, PacketLoss, Stream

PROBES = 512
"""Flows of probes, which share what a core can send."""
_CALM_S, _IDLE_S = 0.5, 0.5
"""Seconds from when a stage has settled until all is looked at once more, and for which a drained device is watched."""


class Happened(NamedTuple):
    """A stage as it went.

    Attributes:
        began: When its first action was made; ``settled`` when the last kernel was seen to forward as predicted.
        late: Devices whose kernel does not forward as predicted.
        forwarded: Packets that each drained device forwarded in half a second after the stage had settled.
        moving: Probes until it had settled; ``loss`` until the next stage.
    """

    planned: ExpectedStage
    began: float
    settled: float
    tables: Tables
    late: tuple[str, ...]
    forwarded: dict[str, int]
    moving: PacketLoss = NO_PROBES
    loss: PacketLoss = NO_PROBES

    @property
    def moved_s(self) -> float:
        """Return the time until it had settled."""
        return self.settled - self.began


class Measured(NamedTuple):
    """A wave as it went between pairs of NICs; if daemons ``refused`` lines, it ended there."""

    before: PacketLoss
    stages: tuple[Happened, ...]
    refused: str
    pairs: tuple[Pair, ...]


def try_wave(course: Course, pairs: Sequence[Pair], progress: Callable[[str], None]) -> Measured:
    """Carry a wave out, with ``progress`` of its stages; without pairs of NICs left in service no probes go."""
    stages: list[Happened] = []
    refused = ""
    with ExitStack() as stack:
        stream = stack.enter_context(Stream(course.before, pairs, PROBES)) if pairs else None
        started = time.monotonic()
        time.sleep(_CALM_S)
        for planned in course.stages:
            progress(planned.stage.value)
            try:
                stages.append(_go(course, planned))
            except devices.RefusedLines as error:
                refused = str(error)
                break
            if planned.stage is RehearsalStage.change and stages[-1].late:
                break
        ended = time.monotonic()
        if stream is not None:
            stream.stop()

    def loss(since_s: float, until_s: float) -> PacketLoss:
        return stream.loss(since_s, until_s) if stream is not None else NO_PROBES

    first, *others = [*(each.began for each in stages), ended]
    lossy = (
        each._replace(moving=loss(each.began, each.settled), loss=loss(each.began, end))
        for each, end in zip(stages, others, strict=True)
    )
    return Measured(loss(started, first), tuple(lossy), refused, tuple(pairs))


def _go(course: Course, planned: ExpectedStage) -> Happened:
    """Carry out a stage, and wait until the kernels forward as predicted."""
    began = time.monotonic()
    _act(course, planned.stage)
    blueprint = course.lab_at(planned.stage)
    late, settled = settle(blueprint, planned.expected, _CALM_S)
    working = [node for node in blueprint.speakers if node.name in planned.expected.interfaces]
    tables = read_all_routes(blueprint, working)
    drained = course.drained() if planned.stage is RehearsalStage.drain else []
    forwarded = _watch(blueprint, drained)
    return Happened(planned, began, settled, tables, tuple(node.name for node in late), forwarded)


def _act(course: Course, stage: RehearsalStage) -> None:
    """Do the same to every device that a stage is about, all at once."""
    before, after = course.before, course.after
    drained = course.drained()
    if stage is RehearsalStage.drain:
        _all(drained, lambda change: drain(before, change.before))
    elif stage is RehearsalStage.out:
        _all(course.leaving, lambda change: devices.take_out(before, change))
    elif stage is RehearsalStage.change:
        _all(course.changes, lambda change: devices.bring_back(before, change, drained=change in drained))
    else:
        _all(course.returning(), lambda change: drain(after, change.after, ends=True))


def _all(changes: Iterable[LabChange], work: Callable[[LabChange], None]) -> None:
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(work, changes))


def _watch(blueprint: Blueprint, changes: Sequence[LabChange]) -> dict[str, int]:
    """Return how many packets each device forwards in half a second."""
    if not changes:
        return {}
    before = {change.name: _forwarded(blueprint, change.name) for change in changes}
    time.sleep(_IDLE_S)
    return {name: _forwarded(blueprint, name) - count for name, count in before.items()}


def _forwarded(blueprint: Blueprint, device: str) -> int:
    with inside(blueprint.namespace(device)):
        return read_forwarded()
