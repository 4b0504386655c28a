"""The difference of a device to the steps that carry it out: expand, migrate, contract.

In each step the device goes from one state to the next. Devices take a step of the same stage in any order, and all of
them are done before the next stage begins. States between the deployed and the intended one are written from trees,
and read back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from fabricgen.diff.device import DeviceDiff
from fabricgen.diff.file_diff import FileDiff
from fabricgen.diff.tree_changes import compare_trees
from fabricgen.platforms.patching.steps import Situation
from fabricgen.platforms.reading.reader import Tree
from fabricgen.rollout.phasing.atoms import Context
from fabricgen.rollout.phasing.kinds import KINDS, RolloutStage
from fabricgen.rollout.phasing.refusals import Refusals
from fabricgen.rollout.phasing.states import StagedFile, stage_file
from fabricgen.rollout.phasing.widths import sessions_double, sessions_go

_NAMES = {
    RolloutStage.accept: "expand",
    RolloutStage.ready: "expand",
    RolloutStage.migrate: "migrate",
    RolloutStage.cease: "contract",
    RolloutStage.drop: "contract",
    RolloutStage.rehash: "rehash",
}
_HOSTS = "hosts"


class DeviceStep(NamedTuple):
    """A device from one state to the next.

    Attributes:
        stage: When it is taken.
        kinds: Kinds of the changes that need this stage; none where the stage is as good as any other.
        device: The device, with its files before and after the step.
        is_free: Any other stage would do: it is the only step, and nothing on another device waits for it.
    """

    stage: RolloutStage
    kinds: frozenset[str]
    device: DeviceDiff
    is_free: bool = False


def split_device(device: DeviceDiff, refusals: Refusals, contract: RolloutStage | None = None) -> list[DeviceStep]:
    """Split the difference of a device.

    Args:
        device: Its files were read whole.
        refusals: Takes what cannot be split.
        contract: Stage of what both ends of a link agree on; None where that needs none.

    Returns:
        Its steps in their order; a device without changes has one.
    """
    situations = [file.situation for file in device.files if file.situation is not None]
    doubles, loses = (any(map(find, situations)) for find in (sessions_double, sessions_go))
    context = Context(device.kind == _HOSTS, contract, doubles, loses)
    staged = _stage_files(device, context, refusals)
    stages = sorted({stage for file in staged for stage, kinds in file.kinds.items() if kinds})
    if len(stages) < 2:
        stage = stages[0] if stages else RolloutStage.migrate
        return [DeviceStep(stage, _kinds(stage, staged), device, is_free=not stages)]
    found = _by_stage(staged, stages)
    # What no patch changes, such as files of others that override ours, is reported with the first step.
    found[stages[0]] += [file for file in device.files if file.situation is None]
    return [
        DeviceStep(stage, _kinds(stage, staged), replace(device, files=found[stage], resting=resting))
        for stage, resting in zip(stages, _rest(device, found.values()), strict=True)
    ]


def _stage_files(device: DeviceDiff, context: Context, refusals: Refusals) -> list[StagedFile]:
    """Return the files of a device that change, each with its stages."""
    return [
        stage_file(file, _with_two_ends(file, file.situation), context, refusals.of(device, file))
        for file in device.files
        if file.situation is not None and file.situation.changes
    ]


def _by_stage(staged: Iterable[StagedFile], stages: Sequence[RolloutStage]) -> dict[RolloutStage, list[FileDiff]]:
    """Return the steps of files by stage; a file that needs no stage of its own goes with the first."""
    found: dict[RolloutStage, list[FileDiff]] = {stage: [] for stage in stages}
    for file in staged:
        for stage, step in file.steps.items():
            found[stage if file.kinds.get(stage) else stages[0]].append(step)
    return found


def _rest(device: DeviceDiff, steps: Iterable[Sequence[FileDiff]]) -> Iterator[list[Tree]]:
    """Yield for each step the files that it leaves alone, as the steps before it have left them."""
    states = {file.path: file.situation.before for file in device.files if file.situation is not None}
    for files in steps:
        changed = {file.path: file.situation.after for file in files if file.situation is not None}
        yield [*device.resting, *(tree for path, tree in states.items() if path not in changed)]
        states |= changed


def _with_two_ends(file: FileDiff, situation: Situation) -> Situation:
    """Return a file without the changes of policies that only demote drained routes: they have no other end."""
    demote = file.kind.platform.demotion().demote
    if demote is None:
        return situation
    before: Tree = demote(situation.before, situation.after)
    if before is situation.before:
        return situation
    changes = compare_trees(before, situation.after, situation.semantics).changes
    return situation._replace(before=before, changes=tuple(changes))


def name_phase(stage: RolloutStage, kinds: Iterable[str], tiers: Iterable[str] = ()) -> str:
    """Return the name of a phase for people, with the kinds of changes that need it, and the tiers that it is about."""
    titles = [ends.title for kind, ends in KINDS.items() if kind in set(kinds)]
    about = ", ".join((*titles, *(f"tier {tier}" for tier in sorted(tiers))))
    return f"{_NAMES[stage]}: {about}" if about else _NAMES[stage]


def explain_phase(kinds: Iterable[str]) -> str:
    """Return the reason for the order of phases, as far as kinds of changes decide it."""
    return "; ".join(ends.rule for kind, ends in KINDS.items() if kind in set(kinds))


def _kinds(stage: RolloutStage, files: Iterable[StagedFile]) -> frozenset[str]:
    return frozenset(kind for file in files for kind in file.kinds.get(stage, ()))
