"""Doing the steps of a commit, and undoing them when the system refuses one or the process dies.

Before the first step every new file is staged, and every file that goes is kept under a second name. From then on a
step is one call that moves a name, and undoing is as short as doing (docs/adr/0016). A survey of the disk tells which
steps are still to be undone.
"""

from __future__ import annotations

import contextlib
import errno
import stat
from collections.abc import Callable, Sequence
from typing import NamedTuple

from fabricgen.diagnostics import Bag
from fabricgen.render.render_codes import COMMIT_STOPPED
from fabricgen.render.tree.durability import Durability
from fabricgen.render.tree.filesystem import (
    Filesystem,
    change_mode,
    create_file,
    describe_error,
    read_file,
    remove_if_empty,
    report_os_error,
    status_or_none,
)
from fabricgen.render.tree.journal import (
    CHMOD,
    DELETE,
    JOURNAL_PATH,
    MAKE,
    PRUNE,
    REPLACE,
    JournalStep,
    encode_journal,
    folders_of,
    has_journal,
    invert_steps,
)
from fabricgen.render.tree.stager import (
    ABSENT,
    FILE,
    FOLDER,
    MANIFEST_FOLDER,
    SYMLINK,
    find,
    folders_above,
    kept_path,
    staged_path,
)

# The file system has no hard links, or this user may not make one of this file.
_NO_LINK = frozenset({errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK, errno.EXDEV})
_INTERRUPTED = OSError(errno.EINTR, "Interrupted")


class CommitFolders(NamedTuple):
    """A locked tree, its file system, opened before anything was staged, and the name of its staging folder."""

    fs: Filesystem
    disk: Durability
    root: str
    scratch: str

    @property
    def staging(self) -> str:
        """Absolute path of the staging folder."""
        return f"{self.root}/{MANIFEST_FOLDER}/{self.scratch}"

    @property
    def journal(self) -> str:
        """Absolute path of the journal while the steps are done."""
        return f"{self.root}/{JOURNAL_PATH}"


class Survey:
    """Holds every undoing step against what lies there now; nothing is changed.

    Attributes:
        blocked: Why a path must be left alone, by path: it changed since.
        lost: Kept files that are needed and no longer there.
    """

    def __init__(self, place: CommitFolders, steps: Sequence[JournalStep], *, force: bool = False) -> None:
        """Look at every path; with ``force`` edited files may be replaced and deleted; raises OSError."""
        self._place = place
        self._force = force
        self._folders = {step.path for step in steps if step.action in (MAKE, PRUNE)}
        self._entries = {step.path for step in steps if step.action not in (MAKE, PRUNE)}
        self.blocked: dict[str, str] = {}
        self.lost: list[str] = []
        self.undo = invert_steps(steps)
        self.pending = [step for step in self.undo if self._is_pending(step)]

    @property
    def faults(self) -> list[str]:
        """Everything for which the steps must not be undone."""
        return [*(f"{self._place.root}/{path}: {reason}" for path, reason in self.blocked.items()), *self.lost]

    def _is_pending(self, step: JournalStep) -> bool:
        if not self._folders_are_plain(step.path):
            return False
        if step.action in (MAKE, PRUNE):
            return self._is_folder_pending(step)
        found = find(self._place.fs, f"{self._place.root}/{step.path}")
        if step.action == CHMOD:
            return found.kind == FILE and found.mode != step.mode
        if found.digest == step.new:
            return False
        if found.kind == FOLDER and step.path in self._folders:
            # Where a file and a folder change places, the folder stands for the other side of the commit.
            return step.new != ABSENT and self._is_kept(step)
        replaceable = found.kind in (ABSENT, FILE, SYMLINK) and self._force
        if found.digest not in (step.old, ABSENT) and not replaceable:
            self.blocked.setdefault(step.path, "it is neither the file before nor the one after the commit")
            return False
        return step.new == ABSENT or self._is_kept(step)

    def _is_folder_pending(self, step: JournalStep) -> bool:
        status = status_or_none(self._place.fs, f"{self._place.root}/{step.path}")
        is_folder = status is not None and stat.S_ISDIR(status.st_mode)
        if step.action == PRUNE:
            return is_folder
        if status is not None and not is_folder and step.path not in self._entries:
            self.blocked.setdefault(step.path, "it is no longer a folder")
        return not is_folder

    def _folders_are_plain(self, path: str) -> bool:
        for folder in folders_above(path):
            status = status_or_none(self._place.fs, f"{self._place.root}/{folder}")
            if status is None or stat.S_ISDIR(status.st_mode) or folder in self._entries:
                continue
            self.blocked.setdefault(folder, "it is no longer a folder")
            return False
        return True

    def _is_kept(self, step: JournalStep) -> bool:
        if find(self._place.fs, kept_path(self._place.staging, step.path)).digest == step.new:
            return True
        self.lost.append(f"the kept file for {self._place.root}/{step.path} is gone or damaged")
        return False


class Retreat(NamedTuple):
    """Result of undoing a commit.

    Attributes:
        left: The first so many steps of the journal are still done.
        fault: What stopped it; empty if the tree is the old one again and the journal is gone.
    """

    undone: int
    left: int
    fault: str


def _apply(
    place: CommitFolders,
    steps: Sequence[JournalStep],
    pending: Sequence[JournalStep],
    source: Callable[[str, str], str],
    done: list[JournalStep],
) -> None:
    """Do the pending ones of some steps, note each, and make all of them durable; raises OSError that names a path."""
    for step in pending:
        path = f"{place.root}/{step.path}"
        try:
            _do(place.fs, step, path, source(place.staging, step.path))
        except OSError as error:
            error.filename = path
            raise
        done.append(step)
    changed = {step.path for step in steps if step.action == CHMOD}
    place.disk.keep({place.root, *(f"{place.root}/{path}" for path in folders_of(steps) | changed)})


def _do(fs: Filesystem, step: JournalStep, path: str, source: str) -> None:
    if step.action == REPLACE:
        fs.rename(source, path)
    elif step.action == DELETE:
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            fs.remove(path)
    elif step.action == PRUNE:
        remove_if_empty(fs, path)
    elif step.action == MAKE:
        with contextlib.suppress(FileExistsError):
            fs.make_folder(path)
        if step.mode:
            change_mode(fs, path, step.mode)
    else:
        change_mode(fs, path, step.mode)


def commit_steps(place: CommitFolders, steps: Sequence[JournalStep], bag: Bag) -> bool:
    """Make staged files and the journal durable, then do the steps in their order or undo them.

    Return whether all are done, which `end_commit` makes final; if not, the tree is the old one, or the diagnostic
    names the steps that are done. Raises OSError if the system refuses something before the first step.
    """
    fs, disk, root, staging = place.fs, place.disk, place.root, place.staging
    folder, journal = f"{root}/{MANIFEST_FOLDER}", f"{staging}/journal"
    copies = keep_old(place, steps)
    create_file(fs, journal, encode_journal(place.scratch, steps), 0o644)
    staged = {staged_path(staging, step.path) for step in steps if step.action == REPLACE}
    disk.keep(staged | copies | {journal, staging, folder, root})
    done: list[JournalStep] = []
    try:
        fs.rename(journal, place.journal)
        disk.keep([folder])
        _apply(place, steps, steps, staged_path, done)
    except OSError as error:
        _give_up(place, steps, len(done), error, bag)
        return False
    except KeyboardInterrupt:
        _give_up(place, steps, len(done), _INTERRUPTED, bag)
        raise
    return True


def end_commit(place: CommitFolders, steps: Sequence[JournalStep], bag: Bag) -> bool:
    """Remove the journal, the commit point: a later run that finds it undoes the steps by the staging folder."""
    try:
        remove_journal(place)
    except OSError as error:
        if has_journal(place.fs, place.root):
            report_stopped(place, steps, len(steps), describe_error(error), bag)
        else:
            text = f"{place.root} is complete, but may not survive a power loss: {describe_error(error)}"
            bag.add(COMMIT_STOPPED, text)
        return False
    return True


def keep_old(place: CommitFolders, steps: Sequence[JournalStep]) -> set[str]:
    """Give files that go a second name in the staging folder; return those that were copied; raises OSError."""
    fs, copies = place.fs, set()
    for step in steps:
        if step.action not in (REPLACE, DELETE) or step.old == ABSENT:
            continue
        path, kept = f"{place.root}/{step.path}", kept_path(place.staging, step.path)
        try:
            fs.link(path, kept)
        except OSError as error:
            error.filename = path
            status = status_or_none(fs, path)
            if error.errno not in _NO_LINK or status is None or not stat.S_ISREG(status.st_mode):
                raise
            create_file(fs, kept, read_file(fs, path), stat.S_IMODE(status.st_mode))
            copies.add(kept)
    return copies


def turn_back(place: CommitFolders, steps: Sequence[JournalStep], done: int) -> Retreat:
    """Undo steps of which the first so many are done, and the next one may be."""
    try:
        if done == 0 and not has_journal(place.fs, place.root):
            return Retreat(0, 0, "")
        survey = Survey(place, steps)
    except OSError as error:
        return Retreat(0, done, describe_error(error))
    return Retreat(0, done, survey.faults[0]) if survey.faults else undo_steps(place, survey)


def undo_steps(place: CommitFolders, survey: Survey) -> Retreat:
    """Undo the steps of a commit as far as they are done, and remove its journal."""
    undone: list[JournalStep] = []
    fault = ""
    try:
        _apply(place, survey.undo, survey.pending, kept_path, undone)
        remove_journal(place)
    except OSError as error:
        fault = describe_error(error)
    open_ = survey.pending[len(undone) :]
    return Retreat(len(undone), len(survey.undo) - survey.undo.index(open_[0]) if open_ else 0, fault)


def report_stopped(place: CommitFolders, steps: Sequence[JournalStep], done: int | None, reason: str, bag: Bag) -> None:
    """Report a commit that is neither done nor undone: which steps are done, from the first on, and which are not.

    ``done`` is None where that is unknown.
    """
    count = len(steps)
    if done is None:
        state = f"nothing of {count} steps was done or undone now"
    elif done == count:
        state = f"all {count} steps are done"
    elif done == 0:
        state = f"none of {count} steps is done"
    else:
        begin, end = steps[0], steps[done - 1]
        state = f"{done} of {count} steps are done, from {begin.action} {begin.path} to {end.action} {end.path}"
        state += f"; the next one is {steps[done].action} {steps[done].path}"
    text = f"{place.root} holds an unfinished commit: {reason}; {state}; {place.journal} lists them in order"
    bag.add(COMMIT_STOPPED, text)


def _give_up(place: CommitFolders, steps: Sequence[JournalStep], done: int, error: OSError, bag: Bag) -> None:
    """Undo a commit that was stopped after so many steps, and report how that went."""
    retreat = turn_back(place, steps[: done + 1], done)
    if retreat.fault:
        reason = f"{describe_error(error)}, and then {retreat.fault}"
        report_stopped(place, steps, retreat.left, reason, bag)
        return
    undone = f"; {retreat.undone} of {len(steps)} steps were done, and are undone" if retreat.undone else ""
    report_os_error(bag, error, f"cannot commit {place.root}", undone)


def remove_journal(place: CommitFolders) -> None:
    """Remove the journal durably; it may be gone already."""
    with contextlib.suppress(FileNotFoundError):
        place.fs.remove(place.journal)
    place.disk.keep([f"{place.root}/{MANIFEST_FOLDER}"])
