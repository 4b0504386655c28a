"""A bundle: what is in it, and what keeps it from being written."""

from __future__ import annotations

import hashlib
import json
import shutil
import stat
from pathlib import Path

from rollout_site import (
    HOST,
    LEAF,
    QUICKSTART,
    change_time_servers,
    edit_intent,
    plan,
    plan_and_tell,
    rolled_out,
    verify,
)

from tests.acceptance.run import render_here
from tests.command_line import run_here


def test_bundle_is_private_complete_and_the_same_every_time(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    out = tmp_path / "bundle"
    planned = rolled_out(inventory, deployed, out)
    assert stat.S_IMODE(out.stat().st_mode) == 0o700
    files = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert files == planned.files
    sums = dict(reversed(line.split("  ", 1)) for line in files.pop("SHA256SUMS").decode().splitlines())
    assert sums == {path: hashlib.sha256(data).hexdigest() for path, data in files.items()}
    assert rolled_out(inventory, deployed, tmp_path / "again").files == planned.files


def test_plan_has_every_switch_with_digests_and_steps_whose_files_are_there(
    inventory: Path, deployed: Path, tmp_path: Path
) -> None:
    planned = rolled_out(inventory, deployed, tmp_path / "bundle")
    data = json.loads(planned.files["plan.json"])
    devices = {device["name"]: device for wave in data["waves"] for device in wave["devices"]}
    assert set(devices) == {path.name for path in (deployed / "switches").iterdir()}
    leaf = devices[LEAF]
    (file,) = leaf["files"]
    config = deployed / "switches" / LEAF / file["path"]
    assert file["before"]["sha256"] == hashlib.sha256(config.read_bytes()).hexdigest()
    (procedure,) = (each for each in data["procedures"] if each["name"] == leaf["procedure"])
    named = {step["file"] for step in procedure["steps"] if step["file"]}
    assert named
    assert {f"patches/{leaf['patch']}/{name}" for name in named} <= set(planned.files)


def test_nothing_is_written_where_nothing_differs(deployed: Path, tmp_path: Path) -> None:
    assert rolled_out(QUICKSTART, deployed, tmp_path / "bundle").files == {}
    assert not (tmp_path / "bundle").exists()


def test_what_no_command_changes_is_a_difference_as_with_diff(deployed: Path, tmp_path: Path) -> None:
    """A value that a file of others overrides is repaired by no patch, and the sides are not equal."""
    file = deployed / "hosts" / HOST / "etc/sysctl.d/99-site.conf"
    file.write_text("net.ipv4.conf.rail0.rp_filter = 1\n")
    for verb in ("diff", "rollout"):
        out = "--patch" if verb == "diff" else "-o"
        done = run_here(verb, QUICKSTART, deployed, out, tmp_path / verb).exits(3)
        assert "FG-DIF-076" in done.stderr
    assert not (tmp_path / "rollout").exists()


def test_folder_that_is_not_empty_is_refused(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    out = tmp_path / "bundle"
    out.mkdir()
    (out / "mine").touch()
    assert plan(inventory, deployed, out) == (None, {"FG-ROL-050"})
    assert [path.name for path in out.iterdir()] == ["mine"]


def test_tree_without_an_inventory_has_no_plan(deployed: Path, tmp_path: Path) -> None:
    tree, other = tmp_path / "tree", tmp_path / "other"
    shutil.copytree(QUICKSTART, other)
    # No inventory near by has this intent.
    assert render_here(change_time_servers(other, "192.168.77.77"), tree) == []
    shutil.rmtree(other)
    planned, told = plan_and_tell(tree, deployed, tmp_path / "bundle", base="")
    assert planned is None
    assert [(item.code, item.hint.partition(" ")[0]) for item in told] == [("FG-ROL-051", "render")]


def test_inventory_as_the_deployed_side_of_a_tree_is_warned_of(inventory: Path, tmp_path: Path) -> None:
    """With both sides exchanged a rollout takes the fabric back."""
    tree = tmp_path / "tree"
    shutil.copytree(QUICKSTART, tmp_path / "before")
    assert render_here(tmp_path / "before", tree) == []
    assert plan(tree, inventory, tmp_path / "back")[1] == {"FG-ROL-070"}
    assert plan(inventory, tree, tmp_path / "bundle")[1] == set()


def test_device_that_cannot_be_read_keeps_everything_from_being_planned(
    inventory: Path, deployed: Path, tmp_path: Path
) -> None:
    (deployed / "switches" / LEAF / "etc/sonic/config_db.json").write_text("{")
    assert plan(inventory, deployed, tmp_path / "bundle") == (None, {"FG-DIF-021", "FG-ROL-052"})
    assert not (tmp_path / "bundle").exists()


def test_new_device_is_left_to_its_first_deployment(inventory: Path, tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    assert render_here(QUICKSTART, tree) == []
    edits = ("count: 2, max: 8", "count: 3, max: 8"), ("gpus: 64", "gpus: 96")
    grown = edit_intent(Path(shutil.copytree(QUICKSTART, tmp_path / "grown")), *edits, more="rollout: {floor: 0.5}\n")
    planned = rolled_out(grown, tree, tmp_path / "bundle", "FG-ROL-053")
    assert all("u003" not in device.name for device in planned.rollout.devices)


def test_switch_of_another_platform_is_refused_by_name(deployed: Path, tmp_path: Path) -> None:
    """The commands of its new platform mean nothing to what runs on it."""
    inventory = Path(shutil.copytree(QUICKSTART, tmp_path / "fabric"))
    sonic = "leaf: {model: dell_z9864f, platform: sonic}"
    edit_intent(inventory, (sonic, "leaf: {model: arista_7060x6_64pe, platform: eos}"))
    assert plan(inventory, deployed, tmp_path / "bundle") == (None, {"FG-ROL-052", "FG-ROL-066"})


def test_bundle_of_an_inventory_with_an_odd_name_is_read_again(deployed: Path, tmp_path: Path) -> None:
    inventory = change_time_servers(Path(shutil.copytree(QUICKSTART, tmp_path / "a`b|c\nd\x1b[31m")))
    rolled_out(inventory, deployed, tmp_path / "bundle")
    assert verify(tmp_path / "bundle", deployed)[1] == set()
