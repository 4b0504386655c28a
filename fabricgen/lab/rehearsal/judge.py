"""A wave as it went, held against its prediction and against the limits of its rollout."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from fabricgen.diagnostics.words import name_few
from fabricgen.lab.rehearsal.bandwidth import Bandwidths, Kept, Tables
from fabricgen.lab.rehearsal.changes import list_without_effect
from fabricgen.lab.rehearsal.loss import Losses
from fabricgen.lab.rehearsal.stages import Course, RehearsalStage
from fabricgen.lab.rehearsal.trial import Happened, Measured
from fabricgen.lab.rehearsal.verdict import ALLOWANCE_S, WaveResult
from fabricgen.lab.rehearsal.widths import compare_widths, widths_text
from fabricgen.lab.verify.findings import LabFinding
from fabricgen.lab.verify.forwarding import check_widths
from fabricgen.lab.verify.observe import Routes, check_established
from fabricgen.rollout.bundle import PlannedWave

_ROUNDED = Fraction(1, 1_000_000)
"""Precision of a part of the bandwidth in a bundle."""


class RehearsalLimits(NamedTuple):
    """Limits of a rollout; ``floor`` is the part of its bandwidth that every pair of leafs keeps.

    ``holds`` if the lab has every switch above the leafs, so that its bandwidth is that of the fabric; ``whole`` if it
    has every leaf as well.
    """

    floor: Fraction
    holds: bool
    whole: bool


class WaveJudge:
    """Compares one wave with its prediction."""

    def __init__(self, wave: PlannedWave, course: Course, measured: Measured, limits: RehearsalLimits) -> None:
        """Work out what is compared: a wave of the bundle, its course in the lab, and how it went."""
        self.wave, self.course, self.measured, self.limits = wave, course, measured, limits
        self.losses = Losses(course, measured.pairs)
        self.stages = {each.planned.stage: each for each in measured.stages}
        self.out = [change.name for change in course.leaving]
        self.who = name_few(self.out or [change.name for change in course.changes], 4)

    def judge(self, seconds: float) -> WaveResult:
        """Return the verdict."""
        kept = self._kept()
        widths = self._widths(kept)
        most = sum(map(self.losses.most, self.measured.stages))
        findings = (
            *self._floor(kept),
            *self._figures(kept, widths),
            *self._refused(),
            *self._sessions(),
            *self._settled(),
            *self._drained(),
            *self._lost(),
        )
        return WaveResult(self.wave, kept, widths, most, self.course, self.measured, findings, self._note(), seconds)

    def _note(self) -> str:
        """Return what a wave leaves unproven, and switches that go out without a drain."""
        undrained = [change.name for change in self.course.leaving if change.before.is_switch and not change.drains]
        notes = [f"steps without a drain: {', '.join(undrained)}"] if undrained else []
        notes += [f"without effect here: {path} of hosts" for path in list_without_effect(self.wave)]
        return "; ".join([*notes, *([] if self.measured.pairs else ["no two hosts in service to probe"])])

    def _kept(self) -> tuple[Kept, Kept]:
        """Return what the pair keeps that keeps least: predicted, and measured."""
        stage = self.stages.get(RehearsalStage.out)
        found = Bandwidths(self.course.before, self.course.service.interfaces)
        # While other devices are out, a wave that takes none out begins with what they leave.
        before = found.worst(self.course.whole.interfaces, self.out)
        if stage is None:
            return before, before
        predicted, measured = stage.planned.expected.interfaces, stage.tables
        return found.worst(predicted, self.out), found.worst(measured, self.out)

    def _widths(self, kept: tuple[Kept, Kept]) -> tuple[str, str]:
        stage = self.stages.get(RehearsalStage.out)
        if stage is None:
            return "", ""
        before, blueprint = self.course.whole.interfaces, self.course.before
        tiers = {node.tier: node.role for node in blueprint.switches}
        tables = (self._to_leafs(found) for found in (stage.planned.expected.interfaces, stage.tables))
        predicted, measured = (compare_widths(blueprint, before, found) for found in tables)
        texts = (widths_text(tiers, found) for found in (predicted, measured))
        one, other = (
            text if each.share else f"none from {' to '.join(each.pair)}"
            for text, each in zip(texts, kept, strict=True)
        )
        return one, other

    def _to_leafs(self, tables: Tables) -> dict[str, Routes]:
        """Return the routes of switches to what leafs bring into routing."""
        nodes = self.course.before.switches
        used = {prefix for node in nodes if not node.tier for prefix in node.prefixes}
        return {
            node.name: {prefix: hops for prefix, hops in tables[node.name].items() if prefix in used}
            for node in nodes
            if node.name in tables
        }

    def _floor(self, kept: tuple[Kept, Kept]) -> Iterator[LabFinding]:
        """Yield a pair of leafs that keeps too little, and a wave whose plan says so itself."""
        floor, planned = self.limits.floor, Fraction(self.wave.bandwidth).limit_denominator(1_000_000)
        worst = min(kept, key=lambda each: each.share)
        if self.limits.holds and worst.share < floor:
            one, other = worst.pair
            reason = (
                f"the leafs keep {_percent(worst.share)} of their bandwidth meanwhile, the floor is {_percent(floor)}"
            )
            yield LabFinding(self.who, f"{one} to {other}", reason)
        elif planned + _ROUNDED < floor:
            reason = f"the plan has {_percent(planned)} of the bandwidth left, the floor is {_percent(floor)}"
            yield LabFinding(self.who, " to ".join(self.wave.kept), reason)

    def _figures(self, kept: tuple[Kept, Kept], widths: tuple[str, str]) -> Iterator[LabFinding]:
        """Yield bandwidth and next hops that differ, from the prediction or from the bundle's plan."""
        predicted, measured = kept
        if predicted.share != measured.share:
            pair = " to ".join(measured.pair or predicted.pair)
            reason = f"bandwidth: measured {_percent(measured.share)}, predicted {_percent(predicted.share)}"
            yield LabFinding(self.who, pair, reason)
        planned = Fraction(self.wave.bandwidth)
        less, more = predicted.share < planned - _ROUNDED, predicted.share > planned + _ROUNDED
        if self.limits.holds and (less or (more and self.limits.whole)):
            reason = (
                f"the plan has {_percent(planned)} of the bandwidth left, the lab's cabling {_percent(predicted.share)}"
            )
            yield LabFinding(self.who, " to ".join(predicted.pair), reason)
        if widths[0] != widths[1]:
            reason = f"next hops left: measured {widths[1] or 'all'}, predicted {widths[0] or 'all'}"
            yield LabFinding(self.who, "", reason)

    def _settled(self) -> Iterator[LabFinding]:
        """Yield what the kernels forward otherwise once a stage has settled."""
        for each in self.measured.stages:
            blueprint = self.course.lab_at(each.planned.stage)
            late = {name: each.tables[name] for name in each.late if name in each.tables}
            for found in check_widths(blueprint, each.planned.expected, late).findings:
                yield LabFinding(found.device, found.link, f"{self._when(each)}: {found.reason}")

    def _refused(self) -> Iterator[LabFinding]:
        if self.measured.refused:
            device, _, planned = self.measured.refused.partition(": ")
            yield LabFinding(device, "", f"lines of its change are refused: {planned}")

    def _when(self, happened: Happened) -> str:
        words = {
            RehearsalStage.drain: "drained",
            RehearsalStage.out: "out of service",
            RehearsalStage.change: "changed",
            RehearsalStage.undrain: "back in service",
        }
        return f"once {self.who} is {words[happened.planned.stage]}"

    def _drained(self) -> Iterator[LabFinding]:
        """Yield drained devices that go on forwarding though there is another way."""
        drain = self.stages.get(RehearsalStage.drain)
        if drain is None or self.losses.share or self.losses.stranded:
            return
        for name, packets in drain.forwarded.items():
            if packets:
                yield LabFinding(name, "", f"forwards {packets} packets in half a second after it was drained")

    def _lost(self) -> Iterator[LabFinding]:
        """Yield losses beyond those that are predicted, and losses that go on for too long."""
        before = self.measured.before
        if before.lost:
            yield LabFinding(self.who, "", f"{before.lost} of {before.sent} probes were lost before the wave")
        for each in self.measured.stages:
            most, loss = self.losses.most(each), each.loss
            if loss.lost > most:
                wanted = f"at most {most}" if most else "none"
                reason = (
                    f"{loss.lost} of {loss.sent} probes were lost at stage {each.planned.stage}, predicted are {wanted}"
                )
                yield LabFinding(self.who, "", reason)
            bound = each.planned.moves_s + ALLOWANCE_S
            if each.planned.stage is RehearsalStage.out and loss.last_s > bound and not self.losses.stranded:
                reason = f"probes were lost for {loss.last_s:.2f} s, predicted are {bound:.2f} s at most"
                yield LabFinding(self.who, "", reason)

    def _sessions(self) -> Iterator[LabFinding]:
        if not self.measured.refused:
            yield from check_established(self.course.after, [change.name for change in self.course.changes])


def _percent(share: Fraction) -> str:
    return f"{float(share):.1%}"
