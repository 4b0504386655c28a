"""Changes of a device to the steps that carry them out, and to those that take them back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from fabricgen.diff.compare import TOKEN
from fabricgen.diff.device import DeviceDiff, FileDiff
from fabricgen.platforms.patching import Situation, Step, replace_file, worst
from fabricgen.platforms.reading import load_module

_REFERENCES = "holds references to secrets; put the secrets in their places before you apply it"


class DevicePatch(NamedTuple):
    """What to do on one device.

    Attributes:
        apply: Steps that give the intended side.
        undo: Steps that give the present side back.
        disruption: The greatest of the steps that apply.
    """

    device: str
    apply: tuple[Step, ...]
    undo: tuple[Step, ...]
    disruption: str


def plan_device(diff: DeviceDiff) -> DevicePatch | None:
    """Plan the patch of a device whose files were read whole; None if nothing is to be done."""
    files = [file for file in diff.files if file.situation is not None and file.situation.changes]
    if not files:
        return None
    apply = [step for file in files for step in _plan(file, file.situation)]
    undo = [step for file in reversed(files) for step in _plan(file, _way_back(file.situation))]
    return DevicePatch(diff.name, tuple(apply), tuple(undo), worst([step.disruption for step in apply]))


def _way_back(situation: Situation | None) -> Situation | None:
    return situation.reversed() if situation else None


def _plan(file: FileDiff, situation: Situation | None) -> Sequence[Step]:
    if situation is None:
        return ()
    if file.kind.semantics.patch and situation.before and situation.after:
        steps = load_module(file.kind.semantics.patch).plan_patch(situation)
    else:
        steps = replace_file(situation)
    return [step._replace(reason=_joined(step)) for step in steps]


def _joined(step: Step) -> str:
    """The reason of a step, and a word of warning where its file is not complete."""
    words = [step.reason] if step.reason else []
    if TOKEN in step.content:
        words.append(f"{step.file} {_REFERENCES}")
    return "; ".join(words)


def layout_patch(patch: DevicePatch) -> dict[str, str]:
    """The files of a patch by name: what the steps use, and the steps themselves in order."""
    files: dict[str, str] = {}
    for folder, steps in (("apply", patch.apply), ("undo", patch.undo)):
        lines = []
        for number, step in enumerate(steps, 1):
            name = f"{folder}/{number}-{step.file}" if step.file else ""
            if name:
                files[name] = step.content
            note = f" ({step.reason})" if step.reason else ""
            lines.append(f"# {step.disruption}{note}")
            lines.append(step.command.replace("{file}", name.rpartition("/")[2]))
        files[f"{folder}/steps"] = "\n".join(lines) + "\n"
    return files
