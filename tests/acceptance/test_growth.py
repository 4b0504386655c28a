"""Growth renumbers nothing (law 5)."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.acceptance.run import config_of, copy_inventory, read_tree, render, render_here, run

GROWTH = {
    "rail-1k": {"count: 4, max: 8": "count: 5, max: 8", "gpus: 1024": "gpus: 1280"},
    "quickstart": {"count: 2, max: 8": "count: 3, max: 8", "gpus: 64": "gpus: 96"},
    "tor-25": {"count: 25": "count: 26", "gpus: 1160": "gpus: 1216"},
}


@pytest.mark.sampled(0, of="name", always=("quickstart",))
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
    render(copy_inventory("quickstart", tmp_path / "grown", GROWTH["quickstart"]), out)
    touched = {path.relative_to(out).parts[1] for path, time in times.items() if path.stat().st_mtime_ns != time}
    assert touched == {"spine-01", "spine-02", "header.json", "spine.txt"}


def test_a_host_more_leaves_all_but_its_leafs_alone(tmp_path: Path) -> None:
    less = {"per_unit: 4}": "per_unit: {count: 3, max: 4}}", "gpus: 64, oversubscription: {leaf: 1.0}": "gpus: 48"}
    out = tmp_path / "out"
    render(copy_inventory("quickstart", tmp_path / "before", less), out)
    old = config_of(read_tree(out))
    render(copy_inventory("quickstart", tmp_path / "after"), out)
    new = config_of(read_tree(out))
    changed = {path for path in old if old[path] != new[path]}
    assert {path.split("/")[1].partition("-")[0] for path in changed} == {"leaf"}
    assert {path.split("/")[1] for path in new if path not in old} == {"gpu-u001-h04", "gpu-u002-h04"}


PER_UNIT, SPINES, PER_PAIR = "per_unit: 4}", "per: fabric, count: 2}", "per_pair: 8"
ROOMY = {
    PER_UNIT: "per_unit: {count: 4, max: 8}}",
    SPINES: "per: fabric, count: {count: 2, max: 4}}",
    PER_PAIR: "per_pair: 4",
    ", oversubscription: {leaf: 1.0}": "",
}
"""Room for hosts and spines, and the ports it takes."""


@pytest.fixture(scope="module")
def roomy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("roomy")
    assert render_here(copy_inventory("quickstart", folder / "fabric", ROOMY), folder / "out") == []
    return folder / "out"


@pytest.mark.parametrize(
    ("changes", "moved"),
    [
        ({"count: 2, max: 8}": "count: 2, max: 16}", PER_PAIR: "per_pair: 2"}, "ports"),
        ({PER_UNIT: "per_unit: {count: 4, max: 16}}"}, "host addresses"),
        ({PER_UNIT: "per_unit: {count: 4, max: 4}}"}, "host addresses"),
        ({SPINES: "per: fabric, count: {count: 2, max: 8}}", PER_PAIR: "per_pair: 2"}, "ports"),
        ({SPINES: "per: fabric, count: {count: 2, max: 2}}"}, "link addresses"),
        ({PER_PAIR: "per_pair: 2"}, "link addresses"),
        ({"host_links: 172.16.0.0/12": "host_links: 172.32.0.0/12"}, "host addresses"),
        ({"loopbacks: 10.255.0.0/16": "loopbacks: 10.254.0.0/16"}, "loopbacks"),
        ({"fabric_links: 10.0.0.0/12": "fabric_links: 10.16.0.0/12"}, "link addresses"),
        ({"management: 192.168.0.0/16": "management: 192.169.0.0/16"}, "management addresses"),
        ({"fabric: quickstart": "fabric: quickstart\nrouting: {asn: {base: 4200001000}}"}, "AS numbers"),
        ({"leaf: {model": "leaf: {name: 'tor-{unit:03}-{rail}', model"}, "tier 'leaf': names"),
        ({PER_UNIT: "per_unit: {count: 4, max: 8}, name: 'node-{unit:03}-{host:02}'}"}, "hosts 'gpu': names"),
    ],
)
def test_what_would_move_an_identity_stops(changes: dict[str, str], moved: str, roomy: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(roomy, out)
    before = read_tree(out)
    changed = copy_inventory("quickstart", tmp_path / "after", {**ROOMY, **changes})
    found = render_here(changed, out)
    assert {diagnostic.code for diagnostic in found} == {"FG-OUT-020"}
    assert any(moved in diagnostic.message for diagnostic in found)
    assert read_tree(out) == before
    assert render_here(changed, out, renumber=True) == []
    assert config_of(read_tree(out)) != config_of(before)


def test_the_command_says_what_would_move_and_obeys_renumber(roomy: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    shutil.copytree(roomy, out)
    tight = copy_inventory("quickstart", tmp_path / "after", {**ROOMY, SPINES: SPINES})
    done = run("render", str(tight), "-o", str(out)).exits(1)
    assert f"error[FG-OUT-020] {tight}/fabric.yaml:" in done.stderr
    assert "--renumber" in done.stderr
    render(tight, out, "--renumber")
