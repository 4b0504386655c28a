"""States of a file between the deployed and the intended one, each with its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from fabricgen.diff.counting import Counting
from fabricgen.diff.device import FileDiff
from fabricgen.diff.tree_changes import Comparison, compare_trees
from fabricgen.platforms.patching.steps import ABSENT, Change, Situation, apply_changes
from fabricgen.platforms.reading.reader import ReadFault, Tree
from fabricgen.platforms.reading.writer import Write, find_writer
from fabricgen.rollout.phasing.atoms import Atom, Context, Part
from fabricgen.rollout.phasing.kinds import Stage
from fabricgen.rollout.phasing.parts import split_changes
from fabricgen.rollout.phasing.refusals import RefuseFile


class StagedFile(NamedTuple):
    """A file by stage.

    Attributes:
        steps: What each stage changes in it, in their order.
        kinds: Kinds of the changes that made each stage.
    """

    steps: Mapping[Stage, FileDiff]
    kinds: Mapping[Stage, frozenset[str]]


def stage_file(file: FileDiff, situation: Situation, context: Context, refuse: RefuseFile) -> StagedFile:
    """Return what each stage changes in a file.

    Args:
        file: It differs.
        situation: Of the file.
        context: Of its device.
        refuse: Takes what cannot be split.
    """
    parts = split_changes(situation, context)
    for part in parts:
        if part.refused:
            refuse.one_value(part.change, part.refused)
    atoms = [atom for part in parts for atom in part.atoms]
    plan = _Plan(atoms)
    kinds = {stage: frozenset(atom.kind for atom in atoms if atom.stage is stage) for stage in plan.stages}
    if len(plan.stages) == 1:
        return StagedFile({plan.stages[0]: file}, kinds)
    steps = dict(zip(plan.stages, _step_through(file, situation, parts, plan, refuse), strict=False))
    return StagedFile(steps, kinds)


class _Plan:
    """Stages of the atoms of one file; those without a stage of their own go with the first or the last."""

    def __init__(self, atoms: Sequence[Atom]) -> None:
        own = sorted({atom.stage for atom in atoms if atom.stage})
        self.stages: list[Stage] = own or [Stage.migrate]

    def stage_of(self, atom: Atom) -> Stage:
        """Return the stage in which an atom is carried out."""
        return atom.stage or self.stages[-1 if atom.removes else 0]


def _step_through(
    file: FileDiff, situation: Situation, parts: Sequence[Part], plan: _Plan, refuse: RefuseFile
) -> Iterator[FileDiff]:
    """Yield the file of each stage: what it is before and after."""
    write = find_writer(file.path, file.kind.semantics)
    if write is None:
        refuse.not_written(f"its platform has no writer of {file.path}")
        return
    state, text = _with_references(situation, file.parts), situation.before_text
    start = situation.before
    for stage in plan.stages[:-1]:
        after = apply_changes(state, list(_changes_until(stage, parts, plan)))
        after_text = _written(file, write, after, refuse)
        if after_text is None:
            return
        step = situation._replace(before=start, after=after, before_text=text, after_text=after_text)
        yield _step(file, step, after_text.encode())
        start, text = after, after_text
    yield _step(file, situation._replace(before=start, before_text=text), file.intended)


def _changes_until(stage: Stage, parts: Sequence[Part], plan: _Plan) -> Iterator[Change]:
    """Yield what differs from the first state once a stage is done."""
    for part in parts:
        value = part.build(lambda atom: plan.stage_of(atom) <= stage)
        before = part.change.before
        if (value is ABSENT) != (before is ABSENT) or value != before:
            yield part.change._replace(after=value)


def _with_references(situation: Situation, parts: Sequence[Comparison]) -> Tree:
    """The first state; where the intended file refers to a secret, so do the states between."""
    references = []
    for steps in (steps for part in parts for steps in part.withheld):
        value = _value_at(situation.after, steps)
        if value is not ABSENT and _value_at(situation.before, steps) is not ABSENT:
            references.append(Change(steps, ABSENT, value, situation.semantics.root))
    return apply_changes(situation.before, references)


def _value_at(tree: Tree, steps: Sequence[str]) -> Any:
    node: Any = tree
    for step in steps:
        node = node.get(step, ABSENT) if isinstance(node, dict) else ABSENT
    return node


def _written(file: FileDiff, write: Write, tree: Tree, refuse: RefuseFile) -> str | None:
    """The text of a state, once it is read back as that state; None if it is not."""
    text = write(tree)
    try:
        read_back = file.kind.read(text)
    except ReadFault as fault:
        refuse.not_written(f"the reader of {file.path} rejects what was written: {fault}")
        return None
    if not compare_trees(tree, read_back, file.kind.semantics).says_nothing:
        refuse.not_written(f"{file.path} has what its reader cannot write")
        return None
    return text


def _step(file: FileDiff, situation: Situation, intended: bytes) -> FileDiff:
    """The file from one state to the next."""
    comparison = compare_trees(situation.before, situation.after, file.kind.semantics)
    return file._replace(
        parts=(comparison,),
        counting=Counting(situation.after),
        situation=situation._replace(changes=tuple(comparison.changes)),
        intended=intended,
    )
