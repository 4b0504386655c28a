"""First step of a command that opens a tree: finish or undo the commit of one that died."""

from __future__ import annotations

from collections.abc import Sequence

from fabricgen.diagnostics import Bag
from fabricgen.render.tree.commit import (
    Applier,
    CommitFolders,
    close_journal,
    remove_journal,
    report_stopped,
    turn_back,
)
from fabricgen.render.tree.durability import Durability
from fabricgen.render.tree.filesystem import Filesystem, describe_error, read_file
from fabricgen.render.tree.journal import JOURNAL_PATH, JournalStep, decode_journal, describe_damage, invert_steps
from fabricgen.render.tree.survey import Survey
from fabricgen.render.tree.tree_codes import (
    COMMIT_BLOCKED,
    COMMIT_UNDONE,
    JOURNAL_DAMAGED,
    JOURNAL_IGNORED,
    ROLLED_FORWARD,
)


def settle_commit(fs: Filesystem, disk: Durability, root: str, bag: Bag, *, force: bool) -> bool:
    """Finish the commit of a process that died behind its commit point, or undo it; raises OSError.

    It is finished if everything it needs is there and the system lets it; otherwise it is undone.

    Args:
        fs: System calls.
        disk: The tree's file system.
        root: The tree, locked.
        bag: Takes diagnostics.
        force: Finish over files edited since, and drop what can neither be finished nor undone.

    Returns:
        Whether the tree holds no unfinished commit any more.
    """
    try:
        raw = read_file(fs, f"{root}/{JOURNAL_PATH}")
    except FileNotFoundError:
        return True
    decoded = decode_journal(raw)
    if decoded is None:
        place = CommitFolders(fs, disk, root, "")
        code = JOURNAL_IGNORED if force else JOURNAL_DAMAGED
        bag.add(code, f"{place.journal} {describe_damage(raw)}")
        if force:
            remove_journal(place)
        return force
    scratch, steps = decoded
    return _Recovery(CommitFolders(fs, disk, root, scratch), steps, bag, force).run()


class _Recovery:
    """Settles one journal."""

    def __init__(self, place: CommitFolders, steps: Sequence[JournalStep], bag: Bag, force: bool) -> None:
        self._place = place
        self._steps = steps
        self._bag = bag
        self._force = force

    def run(self) -> bool:
        """Finish the commit or undo it; whether that was possible."""
        try:
            return self._run()
        except OSError as error:
            report_stopped(self._place, self._steps, None, describe_error(error), self._bag)
            return False

    def _run(self) -> bool:
        place, steps = self._place, self._steps
        survey = Survey(place.fs, place.root, place.scratch, steps, force=self._force)
        if survey.blocked:
            for path, reason in survey.blocked.items():
                text = f"{place.root}/{path} blocks the unfinished commit of a command that died: {reason}"
                self._bag.add(COMMIT_BLOCKED, text)
            return False
        if survey.lost:
            back = Survey(place.fs, place.root, place.scratch, invert_steps(steps), back=True)
            if not back.faults:
                return self._undo(survey.lost[0], len(steps) - len(survey.pending))
            code = JOURNAL_IGNORED if self._force else JOURNAL_DAMAGED
            for text in [*survey.lost, *back.faults]:
                self._bag.add(code, text)
            if not self._force:
                return False
        return self._finish(survey.pending)

    def _finish(self, pending: Sequence[JournalStep]) -> bool:
        forward, count = Applier(self._place), len(self._steps)
        before = count - len(pending)
        try:
            forward.apply(self._steps, pending)
        except OSError as error:
            return self._undo(describe_error(error), before + forward.done)
        if not close_journal(self._place, self._steps, self._bag):
            return False
        root = self._place.root
        text = f"{root}: finished the commit of a command that died ({len(pending)} of {count} steps were open)"
        self._bag.add(ROLLED_FORWARD, text)
        return True

    def _undo(self, reason: str, done: int) -> bool:
        retreat = turn_back(self._place, self._steps, done)
        if retreat.fault:
            report_stopped(self._place, self._steps, retreat.left, f"{reason}, and then {retreat.fault}", self._bag)
            return False
        root, count = self._place.root, len(self._steps)
        text = f"{root}: undid the commit of a command that died ({retreat.undone} of {count} steps): {reason}"
        self._bag.add(COMMIT_UNDONE, text)
        return True
