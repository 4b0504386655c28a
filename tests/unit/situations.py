"""A file between two texts: what differs, and the situation that a patch is planned from."""

from __future__ import annotations

from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.tree_changes import TreeComparison, compare_trees
from fabricgen.platforms.patching.steps import Situation

KINDS = load_kinds(None, Bag())
FRR_PATH, EOS_PATH = "etc/frr/frr.conf", "mnt/flash/startup-config"


def compare_texts(before: str, after: str, path: str = FRR_PATH) -> TreeComparison:
    """Return what differs between two texts of a file of a switch."""
    kind = KINDS.of_device("switches", [path])[path]
    return compare_trees(kind.read(before), kind.read(after), kind.semantics)


def between(before: str, after: str, path: str = FRR_PATH) -> Situation:
    """Return the situation of a file of a switch that is to become another text."""
    kind, changes = KINDS.of_device("switches", [path])[path], tuple(compare_texts(before, after, path).changes)
    return Situation(path, changes, kind.read(before), kind.read(after), before, after, kind.semantics)
