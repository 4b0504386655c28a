"""Routing configurations that lead from one to another stage by stage, for devices whose own does not run here.

The device goes through states of its own platform; its equivalent goes through those that the same change has here.
"""

from __future__ import annotations

from functools import cache

from fabricgen.diagnostics import Bag
from fabricgen.diff.counting import Counting
from fabricgen.diff.device import DeviceDiff
from fabricgen.diff.file_diff import FileDiff
from fabricgen.diff.kinds import FileKind, load_kinds
from fabricgen.diff.tree_changes import compare_trees
from fabricgen.lab.model.routing_suite import CONFIG_PATH
from fabricgen.platforms.families.vtysh.patch import list_commands
from fabricgen.platforms.patching.steps import Situation
from fabricgen.rollout.phasing.atoms import Context
from fabricgen.rollout.phasing.kinds import RolloutStage
from fabricgen.rollout.phasing.refusals import Refusals
from fabricgen.rollout.phasing.states import stage_file

_CONTEXT = Context(is_host=False)


def find_halfway(before: str, after: str, stage: RolloutStage) -> str:
    """Return the configuration of a switch once a stage is done.

    Args:
        before: As it is deployed.
        after: As it is intended.
        stage: The last stage that is done.
    """
    found = _compare(before, after) if before != after else None
    if found is None:
        return before
    kind, situation = found
    file = FileDiff(
        CONFIG_PATH, CONFIG_PATH, kind, (), Counting(situation.after), situation, after.encode(), is_ours=True
    )
    refusals = Refusals()
    staged = stage_file(file, situation, _CONTEXT, refusals.of(DeviceDiff("", "switches"), file))
    texts = [step.intended.decode() for reached, step in staged.steps.items() if reached <= stage]
    return texts[-1] if texts and not refusals.any else before


def work_out(before: str, after: str) -> str:
    """Return the commands that lead a running daemon from one configuration to another."""
    found = _compare(before, after) if before != after and before and after else None
    return "".join(f"{line}\n" for line in list_commands(found[1])) if found else ""


@cache
def _kind() -> FileKind:
    return load_kinds(None, Bag()).of_device("switches", [CONFIG_PATH])[CONFIG_PATH]


def _compare(before: str, after: str) -> tuple[FileKind, Situation]:
    kind = _kind()
    have, wanted = kind.read(before), kind.read(after)
    changes = compare_trees(have, wanted, kind.semantics).changes
    return kind, Situation(CONFIG_PATH, changes, have, wanted, before, after, kind.semantics)
