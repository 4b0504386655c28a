"""Waves of a rollout in a running lab, one after the other, each held against its prediction."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import NamedTuple

from fabricgen.analysis.recovery import FailureKind, list_recoveries
from fabricgen.diagnostics import Bag
from fabricgen.lab.lifecycle.boot import Progress
from fabricgen.lab.model.blueprint import Blueprint, LabNode
from fabricgen.lab.model.excerpt import list_dimensions, parse_cut
from fabricgen.lab.rehearsal.changes import LabChange, list_changes
from fabricgen.lab.rehearsal.judge import RehearsalLimits, WaveJudge
from fabricgen.lab.rehearsal.probes import choose_pairs
from fabricgen.lab.rehearsal.stages import RehearsalStage, plan_course
from fabricgen.lab.rehearsal.trial import PROBES, try_wave
from fabricgen.lab.rehearsal.verdict import WaveResult
from fabricgen.lab.verify.drill import settle
from fabricgen.lab.verify.findings import LabResult
from fabricgen.lab.verify.forwarding import check_widths, read_all_routes
from fabricgen.lab.verify.observe import check_sessions
from fabricgen.lab.verify.predict import predict
from fabricgen.lab.verify.reach import check_reach
from fabricgen.plan.model.fabric import FabricPlan
from fabricgen.rollout.bundle import PlannedWave
from fabricgen.rollout.stored_bundle import Bundle

ELSEWHERE, NOT_BEGUN = "not in the cut", "not begun"


class Rehearsed(NamedTuple):
    """A rehearsal: its waves, and the lab after the last of them against the intended fabric."""

    verdicts: list[WaveResult]
    after: list[LabResult]


@dataclass(slots=True)
class Rehearsal:
    """A rollout in rehearsal: the deployed fabric, as far as the lab has it, and for each plan its devices by name."""

    bundle: Bundle
    plan: FabricPlan
    blueprint: Blueprint
    legs: Sequence[Mapping[str, LabNode]]
    limits: RehearsalLimits
    drains: bool = True
    keep: Callable[[Blueprint], None] = lambda _: None

    def run(self, progress: Progress) -> Rehearsed:
        """Carry out every wave; after one that leaves the lab otherwise than predicted, none is begun."""
        waves = self.bundle.rollout.waves
        verdicts: list[WaveResult] = []
        broken = False
        for done, wave in enumerate(waves):
            label = f"wave {wave.number}"
            progress(label, done, len(waves))
            tell = partial(_tell, progress, label, done, len(waves))
            verdict = WaveResult(wave, note=NOT_BEGUN) if broken else self._rehearse(wave, tell)
            broken = broken or _is_broken(verdict)
            verdicts.append(verdict)
        progress("done", len(waves), len(waves))
        return Rehearsed(verdicts, [] if broken else self._after())

    def _rehearse(self, wave: PlannedWave, progress: Callable[[str], None]) -> WaveResult:
        started = time.monotonic()
        changes = list_changes(self.bundle, self.legs, wave, self.blueprint)
        if not changes:
            return WaveResult(wave, note=ELSEWHERE)
        moves_s = _moves_s(self.plan, changes)
        out = {node.name for node in self.blueprint.nodes if node.state == "drained"}
        last = self.legs[-1]
        restored = frozenset(name for name in out if name in last and last[name].state != "drained")
        course = plan_course(wave.number, self.blueprint, changes, moves_s, drains=self.drains, restored=restored)
        # No probes go to a host that leaves its jobs, or is changed.
        idle = {*wave.hosts, *(change.name for change in course.changes if not change.before.is_switch)}
        pairs = choose_pairs(self.blueprint, course, idle, PROBES)
        measured = try_wave(course, pairs, progress)
        if any(each.planned.stage is RehearsalStage.change for each in measured.stages):
            self.blueprint = course.after
            self.keep(self.blueprint)
        return WaveJudge(wave, course, measured, self.limits).judge(time.monotonic() - started)

    def _after(self) -> list[LabResult]:
        """Hold the lab against the intended fabric, once the news of the last undrain has been everywhere."""
        wanted = predict(self.blueprint)
        settle(self.blueprint, wanted, 0)
        routes = read_all_routes(self.blueprint, self.blueprint.speakers)
        reach, _ = check_reach(self.blueprint, wanted)
        return [check_sessions(self.blueprint, self._unplugged()), check_widths(self.blueprint, wanted, routes), reach]

    def _unplugged(self) -> dict[str, set[str]]:
        """Return the neighbors of devices over cables of the intended fabric that the lab lacks."""
        found = {}
        for node in self.blueprint.speakers:
            there, planned = {end.name for end in node.interfaces}, self.legs[-1].get(node.name, node).interfaces
            found[node.name] = {name for end in planned if end.name not in there for name in end.neighbors}
        return found


def _tell(progress: Progress, wave: str, done: int, total: int, stage: str) -> None:
    progress(f"{wave}: {stage}", done, total)


def _is_broken(verdict: WaveResult) -> bool:
    """Return whether the lab is in a state that no later wave can begin from."""
    measured, course = verdict.measured, verdict.course
    if measured is None or course is None:
        return False
    return len(measured.stages) < len(course.stages) or bool(measured.stages[-1].late)


def _moves_s(plan: FabricPlan, changes: Sequence[LabChange]) -> float:
    """Return how long traffic takes to move around devices that go out undrained."""
    kinds = {
        FailureKind.DAEMON_RESTART if change.disruption == "session reset" else FailureKind.SWITCH_DEAD
        for change in changes
        if change.leaves
    }
    found = [each.healed_ms or 0 for each in list_recoveries(plan, graceful=False) if each.kind in kinds]
    return max(found, default=0.0) / 1000


def limits_of(bundle: Bundle, plan: FabricPlan, cut: str) -> RehearsalLimits:
    """Return the limits of a rollout in a lab with a cut of the whole fabric."""
    kept = dict(parse_cut(cut, plan, Bag()).keep) if cut else {}
    missing = {name for name, each in list_dimensions(plan).items() if kept.get(name, each.size) < each.size}
    uppers = {f"{tier.name}s" for tier in plan.tiers[1:]}
    floor = Fraction(bundle.rollout.floor).limit_denominator(1_000_000)
    return RehearsalLimits(floor, missing.isdisjoint(uppers), missing.isdisjoint({*uppers, "zones", "pods", "units"}))
