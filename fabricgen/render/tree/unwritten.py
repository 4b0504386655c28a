"""Changes that rendering would make in an output tree, for ``render --check``; writes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from stat import S_IXUSR

from fabricgen.diagnostics import Bag
from fabricgen.render.tree.filesystem import Filesystem, report_os_error
from fabricgen.render.tree.journal import CHMOD, DELETE, REPLACE
from fabricgen.render.tree.manifest import Keep, Manifest, encode_manifest
from fabricgen.render.tree.paths import is_manifest_path
from fabricgen.render.tree.preflight import Plan, plan_commit
from fabricgen.render.tree.sink import TreeSink
from fabricgen.render.tree.stager import ABSENT, Stager
from fabricgen.render.tree.tree_codes import EDITED_FILE


@dataclass(frozen=True, slots=True)
class TreeDifference:
    """Differences between a tree and the files put; paths are sorted.

    Attributes:
        added: Put, but absent from the tree.
        changed: Put with other bytes than rendered before.
        removed: Rendered before and not put.
        edited: Edited by hand since they were rendered.
        blocked: Foreign files, symlinks, folders or devices in the way.
        modes: Same bytes, but executable where it should not be, or the reverse. Other bits are
            not compared, because a git checkout does not keep them.
        manifest: The manifest would be rewritten, for example because the header differs.
    """

    added: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    edited: tuple[str, ...]
    blocked: tuple[str, ...]
    modes: tuple[str, ...]
    manifest: bool

    @property
    def is_clean(self) -> bool:
        """Return whether a render would leave the tree as it is."""
        paths = (self.added, self.changed, self.removed, self.edited, self.blocked, self.modes)
        return not self.manifest and not any(paths)


class Comparer(TreeSink):
    """Takes the same files as a transaction and reports instead of writing."""

    def __init__(self, fs: Filesystem, root: str, old: Manifest, bag: Bag) -> None:
        """Take over a tree whose manifest was read; ``compare_tree`` is the way to get one."""
        super().__init__(Stager(fs, root, None), old, bag)
        self._fs = fs
        self._root = root

    def finish(self, header: Mapping[str, object], *, keep: Keep | None = None) -> TreeDifference | None:
        """Report the differences; arguments as for ``Transaction.commit``.

        Returns:
            The comparison; None if the bag holds an error or the system refused to read.
        """
        if self._bag.has_errors:
            return None
        listed = self._old.listed_with(self._records.by_path, keep)
        files = encode_manifest(header, listed)
        try:
            plan = plan_commit(
                self._fs, self._root, self._old, self._stager, self._records.by_path, files, listed=listed, force=False
            )
        except OSError as error:
            report_os_error(self._bag, error, f"cannot compare {self._root}")
            return None
        return _sort_out(plan)


def _sort_out(plan: Plan) -> TreeDifference:
    """Sort the steps and obstacles of a plan by what they mean to the reader."""
    steps = [step for step in plan.steps if step.action != CHMOD or (step.mode ^ step.old_mode) & S_IXUSR]
    outputs = [step for step in steps if not is_manifest_path(step.path)]

    def touched(action: str, is_new: bool | None = None) -> tuple[str, ...]:
        found = [step for step in outputs if step.action == action]
        return tuple(step.path for step in found if is_new is None or (step.old == ABSENT) == is_new)

    return TreeDifference(
        added=touched(REPLACE, is_new=True),
        changed=touched(REPLACE, is_new=False),
        removed=_paths(touched(DELETE)),
        edited=_paths(item.path for item in plan.obstacles if item.code is EDITED_FILE),
        blocked=_paths(item.path for item in plan.obstacles if item.code is not EDITED_FILE),
        modes=touched(CHMOD),
        manifest=len(outputs) != len(steps),
    )


def _paths(paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(paths)))
