"""Configurations as the next reboot loads them against those that run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from fabricgen.diagnostics import Bag
from fabricgen.diagnostics.visible import show_line
from fabricgen.diagnostics.words import and_list, counted
from fabricgen.diff.kinds import FileKind, load_kinds
from fabricgen.diff.sides import Unreadable, decode
from fabricgen.diff.tree_changes import compare_trees, count_leaves
from fabricgen.diff.values import cut, show_pair
from fabricgen.platforms.manifest.spec import PlatformSpec
from fabricgen.platforms.observations.records import UNCHANGED, ActiveSetting
from fabricgen.platforms.patching.steps import ABSENT, Change
from fabricgen.platforms.reading.reader import ReadFault, Tree
from fabricgen.platforms.reading.semantics import PLAIN

_NAME = "the next reboot"
_LISTED = 3
_ALSO, _UNMANAGED, _NEGATED = "saved", "unmanaged", "negated"
_VERBS = ("takes away", "brings", "sets otherwise")


class Saved:
    """Compares what is saved with what runs, by the readers of some platforms."""

    def __init__(self, specs: Mapping[str, PlatformSpec], bag: Bag) -> None:
        """Prepare; ``bag`` takes faults of the semantics of their files."""
        self._specs = specs
        self._kinds = load_kinds(specs.values(), bag)

    def list_readings(self, platform: str) -> tuple[str, ...]:
        """Return the names of the readings of a switch of a platform that show what is saved."""
        spec = self._specs.get(platform)
        return tuple(reading.name for reading in spec.readings if reading.saves) if spec is not None else ()

    def compare(self, platform: str, path: str, runs: bytes, saved: bytes | None) -> ActiveSetting:
        """Return what the next reboot, loading ``saved`` or nothing, makes of an output that runs; raises ReadFault."""
        if saved is None:
            return ActiveSetting(path, _NAME, f"loads nothing: there is no {path}")
        kind = self._kinds.of_device("switches", [output.path for output in self._specs[platform].outputs])[path]
        also = kind.semantics.data.get(_ALSO, ())
        found = compare_trees(_read(kind, runs), _read(kind, saved), kind.semantics, unmanaged=_UNMANAGED in also)
        negated = found.negated if _NEGATED in also else ()
        changes = [*found.changes, *(Change(steps, kind.semantics.absence, ABSENT, PLAIN.root) for steps in negated)]
        return ActiveSetting(path, _NAME, _describe(kind, changes) if changes else UNCHANGED)


def _describe(kind: FileKind, changes: list[Change]) -> str:
    """Return how many settings a reboot takes away, brings and sets otherwise, with the first of them."""
    counts: Counter[str] = Counter()
    for change in changes:
        verb = _VERBS[0] if change.after is ABSENT else _VERBS[1] if change.before is ABSENT else _VERBS[2]
        counts[verb] += count_leaves(change.before if change.after is ABSENT else change.after)
    parts = [f"{verb} {counted(counts[verb], 'setting')}" for verb in _VERBS if counts[verb]]
    more = f"; and {len(changes) - _LISTED} more" if len(changes) > _LISTED else ""
    return f"{and_list(parts)}: {'; '.join(_show(kind, change) for change in changes[:_LISTED])}{more}"


def _show(kind: FileKind, change: Change) -> str:
    """Return a change without secrets: where it is, what runs, and what the next reboot loads."""
    before, after = show_pair(change, kind.redaction)
    path = show_line(" > ".join(kind.redaction.steps(change.steps)))
    if change.before is ABSENT or change.after is ABSENT:
        return f"{cut(path)} {cut(before or after)}".rstrip()
    return f"{cut(path)} {cut(before)} → {cut(after)}"


def _read(kind: FileKind, data: bytes) -> Tree:
    text = decode(data)
    if isinstance(text, Unreadable):
        raise ReadFault(text.message)
    return kind.read(text)
