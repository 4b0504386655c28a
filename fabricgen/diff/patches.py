"""Changes of a device to the steps that carry them out, and to those that take them back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from hashlib import sha256
from typing import NamedTuple

from fabricgen.diagnostics import Bag, Place, Severity
from fabricgen.diagnostics.words import counted
from fabricgen.diff.device import DeviceDiff
from fabricgen.diff.diff_codes import FAILED, NO_PATCH, REFUSED
from fabricgen.diff.failures import tell_failure
from fabricgen.diff.file_diff import FileDiff
from fabricgen.diff.secrets import redact
from fabricgen.diff.sides import Unreadable, decode
from fabricgen.platforms.patching.rollout import Core, Procedure, frame_patch, in_between
from fabricgen.platforms.patching.steps import PatchFault, PatchStep, Situation, StepPhase, replace_file, worst
from fabricgen.platforms.reading.reader import ReadFault, Tree
from fabricgen.platforms.reading.redaction import REFERENCE

_UNTAKEN = "nothing is to be done: it is in no running configuration, and leaves the file when that is written again"
_REFERENCES = "holds references to secrets; put the secrets in their places before you apply it"


class DevicePatch(NamedTuple):
    """Steps on one device.

    Attributes:
        undo: Steps that give the present side back, once all of ``apply`` is done.
        rollback: Steps that take back a part of ``apply``, for as long as nothing is saved.
        tag: Name of the steps, which checkpoints have: equal steps have equal ones.
        stays_drained: The drain of ``apply`` does not end, because the intended side has the device drained.
    """

    device: str
    apply: tuple[PatchStep, ...]
    undo: tuple[PatchStep, ...]
    rollback: tuple[PatchStep, ...]
    disruption: str
    tag: str = ""
    stays_drained: bool = False


def plan_device(diff: DeviceDiff, bag: Bag) -> DevicePatch | None:
    """Plan the patch of a device whose files were read whole; None if nothing is to be done, or nothing can be.

    ``bag`` takes what the device would refuse, whatever is sent.
    """
    files = [file for file in diff.files if file.situation is not None and file.situation.changes]
    try:
        return _plan_allowed(diff, files, bag)
    except PatchFault as fault:
        bag.add(NO_PATCH, f"{diff.name}: no patch: {fault}", place=Place(files[0].shown, 1, 1), device=diff.name)
    except Exception as error:
        message = f"{diff.name}: no patch: {tell_failure(error)}"
        bag.add(FAILED, message, place=Place(files[0].shown, 1, 1), device=diff.name)
    return None


def until_later(patch: DevicePatch) -> DevicePatch:
    """Return a patch that another one follows: its device is not as intended once it is done."""
    return patch._replace(apply=tuple(step._replace(reason=in_between(step.reason)) for step in patch.apply))


def _plan_allowed(diff: DeviceDiff, files: Sequence[FileDiff], bag: Bag) -> DevicePatch | None:
    """The patch of what the device does not refuse."""
    refused = [(file, message) for file in files for message in _refused(file, file.situation)]
    for file, message in refused:
        bag.add(REFUSED, f"{diff.name}: {message}", place=Place(file.shown, 1, 1), device=diff.name)
    for file in diff.files:
        if file.remedy:
            _warn(diff, file, f"no patch of {file.path}, which fabricgen does not write", file.remedy, bag)
    if not files or refused:
        return None
    for file in files:
        _tell_untaken(diff, file, bag)
    return _plan_files(diff, files)


def _tell_untaken(diff: DeviceDiff, file: FileDiff, bag: Bag) -> None:
    """Warn of what a file says and its target has not taken, which no command removes; all else is done."""
    find = file.kind.platform.patcher(file.path).find_untaken
    lines = find(file.situation) if find and file.situation else ()
    if lines:
        shown = " > ".join(file.redaction().steps(lines[0]))
        of = f"{shown!r}" if len(lines) == 1 else f"{counted(len(lines), 'line')}, such as {shown!r},"
        message = f"no command for {of} of {file.path}: no mode of the target has it"
        _warn(diff, file, message, _UNTAKEN, bag)


def _warn(diff: DeviceDiff, file: FileDiff, message: str, hint: str, bag: Bag) -> None:
    """Report something that no patch changes while it changes all else."""
    found, place = Bag(), Place(file.shown, 1, 1)
    found.add(NO_PATCH, f"{diff.name}: {message}", place=place, device=diff.name, hint=hint)
    bag.extend([replace(each, severity=Severity.WARNING) for each in found])


def _plan_files(diff: DeviceDiff, files: Sequence[FileDiff]) -> DevicePatch:
    """Plan the patch of some files of a device; raises PatchFault."""
    apply = tuple(step for file in files for step in _plan(file, file.situation))
    undo = tuple(step for file in reversed(files) for step in _plan(file, file.situation and file.situation.reversed()))
    now = tuple(file.situation for file in files if file.situation)
    later = tuple(situation.reversed() for situation in reversed(now))
    tag = _tag(files, (*apply, *undo))
    unchanged = cache(partial(_read_unchanged, diff))
    done = _frame(files, Core(f"fabricgen-apply-{tag}", apply, undo, now, unchanged))
    undone = _frame(files, Core(f"fabricgen-undo-{tag}", undo, apply, later, unchanged))
    disruption = worst([step.disruption for step in apply])
    return DevicePatch(diff.name, done.steps, undone.steps, done.rollback, disruption, tag, done.stays_drained)


def _frame(files: Sequence[FileDiff], core: Core) -> Procedure:
    """Return the procedure of the first platform of some files that has one."""
    own = (file.kind.platform.procedures().frame_patch for file in files)
    return next((frame for frame in own if frame), frame_patch)(core)


def _read_unchanged(diff: DeviceDiff) -> tuple[Tree, ...]:
    """Return what the files of a device say that its patch leaves alone; what cannot be read is left out."""
    same = (file.situation.before for file in diff.files if file.situation and not file.situation.changes)
    return (*same, *_read_equal(diff))


def _read_equal(diff: DeviceDiff) -> Iterator[Tree]:
    for kind, file in diff.equal:
        data = file.load()
        text = data if isinstance(data, Unreadable) else decode(data)
        if not isinstance(text, Unreadable):
            with suppress(ReadFault):
                yield kind.read(text)


def _tag(files: Sequence[FileDiff], steps: Sequence[PatchStep]) -> str:
    """Return a name of these changes alone: what another change left on the device is never restored for them."""
    texts = (*(file.path for file in files), *(text for step in steps for text in (step.command, step.content)))
    return sha256("\0".join(texts).encode()).hexdigest()[:8]


def _refused(file: FileDiff, situation: Situation | None) -> Sequence[str]:
    find = file.kind.platform.patcher(file.path).find_refused
    return find(situation, file.redaction().steps) if find and situation else ()


def _plan(file: FileDiff, situation: Situation | None) -> Sequence[PatchStep]:
    if situation is None:
        return ()
    is_whole = situation.after and situation.before_text
    steps = file.kind.platform.patcher(file.path).plan(situation) if is_whole else replace_file(situation)
    return [step._replace(reason=_joined(step)) for step in redact(steps, file)]


def _joined(step: PatchStep) -> str:
    """The reason of a step, and a word of warning where its file is not complete."""
    words = [step.reason] if step.reason else []
    if REFERENCE in step.content or REFERENCE in step.command:
        words.append(f"{step.file} {_REFERENCES}")
    return "; ".join(words)


def layout_patch(patch: DevicePatch) -> dict[str, str]:
    """Return the files of a patch by name: those that the steps use, and the steps themselves in order."""
    files: dict[str, str] = {}
    for folder, steps in (("apply", patch.apply), ("undo", patch.undo), ("rollback", patch.rollback)):
        lines = [*_heading(folder), *_cost(steps)]
        names = name_files(steps)
        phase: StepPhase | None = None
        for step in steps:
            if step.phase is not phase and folder != "rollback":
                phase = step.phase
                lines += ["", f"# == {phase.value}"]
            name = names.get((step.file, step.content), "")
            if name:
                files[f"{folder}/{name}"] = step.content
            reason = step.reason.replace("{file}", name)
            if not step.command:
                lines.append(f"# note: {reason}")
                continue
            lines.append(f"# {step.disruption}{_duration(step)}{f' ({reason})' if reason else ''}")
            lines.append(step.command.replace("{file}", name))
        files[f"{folder}/steps"] = "\n".join(lines) + "\n"
    return files


def name_files(steps: Sequence[PatchStep]) -> dict[tuple[str, str], str]:
    """Return the names under which the files of steps lie in their folder, by name and content."""
    names: dict[tuple[str, str], str] = {}
    for step in steps:
        if step.file:
            names.setdefault((step.file, step.content), f"{len(names) + 1}-{step.file}")
    return names


def _heading(folder: str) -> list[str]:
    """Return when to carry the steps of a folder out."""
    return {
        "apply": ["# If a step fails before the save: ../rollback/steps. Afterwards: ../undo/steps."],
        "undo": ["# For a device on which every step of ../apply is done."],
        "rollback": [
            "# For a device on which ../apply failed before the save. A step that finds nothing to do may fail."
        ],
    }[folder]


def _cost(steps: Sequence[PatchStep]) -> list[str]:
    """Return what all steps cost together, where that is known."""
    known = [step.seconds for step in steps if step.seconds]
    if not known:
        return []
    files = f"{len(known)} file{'s' if len(known) > 1 else ''}"
    return [f"# {files}, about {sum(known):,.1f} CPU s of one core of a server; a switch takes longer"]


def _duration(step: PatchStep) -> str:
    return f", about {step.seconds:,.1f} s" if step.seconds else ""
