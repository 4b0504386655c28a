"""Steps of a journal that are still to be done, forward or back, as the disk shows them after a death."""

from __future__ import annotations

import stat
from collections.abc import Sequence

from fabricgen.render.tree.filesystem import Filesystem, status_or_none
from fabricgen.render.tree.journal import CHMOD, MAKE, PRUNE, JournalStep
from fabricgen.render.tree.paths import MANIFEST_FOLDER, folders_above
from fabricgen.render.tree.stager import ABSENT, FILE, FOLDER, SYMLINK, find, kept_path, staged_path


class Survey:
    """Holds every step against what lies there now; nothing is changed.

    Attributes:
        pending: The steps that are open, in their order.
        blocked: Why a path must be left alone, by path: it changed since.
        lost: What a step needs and is no longer there.
    """

    def __init__(
        self,
        fs: Filesystem,
        root: str,
        scratch: str,
        steps: Sequence[JournalStep],
        *,
        back: bool = False,
        force: bool = False,
    ) -> None:
        """Look at every path; raises OSError.

        Args:
            fs: System calls.
            root: The tree, locked.
            scratch: Name of the staging folder below the manifest's folder.
            steps: What would be done, in this order.
            back: The steps undo others: they take files from the kept ones.
            force: Files edited since may be replaced and deleted.
        """
        self._fs = fs
        self._root = root
        self._staging = f"{root}/{MANIFEST_FOLDER}/{scratch}"
        self._back = back
        self._force = force
        self._folders = {step.path for step in steps if step.action in (MAKE, PRUNE)}
        self._entries = {step.path for step in steps} - self._folders | _both(steps)
        self.blocked: dict[str, str] = {}
        self.lost: list[str] = []
        self.pending = [step for step in steps if self._is_pending(step)]

    @property
    def faults(self) -> list[str]:
        """Everything for which the steps must not be done."""
        return [*(f"{self._root}/{path}: {reason}" for path, reason in self.blocked.items()), *self.lost]

    def _is_pending(self, step: JournalStep) -> bool:
        if not self._folders_are_plain(step.path):
            return False
        if step.action in (MAKE, PRUNE):
            return self._is_folder_pending(step)
        found = find(self._fs, f"{self._root}/{step.path}")
        if step.action == CHMOD:
            return found.kind == FILE and found.mode != step.mode
        if found.digest == step.new:
            return False
        if found.kind == FOLDER and step.path in self._folders:
            # Where a file and a folder change places, the folder stands for the other side of the commit.
            return step.new != ABSENT and self._has_source(step)
        replaceable = found.kind in (ABSENT, FILE, SYMLINK) and self._force
        if found.digest not in (step.old, ABSENT) and not replaceable:
            self.blocked.setdefault(step.path, "it is neither the file before nor the one after the commit")
            return False
        return step.new == ABSENT or self._has_source(step)

    def _is_folder_pending(self, step: JournalStep) -> bool:
        status = status_or_none(self._fs, f"{self._root}/{step.path}")
        is_folder = status is not None and stat.S_ISDIR(status.st_mode)
        if step.action == PRUNE:
            return is_folder
        if status is not None and not is_folder and step.path not in self._entries:
            self.blocked.setdefault(step.path, "it is no longer a folder")
        return not is_folder

    def _folders_are_plain(self, path: str) -> bool:
        for folder in folders_above(path):
            status = status_or_none(self._fs, f"{self._root}/{folder}")
            if status is None or stat.S_ISDIR(status.st_mode) or folder in self._entries:
                continue
            self.blocked.setdefault(folder, "it is no longer a folder")
            return False
        return True

    def _has_source(self, step: JournalStep) -> bool:
        word, source = ("kept", kept_path) if self._back else ("staged", staged_path)
        if find(self._fs, source(self._staging, step.path)).digest == step.new:
            return True
        self.lost.append(f"the {word} file for {self._root}/{step.path} is gone or damaged")
        return False


def _both(steps: Sequence[JournalStep]) -> set[str]:
    """Return the paths at which a file and a folder change places."""
    folders = {step.path for step in steps if step.action in (MAKE, PRUNE)}
    return {step.path for step in steps if step.action not in (MAKE, PRUNE) and step.path in folders}
