"""Steps of a device, as the tasks of the playbook read them: commands of a shell, or lines that are typed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any, Literal, NamedTuple

from fabricgen.platforms.patching.steps import StepPhase
from fabricgen.rollout.bundle import PlannedPlatform, PlannedStep

_TYPED = ("look", "run")


class PlaybookStep(NamedTuple):
    """One step.

    Attributes:
        do: ``run`` has to succeed; the output of a ``look`` is compared with ``expected``; a ``note`` is for a person;
            a ``restart`` ends with the device back.
        tried: It is done in check mode too, as it is or by ``trial``.
        begins: After it there is something to roll back.
        command: The command in a shell.
        lines: What is typed at a command line, ``{file:NAME}`` for the lines of a file; ``trial`` in check mode.
        expected: What a look has to show.
    """

    do: Literal["run", "look", "note", "restart"]
    name: str
    tried: bool = False
    safe: bool = False
    begins: bool = False
    command: str = ""
    lines: tuple[str, ...] = ()
    trial: tuple[str, ...] = ()
    expected: str = ""

    def to_data(self) -> dict[str, Any]:
        """Return it as JSON holds it, without what it has not."""
        return {key: value for key, value in self._asdict().items() if value not in ("", ()) and key != "begins"}


def list_steps(steps: Sequence[PlannedStep], platform: PlannedPlatform) -> list[PlaybookStep]:
    """Return steps for tasks; those of one phase that are typed go together, in one login."""
    if platform.shell == "posix":
        changed = next((at for at, step in enumerate(steps) if _changes(step)), len(steps))
        return [_step(step, is_first=at < changed) for at, step in enumerate(steps)]
    found: list[PlaybookStep] = []
    for (phase, typed), group in groupby(steps, key=lambda step: (step.phase, step.action in _TYPED)):
        some = list(group)
        found += [_typed(phase, some, platform)] if typed else [_step(step) for step in some]
    return found


def _changes(step: PlannedStep) -> bool:
    """Return whether a step changes what a later trial is made on."""
    return step.action == "run" and step.phase == StepPhase.apply.value and not step.trial


def _step(step: PlannedStep, *, is_first: bool = True) -> PlaybookStep:
    """Return one step; a trial is safe where nothing that comes before it would have changed."""
    if step.action == "note":
        return PlaybookStep("note", step.reason)
    is_safe = step.action == "look" or (step.trial and is_first)
    name = f"{step.phase}: {step.command}"
    do: Literal["run", "look", "restart"] = "restart" if step.phase == StepPhase.restart.value else step.action
    # Check mode drains nothing, so there is no effect to wait for.
    is_tried = is_safe and step.phase != StepPhase.drain.value
    return PlaybookStep(do, name, is_tried, is_safe, _begins(step.phase, is_safe), step.command, expected=step.expected)


def _begins(phase: str, is_safe: bool) -> bool:
    return not is_safe and phase != StepPhase.back_up.value


def _typed(phase: str, steps: Sequence[PlannedStep], platform: PlannedPlatform) -> PlaybookStep:
    """Return the step that types the lines of steps, and the content of their files below them."""
    lines: list[str] = []
    for step in steps:
        lines.append(step.command)
        if step.file:
            lines.append(f"{{file:{step.file}}}")
    is_safe = all(step.action == "look" for step in steps)
    trial = _trial(lines, platform)
    restarts = phase == StepPhase.restart.value
    return PlaybookStep(
        "look" if is_safe else "restart" if restarts else "run",
        f"{phase}: {steps[0].command}",
        is_safe or bool(trial),
        is_safe,
        _begins(phase, is_safe),
        lines=tuple(lines),
        trial=trial,
        expected="; ".join(step.expected for step in steps if step.expected),
    )


def _trial(lines: Sequence[str], platform: PlannedPlatform) -> tuple[str, ...]:
    """Return the lines that are typed in check mode: those before a commit, and then the command that drops them."""
    commit = next((at for at, line in enumerate(lines) if line.split()[:1] == [platform.commits]), 0)
    return (*lines[:commit], platform.abandons) if commit else ()
