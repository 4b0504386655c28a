"""States of a file between the deployed and the intended one, each with its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from fabricgen.diff.file_diff import FileDiff
from fabricgen.platforms.patching.steps import ABSENT, Change, Situation, apply_changes
from fabricgen.rollout.phasing.atoms import Atom, ChangePart, Context
from fabricgen.rollout.phasing.between import NotWritten, first_state, step_between, write_state
from fabricgen.rollout.phasing.kinds import RolloutStage
from fabricgen.rollout.phasing.parts import split_changes
from fabricgen.rollout.phasing.refusals import RefuseFile


class StagedFile(NamedTuple):
    """A file by stage.

    Attributes:
        steps: What each stage changes in it, in their order.
        kinds: Kinds of the changes that made each stage.
    """

    steps: Mapping[RolloutStage, FileDiff]
    kinds: Mapping[RolloutStage, frozenset[str]]


def stage_file(file: FileDiff, situation: Situation, context: Context, refuse: RefuseFile) -> StagedFile:
    """Return what each stage changes in a file.

    Args:
        file: It differs.
        situation: Of the file.
        context: Of its device.
        refuse: Takes what cannot be split.
    """
    refuse.addresses_of_another(situation.changes)
    parts = split_changes(situation, context)
    for part in parts:
        if part.refused:
            refuse.one_value(part)
        elif part.renumbers:
            refuse.number_of_another(*part.renumbers)
    atoms = [atom for part in parts for atom in part.atoms]
    plan = _StagePlan(atoms)
    kinds = {stage: frozenset(atom.kind for atom in atoms if atom.stage is stage) for stage in plan.stages}
    if len(plan.stages) == 1:
        return StagedFile({plan.stages[0]: file}, kinds)
    steps = dict(zip(plan.stages, _step_through(file, situation, parts, plan, refuse), strict=False))
    return StagedFile(steps, kinds)


class _StagePlan:
    """Stages of the atoms of one file; those without a stage of their own go with the first or the last."""

    def __init__(self, atoms: Sequence[Atom]) -> None:
        own = sorted({atom.stage for atom in atoms if atom.stage})
        self.stages: list[RolloutStage] = own or [RolloutStage.migrate]

    def stage_of(self, atom: Atom) -> RolloutStage:
        """Return the stage in which an atom is carried out."""
        return atom.stage or self.stages[-1 if atom.removes else 0]


def _step_through(
    file: FileDiff, situation: Situation, parts: Sequence[ChangePart], plan: _StagePlan, refuse: RefuseFile
) -> Iterator[FileDiff]:
    """Yield the file of each stage: what it is before and after."""
    state, text = first_state(situation, file.parts), situation.before_text
    start = situation.before
    for stage in plan.stages[:-1]:
        after = apply_changes(state, list(_changes_until(stage, parts, plan)))
        try:
            after_text = write_state(file, after)
        except NotWritten as fault:
            refuse.not_written(str(fault))
            return
        step = situation._replace(before=start, after=after, before_text=text, after_text=after_text)
        yield step_between(file, step, after_text.encode())
        start, text = after, after_text
    yield step_between(file, situation._replace(before=start, before_text=text), file.intended)


def _changes_until(stage: RolloutStage, parts: Sequence[ChangePart], plan: _StagePlan) -> Iterator[Change]:
    """Yield what differs from the first state once a stage is done."""
    for part in parts:
        value = part.build(lambda atom: plan.stage_of(atom) <= stage)
        before = part.change.before
        if (value is ABSENT) != (before is ABSENT) or value != before:
            yield part.change._replace(after=value)
