"""Every file that is rendered is written from its tree again: the written text reads back as that tree."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from fabricgen.diagnostics import Bag
from fabricgen.diff.kinds import load_kinds
from fabricgen.diff.tree_changes import compare_trees

EXPECTED = Path(__file__).parents[2] / "golden/expected"
TREES = sorted(path.parents[1].name for path in EXPECTED.glob("*/config/switches"))


def files_of(tree: Path) -> Iterator[tuple[str, Path, list[str]]]:
    """(folder, root of a device, paths of its files) of every device of a tree."""
    for root in sorted(tree.glob("*/*")):
        if root.parent.name in ("switches", "hosts"):
            paths = [str(path.relative_to(root)) for path in sorted(root.rglob("*")) if path.is_file()]
            yield root.parent.name, root, paths


@pytest.mark.parametrize("name", TREES)
def test_a_written_tree_reads_back(name: str) -> None:
    bag = Bag()
    kinds = load_kinds(None, bag)
    written = 0
    for folder, root, paths in files_of(EXPECTED / name / "config"):
        for path, kind in kinds.of_device(folder, paths).items():
            write = kind.format.write
            assert write is not None, path
            tree = kind.read((root / path).read_text())
            assert kind.read(write(tree)) == tree, f"{root.name}/{path}"
            assert not compare_trees(tree, kind.read(write(tree)), kind.semantics).changes
            written += 1
    assert written
    assert not list(bag)
