"""Growth renumbers nothing (law 5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.run import config_of, copy_inventory, read_tree, render, run

GROWTH = {
    "rail-1k": {"count: 4, max: 8": "count: 5, max: 8", "gpus: 1024": "gpus: 1280"},
    "quickstart": {"count: 2, max: 8": "count: 3, max: 8", "gpus: 64": "gpus: 96"},
}


@pytest.mark.parametrize("name", GROWTH)
def test_a_unit_more_leaves_every_host_and_leaf_alone(name: str, tmp_path: Path) -> None:
    render(copy_inventory(name, tmp_path / "before"), tmp_path / "old")
    render(copy_inventory(name, tmp_path / "after", GROWTH[name]), tmp_path / "new")
    old, new = config_of(read_tree(tmp_path / "old")), config_of(read_tree(tmp_path / "new"))
    kept = {path for path in old if not path.startswith("switches/spine-")}
    assert kept
    assert {path for path in kept if old[path] != new[path]} == set()
    assert {path for path in new if path not in old}, "the new unit has no files"
    assert any(old[path] != new[path] for path in old if path.startswith("switches/spine-")), "spines gain links"


def test_growth_in_place_writes_only_what_changes(tmp_path: Path) -> None:
    inventory = copy_inventory("quickstart", tmp_path / "fabric")
    out = tmp_path / "out"
    render(inventory, out)
    times = {path: path.stat().st_mtime_ns for path in out.rglob("*") if path.is_file()}
    grown = copy_inventory("quickstart", tmp_path / "grown", GROWTH["quickstart"])
    render(grown, out)
    touched = {path.relative_to(out).parts[1] for path, time in times.items() if path.stat().st_mtime_ns != time}
    assert touched == {"spine-01", "spine-02", "header.json", "spine.txt"}


@pytest.mark.parametrize(
    ("old", "new", "moved"),
    [
        ("count: 2, max: 8}", "count: 2, max: 16}", None),
        ("per_unit: 4}", "per_unit: {count: 4, max: 8}}", "host addresses"),
        ("host_links: 172.16.0.0/12", "host_links: 172.32.0.0/12", "host addresses"),
        ("loopbacks: 10.255.0.0/16", "loopbacks: 10.254.0.0/16", "loopbacks"),
        ("per_pair: 8", "per_pair: 4", "link addresses"),
    ],
)
def test_what_would_move_an_identity_stops(old: str, new: str, moved: str | None, tmp_path: Path) -> None:
    out = tmp_path / "out"
    render(copy_inventory("quickstart", tmp_path / "before"), out)
    before = read_tree(out)
    changes = {old: new, ", oversubscription: {leaf: 1.0}": ""}
    if "max: 16" in new:
        changes |= {"per_pair: 8": "per_pair: 4"}
    changed = copy_inventory("quickstart", tmp_path / "after", changes)
    done = run("render", str(changed), "-o", str(out))
    if moved is None:
        moved = "ports"
    assert done.returncode == 1
    assert "FG-OUT-020" in done.stderr
    assert moved in done.stderr
    assert read_tree(out) == before
    render(changed, out, "--renumber")
    assert read_tree(out) != before
