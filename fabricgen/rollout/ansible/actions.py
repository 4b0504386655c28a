"""Actions of a procedure as data: what the tasks of the playbook do, stage by stage, and the rollback."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fabricgen.platforms.patching.steps import StepPhase
from fabricgen.platforms.patching.timer import UNIT, waits_s
from fabricgen.rollout.ansible.steps import PlaybookStep, list_steps
from fabricgen.rollout.bundle import PlannedPlatform, PlannedProcedure, PlannedStep
from fabricgen.rollout.expectation import is_restarted, write_script

_KEEPING = (StepPhase.confirm.value, StepPhase.undrain.value, StepPhase.save.value, StepPhase.restart.value)
"""Phases that come after the checks: what they do is not taken back by a timer."""
_STAGES = ("prepare", "change", "keep")
_REMOTE = "/var/tmp/fabricgen-rollout"  # noqa: S108 - a folder of the device's, which its first task makes private


class _Part(NamedTuple):
    """A part of a stage: steps that the tasks do in one loop, and what a person does then.

    Attributes:
        keeps: It starts the device from a configuration that was confirmed and saved: no rollback reaches it.
        saves: The command by which it saves what no rollback reaches since its confirmation; empty in other parts.
    """

    begins: bool
    steps: tuple[PlaybookStep, ...]
    note: str = ""
    keeps: bool = False
    saves: str = ""

    @property
    def restarts(self) -> bool:
        """Return whether it is a restart of the device, and nothing else."""
        return any(step.do == "restart" for step in self.steps)

    def to_data(self) -> dict[str, Any]:
        steps = [step.to_data() for step in self.steps]
        return {
            "begins": self.begins,
            "restarts": self.restarts,
            "keeps": self.keeps,
            "saves": self.saves,
            "steps": steps,
            "note": self.note,
        }


def list_actions(procedure: PlannedProcedure, platforms: Mapping[str, PlannedPlatform]) -> dict[str, Any]:
    """Return what the playbook does on the devices of a procedure, with ``{name}`` where they differ.

    It is steps by stage: up to the drain, the change, and what keeps it; the readings around them; the rollback.
    ``platforms`` has its own, and those of neighbors.
    """
    platform = platforms[procedure.platform]
    stages = zip(_STAGES, _split(procedure.steps), strict=True)
    last = platform.saves if any(step.phase == StepPhase.confirm.value for step in procedure.steps) else None
    readings = procedure.readings
    commands = write_script(readings) if platform.shell == "posix" else [each.command for each in readings]
    return {
        "procedure": procedure.name,
        "shell": platform.shell,
        "tasks": _tasks(platform),
        "folder": _REMOTE,
        "drains": procedure.drains,
        "restarts": is_restarted(procedure.disruption),
        "proofs": list(_proofs(procedure, platforms, "drained")),
        "returns": list(_proofs(procedure, platforms, "undrained")),
        "judged": readings,
        "readings": commands if readings else [],
        **{stage: _parts(list_steps(steps, platform), last) for stage, steps in stages},
        "sessions": _sessions(procedure, platform),
        "rollback": [step.to_data() for step in list_steps(procedure.rollback, platform) if step.do == "run"],
        "files": sorted({step.file for step in (*procedure.steps, *procedure.rollback) if step.file}),
    }


def find_timer(procedure: PlannedProcedure) -> tuple[int, bool] | None:
    """Return a timer's seconds for waiting, and if the drain is in them; None where nothing takes a change back."""
    if not any(step.phase == StepPhase.confirm.value for step in procedure.steps):
        return None
    is_first = any(UNIT in step.command for step in procedure.steps if step.phase == StepPhase.back_up.value)
    drained = is_first and procedure.drains
    return waits_s(drained=drained), drained


def _split(steps: Sequence[PlannedStep]) -> tuple[Sequence[PlannedStep], ...]:
    """Return the steps up to the end of the drain, or of the back-up without one; the change; and what keeps it."""
    phases = [step.phase for step in steps]
    kept = next((at for at, phase in enumerate(phases) if phase in _KEEPING), len(phases))
    if StepPhase.drain.value in phases:
        prepared = len(phases) - phases[::-1].index(StepPhase.drain.value)
    else:
        prepared = next((at for at, phase in enumerate(phases) if phase != StepPhase.back_up.value), len(phases))
    return steps[:prepared], steps[prepared:kept], steps[kept:]


def _parts(steps: Iterable[PlaybookStep], saves: str | None) -> list[dict[str, Any]]:
    """Return the parts of a stage: a note, a restart and the last step with nothing to roll back before it end one.

    Args:
        steps: Steps of the stage.
        saves: The command that saves what no rollback reaches any more, which begins a part; empty if the rollback
            reaches everything until it is saved. None if nothing is confirmed.
    """
    found: list[_Part] = []
    for step in steps:
        last = found[-1] if found and not found[-1].note and not found[-1].restarts else None
        if last is None or _begins_part(step, last, saves):
            keeps = saves is not None and step.do == "restart"
            last = _Part(step.begins, (), keeps=keeps, saves=step.command if saves and step.command == saves else "")
            found.append(last)
        if step.do == "note":
            found[-1] = last._replace(note=step.name)
        else:
            found[-1] = last._replace(begins=last.begins or step.begins, steps=(*last.steps, step))
    return [part.to_data() for part in found]


def _begins_part(step: PlaybookStep, last: _Part, saves: str | None) -> bool:
    """Return whether a step is not of the last part."""
    if step.do == "restart" or last.saves or (saves and step.command == saves):
        return True
    return step.begins and not last.begins and bool(last.steps)


def _tasks(platform: PlannedPlatform) -> str:
    """Return the folder of task files that operate a platform."""
    return "posix" if platform.shell == "posix" else platform.name


def _proofs(procedure: PlannedProcedure, known: Mapping[str, PlannedPlatform], when: str) -> Iterator[dict[str, Any]]:
    """Yield the questions to neighbors that prove a drain or its end; which neighbors, the file of a device has."""
    for check in procedure.checks:
        platform = known.get(str(check.values.get("platform")))
        if check.when == when and check.values.get("routes") and platform is not None:
            values = {**check.values, "routes": str(check.values["routes"]).split(".")}
            values["used"] = [str(path).split(".") for path in check.values.get("used", ())]
            yield {"tasks": _tasks(platform), "command": check.command, "expected": check.expected, **values}


def _sessions(procedure: PlannedProcedure, platform: PlannedPlatform) -> dict[str, Any]:
    """Return how established sessions are read, all of the plan are expected; empty if they are not looked at."""
    for check in procedure.checks:
        if check.when == "after" and check.values.get("planned") and platform.state:
            return {
                "command": check.command,
                "neighbors": [[key for key in path.split(".") if key] for path in platform.neighbors],
                "state": platform.state,
                "established": platform.established,
            }
    return {}
