"""One wave in a running lab, with probes between hosts from before its first step until after its last."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import NamedTuple

from fabricgen.lab.lifecycle.boot import WORKERS
from fabricgen.lab.lifecycle.kernel import inside, read_forwarded
from fabricgen.lab.model.blueprint import Blueprint, LabNode
from fabricgen.lab.rehearsal import devices
from fabricgen.lab.rehearsal.bandwidth import Tables
from fabricgen.lab.rehearsal.changes import LabChange
from fabricgen.lab.rehearsal.crossing import Pair
from fabricgen.lab.rehearsal.stages import Course, ExpectedStage, RehearsalStage
from fabricgen.lab.verify.drill import PATIENCE_S
from fabricgen.lab.verify.forwarding import read_all_routes
from fabricgen.lab.verify.observe import routes_differ
from fabricgen.lab.verify.reach import routers_between
from fabricgen.lab.verify.traffic import PacketLoss, Stream

PROBES = 512
"""Flows of probes, which share what a core can send."""
_CALM_S, _IDLE_S = 0.5, 0.5
"""Seconds from when a stage has settled until all is looked at once more, and for which a drained device is watched."""


class Happened(NamedTuple):
    """A stage as it went.

    Attributes:
        settled: Every kernel forwards as predicted.
        moved_s: From its first action until the last kernel was seen to do so.
        moving: Probes from its first action until then.
        loss: Probes until the next stage.
        tables: Forwarding tables of all devices that work.
        late: Devices whose kernel does not forward as predicted.
        forwarded: Packets that each drained device forwarded in half a second after the stage had settled.
    """

    planned: ExpectedStage
    settled: bool
    moved_s: float
    moving: PacketLoss
    loss: PacketLoss
    tables: Tables
    late: tuple[str, ...]
    forwarded: dict[str, int]


class Measured(NamedTuple):
    """A wave as it went.

    Attributes:
        before: Probes before its first step.
        stages: What happened.
        refused: Lines that daemons refused; the wave ended there.
        pairs: Pairs of NICs that probes went between.
        classes: Probes of the whole wave by class of pairs: those over the same number of routers.
    """

    before: PacketLoss
    stages: tuple[Happened, ...]
    refused: str
    pairs: tuple[Pair, ...]
    classes: dict[int, PacketLoss]


class _Moments(NamedTuple):
    planned: ExpectedStage
    began: float
    settled: float
    moved_s: float
    tables: Tables
    late: tuple[str, ...]
    forwarded: dict[str, int]


def try_wave(course: Course, pairs: Sequence[Pair], progress: Callable[[str], None]) -> Measured:
    """Carry a wave out.

    Args:
        course: The wave.
        pairs: From which NIC to which probes go; none where no two hosts are left in service.
        progress: Gets the stage that begins.
    """
    moments: list[_Moments] = []
    refused = ""
    with ExitStack() as stack:
        stream = stack.enter_context(Stream(course.before, pairs, PROBES)) if pairs else None
        started = time.monotonic()
        time.sleep(_CALM_S)
        for planned in course.stages:
            progress(planned.stage.value)
            try:
                moments.append(_go(course, planned))
            except devices.RefusedLines as error:
                refused = str(error)
                break
            if planned.stage is RehearsalStage.change and moments[-1].late:
                break
        ended = time.monotonic()
        if stream is not None:
            stream.stop()
    first = moments[0].began if moments else ended
    return Measured(
        _loss(stream, started, first),
        tuple(_happened(stream, each, end) for each, end in zip(moments, _ends(moments, ended), strict=True)),
        refused,
        tuple(pairs),
        {routers: _loss(stream, first, ended, chosen) for routers, chosen in _classes(course, pairs).items()},
    )


def _classes(course: Course, pairs: Sequence[Pair]) -> dict[int, set[int]]:
    """Return the numbers of the pairs that are equally many routers apart."""
    found: dict[int, set[int]] = {}
    for number, pair in enumerate(pairs):
        found.setdefault(routers_between(course.before, course.whole, *pair), set()).add(number)
    return dict(sorted(found.items()))


def _loss(stream: Stream | None, since_s: float, until_s: float, pairs: Collection[int] | None = None) -> PacketLoss:
    return stream.loss(since_s, until_s, pairs) if stream is not None else PacketLoss(0, 0, 0, 0.0)


def _ends(moments: Sequence[_Moments], ended: float) -> list[float]:
    return [*(each.began for each in moments[1:]), ended][: len(moments)]


def _happened(stream: Stream | None, moments: _Moments, ended: float) -> Happened:
    moving, loss = _loss(stream, moments.began, moments.settled), _loss(stream, moments.began, ended)
    rest = (moments.tables, moments.late, moments.forwarded)
    return Happened(moments.planned, not moments.late, moments.moved_s, moving, loss, *rest)


def _go(course: Course, planned: ExpectedStage) -> _Moments:
    """Carry out a stage, and wait until the kernels forward as predicted."""
    began = time.monotonic()
    _act(course, planned.stage)
    blueprint = course.before if planned.stage in (RehearsalStage.drain, RehearsalStage.out) else course.after
    late, settled = _settle(blueprint, planned)
    working = [node for node in blueprint.speakers if node.name in planned.expected.interfaces]
    tables = read_all_routes(blueprint, working)
    drained = course.drained() if planned.stage is RehearsalStage.drain else []
    return _Moments(
        planned, began, settled, settled - began, tables, tuple(node.name for node in late), _watch(blueprint, drained)
    )


def _act(course: Course, stage: RehearsalStage) -> None:
    """Do the same to every device that a stage is about, all at once."""
    before, after = course.before, course.after
    drained = course.drained()
    if stage is RehearsalStage.drain:
        _all(drained, lambda change: devices.drain(before, change.before))
    elif stage is RehearsalStage.out:
        _all(course.leaving, lambda change: devices.take_out(before, change))
    elif stage is RehearsalStage.change:
        _all(course.changes, lambda change: devices.bring_back(before, change, drained=change in drained))
    else:
        _all(course.returning(), lambda change: devices.drain(after, change.after, ends=True))


def _all(changes: Iterable[LabChange], work: Callable[[LabChange], None]) -> None:
    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(work, changes))


def _settle(blueprint: Blueprint, planned: ExpectedStage) -> tuple[Sequence[LabNode], float]:
    """Return the devices that do not forward as predicted in time, and when the last other one was seen to.

    All are looked at once more after a while: a route that comes back as it was is as predicted before it goes, too.
    """
    working = [node for node in blueprint.speakers if node.name in planned.expected.interfaces]
    left: Sequence[LabNode] = working
    deadline = time.monotonic() + PATIENCE_S
    while True:
        left = routes_differ(blueprint, planned.expected, left)
        settled = time.monotonic()
        if not left:
            time.sleep(_CALM_S)
            left = routes_differ(blueprint, planned.expected, working)
        if not left or time.monotonic() > deadline:
            return left, settled
        time.sleep(0.02)


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
