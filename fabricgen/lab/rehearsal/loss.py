"""Loss of probes that is predicted of each stage of a wave.

A drained device forwards nothing by the time it goes out, so nothing is lost. One that goes out undrained loses what
crosses it until the last kernel has turned away; a pair without another way loses everything until it is back.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt

from fabricgen.lab.rehearsal.crossing import Crossing, Pair
from fabricgen.lab.rehearsal.stages import Course, RehearsalStage
from fabricgen.lab.rehearsal.trial import PROBES, Happened
from fabricgen.lab.verify.predict import Prediction
from fabricgen.lab.verify.reach import routers_between

DEVIATIONS = 5
"""Standard deviations by which the flows that cross a device may be more than their expected part."""


class Losses:
    """Prediction of one wave's losses."""

    def __init__(self, course: Course, pairs: Sequence[Pair]) -> None:
        """Work out which part of the probes crosses the devices that go out, and which has no other way."""
        out = {change.name for change in course.leaving}
        expected = {each.stage: each.expected for each in course.stages}
        state = expected.get(RehearsalStage.drain, course.whole)
        crossing = Crossing(course.before, state, out)
        gone = expected.get(RehearsalStage.out)
        self.stranded = [pair for pair in pairs if gone and self._is_cut(course, gone, pair)]
        left = [pair for pair in pairs if pair not in self.stranded]
        self._cut = len(self.stranded) / len(pairs) if pairs else 0.0
        self.share = share = crossing.share(left) * (1 - self._cut)
        self._most = min(1.0, share + DEVIATIONS * sqrt(share * (1 - share) / PROBES))

    def most(self, happened: Happened) -> int:
        """Return how many probes a stage may lose."""
        stage, moving, whole = happened.planned.stage, happened.moving.sent, happened.loss.sent
        if stage is RehearsalStage.out:
            return ceil(self._most * moving + self._cut * whole)
        return ceil(self._cut * moving) if stage is RehearsalStage.change else 0

    def _is_cut(self, course: Course, gone: Prediction, pair: Pair) -> bool:
        a, b = pair
        leafs = {*a.leafs, *b.leafs}
        if leafs & {change.name for change in course.leaving}:
            return True
        return routers_between(course.before, gone, a, b) < 0
