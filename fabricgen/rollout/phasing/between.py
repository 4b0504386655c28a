"""Files of a device in a state that was never rendered, between the deployed and the intended one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fabricgen.diff.counting import Counting
from fabricgen.diff.file_diff import FileDiff
from fabricgen.diff.tree_changes import TreeComparison, compare_trees
from fabricgen.platforms.patching.steps import ABSENT, Change, Situation, apply_changes
from fabricgen.platforms.reading.reader import ReadFault, Tree


class NotWritten(Exception):  # noqa: N818 - a property of the file
    """A state whose file cannot be written; the message is the reason."""


def first_state(situation: Situation, parts: Sequence[TreeComparison]) -> Tree:
    """Return the deployed state; where the intended file refers to a secret, so does it.

    Args:
        situation: Of the file.
        parts: What differs in it.
    """
    references = []
    for steps in (steps for part in parts for steps in part.secrets):
        value = _value_at(situation.after, steps)
        if value is not ABSENT and _value_at(situation.before, steps) is not ABSENT:
            references.append(Change(steps, ABSENT, value, situation.semantics.root))
    return apply_changes(situation.before, references)


def write_state(file: FileDiff, tree: Tree) -> str:
    """Return the text of a state, which reads back as that state.

    Args:
        file: A file on both sides.
        tree: Its state.

    Raises:
        NotWritten: No such text can be written.
    """
    write = file.kind.format.write
    if write is None:
        raise NotWritten(f"its platform has no writer of {file.path}")
    text = write(tree)
    try:
        read_back = file.kind.read(text)
    except ReadFault as fault:
        raise NotWritten(f"the reader of {file.path} rejects what was written: {fault}") from fault
    if not compare_trees(tree, read_back, file.kind.semantics).is_empty:
        raise NotWritten(f"{file.path} has what its reader cannot write")
    return text


def step_between(file: FileDiff, situation: Situation, intended: bytes) -> FileDiff:
    """Return a file from one state to the next.

    Args:
        file: It on both sides.
        situation: The states, with their texts.
        intended: The text of the later one.
    """
    comparison = compare_trees(situation.before, situation.after, file.kind.semantics)
    return file._replace(
        parts=(comparison,),
        counting=Counting(situation.after),
        situation=situation._replace(changes=tuple(comparison.changes)),
        intended=intended,
        sides=file.sides or file.situation,
    )


def _value_at(tree: Tree, steps: Sequence[str]) -> Any:
    node: Any = tree
    for step in steps:
        node = node.get(step, ABSENT) if isinstance(node, dict) else ABSENT
    return node
