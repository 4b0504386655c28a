"""Actions of a device, one after the other, as the tasks of the playbook read them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any, Literal, NamedTuple

from fabricgen.platforms.patching.steps import Phase
from fabricgen.rollout.bundle import PlannedCheck, PlannedDevice, PlannedPlatform, PlannedStep

_KEEPING = (Phase.confirm.value, Phase.undrain.value, Phase.save.value, Phase.restart.value)
"""Phases that come after the checks: what they do is not taken back by a timer."""
_TYPED = ("look", "run")
_WAITS = {"drained": "wait until traffic has gone", "after": "wait until sessions that are lost are noticed"}


class Action(NamedTuple):
    """One action.

    Attributes:
        do: ``run`` a command that has to succeed; ``look`` at one, ``type`` lines, ``check`` an answer until it is as
            expected; ``wait`` until traffic has gone, have a program ``judge`` the device; a ``note`` is for a person.
        name: For people.
        safe: It changes nothing, so that it is done in check mode too.
        begins: After it there is something to roll back.
        command: The command of ``run``, ``look`` and ``check``.
        lines: What ``type`` types; ``trial``, what it types in check mode.
        expected: What a ``look`` has to show; of a ``check`` the neighbours that have to be established; of a ``wait``
            the time of the checks behind it.
        neighbors: Keys that lead to each map of neighbours in the answer of a ``check``.
    """

    do: Literal["run", "look", "type", "check", "wait", "judge", "note"]
    name: str
    safe: bool = False
    begins: bool = False
    command: str = ""
    lines: tuple[str, ...] = ()
    trial: tuple[str, ...] = ()
    expected: str | tuple[str, ...] = ""
    neighbors: tuple[tuple[str, ...], ...] = ()
    state: str = ""
    established: str = ""


def list_actions(device: PlannedDevice, platform: PlannedPlatform, contents: Mapping[str, bytes]) -> list[Action]:
    """Return the actions of a device: checks before, steps, checks once it is drained and before anything is kept.

    Args:
        device: The device.
        platform: Its platform.
        contents: Files of the bundle by their path.
    """
    drains = [at for at, step in enumerate(device.steps) if step.phase == Phase.drain.value]
    drained = drains[-1] + 1 if drains else 0
    kept = next((at for at, step in enumerate(device.steps) if step.phase in _KEEPING), len(device.steps))
    parts = (device.steps[:drained], device.steps[drained:kept], device.steps[kept:])
    found = list(_checks(device, "before", platform))
    for steps, when in zip(parts, ("drained", "after", ""), strict=True):
        found += list_steps(device, steps, platform, contents)
        if steps and when in _WAITS:
            found.append(Action("wait", _WAITS[when], expected=when))
        found += _checks(device, when, platform) if steps or when == "after" else ()
        if when == "after":
            found.append(Action("judge", "judge the device", safe=True))
    return found


def list_steps(
    device: PlannedDevice, steps: Sequence[PlannedStep], platform: PlannedPlatform, contents: Mapping[str, bytes]
) -> list[Action]:
    """Return the actions of steps; those of one phase that are typed go together, in one login.

    Args:
        device: Their device.
        steps: The steps.
        platform: Its platform.
        contents: Files of the bundle by their path.
    """
    if platform.shell == "posix":
        changed = next((at for at, step in enumerate(steps) if _changes(step)), len(steps))
        return [_action(step, is_first=at < changed) for at, step in enumerate(steps)]
    found: list[Action] = []
    for (phase, typed), group in groupby(steps, key=lambda step: (step.phase, step.action in _TYPED)):
        some = list(group)
        found += [_typed(phase, device, some, platform, contents)] if typed else [_action(step) for step in some]
    return found


def _changes(step: PlannedStep) -> bool:
    """Return whether a step changes what a later trial is made on."""
    return step.action == "run" and step.phase == Phase.apply.value and not step.trial


def _action(step: PlannedStep, *, is_first: bool = True) -> Action:
    """Return the action of one step; a trial is safe where nothing that comes before it would have changed."""
    if step.action == "note":
        return Action("note", step.reason, safe=True)
    name = f"{step.phase}: {step.command}"
    is_safe = step.action == "look" or (step.trial and is_first)
    return Action(step.action, name, is_safe, _begins(step.phase, is_safe), step.command, expected=step.expected)


def _begins(phase: str, is_safe: bool) -> bool:
    return not is_safe and phase != Phase.back_up.value


def _typed(
    phase: str,
    device: PlannedDevice,
    steps: Sequence[PlannedStep],
    platform: PlannedPlatform,
    contents: Mapping[str, bytes],
) -> Action:
    """Return the action that types the lines of steps, and the content of their files below them."""
    lines: list[str] = []
    for step in steps:
        lines.append(step.command)
        if step.file:
            lines += contents[f"{device.folder}/{step.file}"].decode().splitlines()
    is_safe = all(step.action == "look" for step in steps)
    expected = "; ".join(step.expected for step in steps if step.expected)
    return Action(
        "type",
        f"{phase}: {steps[0].command}",
        is_safe,
        _begins(phase, is_safe),
        lines=tuple(lines),
        trial=_trial(lines, platform),
        expected=expected,
    )


def _trial(lines: Sequence[str], platform: PlannedPlatform) -> tuple[str, ...]:
    """Return the lines that are typed in check mode: those before a commit, and then the command that drops them."""
    commit = next((at for at, line in enumerate(lines) if line.split()[:1] == [platform.commits]), 0)
    return (*lines[:commit], platform.abandons) if commit else ()


def _checks(device: PlannedDevice, when: str, platform: PlannedPlatform) -> Iterator[Action]:
    """Yield the checks of one time that are read on the device: some the playbook judges, some a person looks at."""
    for check in device.checks:
        if check.when == when and not check.at:
            yield _check(check, platform)


def _check(check: PlannedCheck, platform: PlannedPlatform) -> Action:
    name = f"{check.when}: {check.subject}"
    neighbors = check.values.get("neighbors")
    if not platform.state or check.subject != "sessions" or neighbors is None:
        return Action("look", name, True, False, check.command, expected=check.expected)
    return Action(
        "check",
        name,
        True,
        False,
        check.command,
        expected=tuple(row["neighbor"] for row in neighbors),
        neighbors=tuple(tuple(filter(None, path.split("."))) for path in platform.neighbors),
        state=platform.state,
        established=platform.established,
    )


def to_data(action: Action) -> dict[str, Any]:
    """Return an action as JSON holds it, without what it has not."""
    return {
        key: value for key, value in action._asdict().items() if value not in ("", ()) and (key != "begins" or value)
    }
