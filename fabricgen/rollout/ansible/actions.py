"""Actions of a device as data: what the tasks of the playbook do on it, stage by stage, and the rollback."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fabricgen.platforms.patching.steps import Phase
from fabricgen.platforms.patching.timer import UNIT, waits_s
from fabricgen.rollout.ansible.steps import Step, list_looks, list_steps
from fabricgen.rollout.bundle import PlannedDevice, PlannedPlatform, PlannedStep
from fabricgen.rollout.expectation import EXPECTED, read_expectation, write_script

_KEEPING = (Phase.confirm.value, Phase.undrain.value, Phase.save.value, Phase.restart.value)
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
    steps: tuple[Step, ...]
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


def list_actions(
    device: PlannedDevice,
    platforms: Mapping[str, PlannedPlatform],
    contents: Mapping[str, bytes],
    mates: Collection[str] = (),
) -> dict[str, Any]:
    """Return what the playbook does on a device.

    Args:
        device: The device.
        platforms: Platforms by name: its own, and those of its neighbors.
        contents: Files of the bundle by their path.
        mates: Drained devices of its wave: whatever they show of it, their own drain may be the reason.

    Returns:
        Steps by stage: up to the drain, the change, and what keeps it; the readings around them; the rollback.
    """
    platform = platforms[device.platform]
    before, after = ([each for each in device.checks if each.when == when] for when in ("before", "after"))
    sessions = _sessions(device, platform)
    shown = [each for each in after if not sessions or each.subject != "sessions"]
    rollback = list_steps(device, device.rollback, platform, contents)
    stages = zip(_STAGES, _split(device.steps), strict=True)
    last = platform.saves if any(step.phase == Phase.confirm.value for step in device.steps) else None
    return {
        "device": device.name,
        "shell": platform.shell,
        "tasks": _tasks(platform),
        "folder": _REMOTE,
        "drains": is_drained(device),
        "moves_to": device.moves_to,
        "alone": not {*mates} - {device.name},
        "proofs": list(_proofs(device, platforms, "drained")),
        "returns": list(_proofs(device, platforms, "undrained", mates)),
        "readings": _readings(contents.get(f"{device.folder}/{EXPECTED}")),
        "before": [step.to_data() for step in list_looks(before, platform)],
        **{stage: _parts(list_steps(device, steps, platform, contents), last) for stage, steps in stages},
        "sessions": sessions,
        "after": [step.to_data() for step in list_looks(shown, platform)],
        "rollback": [step.to_data() for step in rollback if step.do == "run"],
    }


def find_timer(device: PlannedDevice) -> tuple[int, bool] | None:
    """Return the seconds that the timer of a device leaves for waiting, and whether its drain is among that.

    Returns:
        None where nothing takes the change back by itself.
    """
    if not any(step.phase == Phase.confirm.value for step in device.steps):
        return None
    is_first = any(UNIT in step.command for step in device.steps if step.phase == Phase.back_up.value)
    drained = is_first and is_drained(device)
    return waits_s(drained=drained), drained


def is_drained(device: PlannedDevice) -> bool:
    """Return whether traffic is moved away from a device."""
    return any(step.phase == Phase.drain.value for step in device.steps)


def _split(steps: Sequence[PlannedStep]) -> tuple[Sequence[PlannedStep], ...]:
    """Return the steps up to the end of the drain, or of the back-up without one; the change; and what keeps it."""
    phases = [step.phase for step in steps]
    kept = next((at for at, phase in enumerate(phases) if phase in _KEEPING), len(phases))
    if Phase.drain.value in phases:
        prepared = len(phases) - phases[::-1].index(Phase.drain.value)
    else:
        prepared = next((at for at, phase in enumerate(phases) if phase != Phase.back_up.value), len(phases))
    return steps[:prepared], steps[prepared:kept], steps[kept:]


def _parts(steps: Iterable[Step], saves: str | None) -> list[dict[str, Any]]:
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


def _begins_part(step: Step, last: _Part, saves: str | None) -> bool:
    """Return whether a step is not of the last part."""
    if step.do == "restart" or last.saves or (saves and step.command == saves):
        return True
    return step.begins and not last.begins and bool(last.steps)


def _tasks(platform: PlannedPlatform) -> str:
    """Return the folder of task files that operate a platform."""
    return "posix" if platform.shell == "posix" else platform.name


def _proofs(
    device: PlannedDevice, platforms: Mapping[str, PlannedPlatform], when: str, left: Collection[str] = ()
) -> Iterator[dict[str, Any]]:
    """Yield the questions to neighbors that prove a drain or its end, by what asks them, without those left out."""
    for check in device.checks:
        places: dict[str, list[dict[str, str]]] = {}
        for place in check.at if check.when == when and check.values.get("routes") else ():
            if place.platform in platforms and place.device not in left:
                told = check.command.replace("{neighbor}", place.neighbor)
                asked = {
                    "device": place.device,
                    "neighbor": place.neighbor,
                    "command": told,
                    "expected": check.expected,
                }
                places.setdefault(_tasks(platforms[place.platform]), []).append(asked)
        for tasks, found in places.items():
            routes = str(check.values["routes"]).split(".")
            used = [str(path).split(".") for path in check.values.get("used", ())]
            yield {"tasks": tasks, **check.values, "routes": routes, "used": used, "places": found}


def _readings(data: bytes | None) -> str | list[str]:
    """Return what takes all readings that are judged: lines of a shell, or commands of a command line."""
    found = read_expectation(data) if data is not None else None
    if found is None:
        return []
    return write_script(found.readings) if found.shell == "posix" else [each.command for each in found.readings]


def _sessions(device: PlannedDevice, platform: PlannedPlatform) -> dict[str, Any]:
    """Return the sessions that have to be established, and how the answer that has them is read; empty if none are."""
    for check in device.checks:
        neighbors = check.values.get("neighbors")
        if check.when == "after" and check.subject == "sessions" and neighbors is not None and platform.state:
            return {
                "command": check.command,
                "expected": [row["neighbor"] for row in neighbors],
                "neighbors": [[key for key in path.split(".") if key] for path in platform.neighbors],
                "state": platform.state,
                "established": platform.established,
            }
    return {}
