"""One wave: what was predicted beside what was measured."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from fabricgen.diagnostics.words import name_few
from fabricgen.lab.rehearsal.bandwidth import Kept
from fabricgen.lab.rehearsal.stages import Course, RehearsalStage
from fabricgen.lab.rehearsal.trial import Happened, Measured
from fabricgen.lab.verify.findings import LabFinding, LabResult, Row
from fabricgen.rollout.bundle import PlannedWave

ALLOWANCE_S = 2.0
"""Time that kernels and daemons may take beyond the predicted time on a machine that is busy with other things."""
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class WaveResult:
    """Prediction and measurement of one wave.

    Attributes:
        kept: Smallest part of its bandwidth that a pair of leafs keeps while the wave is out: predicted, measured.
        widths: Next hops left, by tier: predicted, measured.
        most: Probes that may be lost.
        course: None if the lab has none of its devices, or the wave was not begun; then nothing was measured.
    """

    wave: PlannedWave
    kept: tuple[Kept, Kept] = (Kept(Fraction(1)), Kept(Fraction(1)))
    widths: tuple[str, str] = ("", "")
    most: int = 0
    course: Course | None = None
    measured: Measured | None = None
    findings: tuple[LabFinding, ...] = ()
    note: str = ""
    seconds: float = 0.0

    @property
    def stages(self) -> tuple[Happened, ...]:
        """Return the stages that were gone through."""
        return self.measured.stages if self.measured else ()

    @property
    def lost(self) -> int:
        """Return the probes that the whole wave lost."""
        return sum(each.loss.lost for each in self.stages)

    @property
    def sent(self) -> int:
        """Return the probes that were sent during the wave."""
        return sum(each.loss.sent for each in self.stages)

    @property
    def moved_s(self) -> float:
        """Return after which time the last probe was sent that was lost, since the devices went out."""
        return max((each.loss.last_s for each in self.stages if each.planned.stage is RehearsalStage.out), default=0.0)

    @property
    def moves_s(self) -> float:
        """Return the predicted time of the same."""
        return max((each.planned.moves_s for each in self.stages), default=0.0)

    @property
    def result(self) -> str:
        """Return the outcome in a word."""
        return "FAIL" if self.findings else "pass" if self.measured else "-"

    def to_line(self) -> Row:
        """One row of the table."""
        if not self.stages:
            none = dict.fromkeys(("bandwidth", "next hops left", "lost", "moved_s", "ms"), "-")
            return {**self._head(), **none, "note": self.note}
        predicted, measured = (f"{float(each.share):.1%}" for each in self.kept)
        return {
            **self._head(),
            "bandwidth": _side_by_side(predicted, measured),
            "next hops left": _side_by_side(*(each or "all" for each in self.widths)),
            "lost": f"{f'at most {self.most}' if self.most else 0}, {self.lost} of {self.sent}",
            "moved_s": f"{self.moves_s:g} + {ALLOWANCE_S:g}, {self.moved_s:.2f}",
            "ms": ", ".join(f"{each.planned.stage} {each.moved_s * 1000:.0f}" for each in self.stages),
            "note": self.note,
        }

    def _head(self) -> Row:
        names = [device.name for device in self.wave.devices]
        shown = name_few(names, _SHOWN)
        return {"wave": self.wave.number, "kind": self.wave.kind, "devices": shown, "result": self.result}

    def to_row(self) -> Row:
        """Everything there is to say, for programs."""
        predicted, measured = self.kept
        row: Row = {"wave": self.wave.number, "kind": self.wave.kind, "scope": self.wave.scope}
        row["devices"] = " ".join(device.name for device in self.wave.devices)
        row["rehearsed"] = " ".join(change.name for change in self.course.changes) if self.course else ""
        row["drained"] = " ".join(change.name for change in self.course.drained()) if self.course else ""
        row["result"] = self.result
        row["note"] = self.note
        row.update(
            bandwidth=round(float(predicted.share), 6),
            bandwidth_measured=round(float(measured.share), 6),
            bandwidth_pair=" ".join(measured.pair or predicted.pair),
            next_hops_left=self.widths[0],
            next_hops_left_measured=self.widths[1],
            pairs=len(self.measured.pairs) if self.measured else 0,
            probes=self.sent,
            lost_most=self.most,
            lost=self.lost,
            moves_s=self.moves_s,
            allowance_s=ALLOWANCE_S,
            moved_s=round(self.moved_s, 3),
        )
        for each in self.stages:
            row[f"{each.planned.stage}_ms"] = round(each.moved_s * 1000)
            row[f"{each.planned.stage}_lost"] = each.loss.lost
        return row

    def to_result(self) -> LabResult:
        """The same as the result of a check."""
        return LabResult(f"wave {self.wave.number}", self.sent, "probes", self.findings, self.note, self.seconds)


def _side_by_side(predicted: str, measured: str) -> str:
    """Return a figure once if both agree."""
    return predicted if predicted == measured else f"{predicted}, {measured}"
