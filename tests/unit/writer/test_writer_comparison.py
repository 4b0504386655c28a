"""``render --check``: says what would change and touches nothing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from faulty_disk import FaultyDisk, snapshot
from scenario import NEW_FILES, OLD_FILES, Files, Workshop, die_in_commit, messages, render

from fabricgen.diagnostics import Bag
from fabricgen.render.tree.access import compare_tree, open_tree
from fabricgen.render.tree.writer import TreeDifference

CLEAN = TreeDifference((), (), (), (), (), (), manifest=False)


def compare(out: Path, files: Files, bag: Bag) -> TreeDifference | None:
    """Compare, and see that no call that could write was made."""
    disk = FaultyDisk()
    comparer = compare_tree(out, bag, filesystem=disk)
    if comparer is None:
        return None
    for path, (data, mode) in files.items():
        comparer.put(path.split("/")[0], path, data, mode=mode)
    comparison = comparer.finish({"files": len(files)})
    disk.die()
    reads = {"real_path", "status", "status_of", "mounts", "open", "read", "close", "lock"}
    assert {call.split(" ")[0] for call in disk.calls} <= reads
    return comparison


def test_every_kind_of_difference_is_told(tmp_path: Path) -> None:
    workshop = Workshop.build(tmp_path)
    out = workshop.copy("work")
    (out / "hosts/a/etc/netplan/60-fabricgen.yaml").write_bytes(b"edited\n")
    (out / "switches/c/etc/sonic").mkdir(parents=True)
    (out / "switches/c/etc/sonic/config_db.json").write_bytes(b"foreign\n")
    before, bag = snapshot(tmp_path), Bag()
    files = {**NEW_FILES, "switches/link/x": (b"", 0o644), "hosts/z/x": (b"", 0o644)}
    assert compare(out, files, bag) == TreeDifference(
        added=("hosts/file-then-folder/etc/motd", "hosts/z/x"),
        changed=("switches/b/etc/sonic/config_db.json",),
        removed=("hosts/file-then-folder", "switches/gone/etc/sonic/config_db.json"),
        edited=("hosts/a/etc/netplan/60-fabricgen.yaml",),
        blocked=("switches/c/etc/sonic/config_db.json", "switches/link"),
        modes=("hosts/a/etc/qos.sh",),
        manifest=True,
    )
    assert not messages(bag)
    assert snapshot(tmp_path) == before


def test_rendered_tree_is_clean_even_with_the_modes_of_a_checkout(tmp_path: Path) -> None:
    out = tmp_path / "out"
    render(out, NEW_FILES, Bag())
    for path in out.rglob("*"):
        path.chmod(0o775 if path.is_dir() or path.name == "qos.sh" else 0o664)
    comparison = compare(out, NEW_FILES, Bag())
    assert comparison == CLEAN
    assert comparison.is_clean


def test_header_alone_is_a_difference(tmp_path: Path) -> None:
    render(tmp_path / "out", OLD_FILES, Bag())
    comparer = compare_tree(tmp_path / "out", Bag())
    comparison = comparer.finish({"files": 99}, keep=lambda path: True)
    assert comparison == TreeDifference((), (), (), (), (), (), manifest=True)
    assert not comparison.is_clean


def test_absent_tree_lacks_every_file(tmp_path: Path) -> None:
    comparison = compare(tmp_path / "absent/out", NEW_FILES, Bag())
    assert comparison.added == tuple(sorted(NEW_FILES))
    assert os.listdir(tmp_path) == []


def test_unfinished_commit_is_not_compared(tmp_path: Path) -> None:
    out = tmp_path / "out"
    render(out, OLD_FILES, Bag())
    die_in_commit(out, NEW_FILES)
    before, bag = snapshot(tmp_path), Bag()
    assert compare(out, NEW_FILES, bag) is None
    assert [item.code for item in bag] == ["FG-OUT-018"]
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize("fresh", [False, True], ids=["existing", "absent"])
def test_tree_that_is_being_written_is_not_compared(tmp_path: Path, fresh: bool) -> None:
    out = tmp_path / "out"
    if not fresh:
        render(out, OLD_FILES, Bag())
    transaction = open_tree(out, Bag())
    with transaction:
        bag = Bag()
        assert compare(out, NEW_FILES, bag) is None
        assert [item.code for item in bag] == ["FG-OUT-003"]


def test_refused_path_refuses_the_comparison(tmp_path: Path) -> None:
    bag = Bag()
    assert compare(tmp_path / "out", {"../x": (b"", 0o644)}, bag) is None
    assert [item.code for item in bag] == ["FG-OUT-001"]
