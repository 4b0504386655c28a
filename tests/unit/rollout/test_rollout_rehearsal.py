"""Sides of a rollout that is rehearsed, held against its bundle."""

from __future__ import annotations

import shutil
from pathlib import Path

from rollout_site import FRR, QUICKSTART, change_time_servers, plan

from fabricgen.api.diff import DiffOptions
from fabricgen.api.rehearsal import open_rehearsal
from fabricgen.diagnostics import Bag


def opened(bundle: Path, intended: str = "", deployed: str = "") -> tuple[bool, set[str], list[str]]:
    """Return whether a rehearsal has both plans, the switches of its routing configurations, and its diagnostics."""
    bag = Bag()
    with open_rehearsal(bundle, intended, deployed, DiffOptions(bundle.parent), bag) as sides:
        said = [f"{item.code} {item.message}" for item in bag]
        if sides is None:
            return False, set(), said
        return sides.deployed is not None, set(sides.routing), said


def test_inventories_give_both_plans(inventory: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    plan(inventory, QUICKSTART, bundle)
    assert opened(bundle) == (True, set(), [])


def test_collection_gives_the_routing_configurations(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    plan(inventory, deployed, bundle)
    switches = {path.name for path in (deployed / "switches").iterdir() if (path / FRR).is_file()}
    assert len(switches) == 6
    assert opened(bundle) == (False, switches, [])


def test_side_that_the_bundle_was_not_planned_from_is_refused(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    plan(inventory, deployed, bundle)
    other = change_time_servers(Path(shutil.copytree(QUICKSTART, tmp_path / "other")), "192.168.77.77")
    _, _, said = opened(bundle, intended=str(other))
    assert said == [f"FG-LAB-046 {other} has another intent than the one the bundle was planned from"]
    _, _, (changed,) = opened(bundle, deployed=str(other))
    assert changed.startswith("FG-LAB-046 ")
    assert changed.endswith(": not as the bundle was planned on")
    assert "leaf-u001-r0" in changed


def test_tree_whose_inventory_is_gone_is_refused(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    plan(inventory, deployed, bundle)
    _, _, said = opened(bundle, intended=str(deployed))
    assert said == [f"FG-LAB-046 no inventory of {deployed} is known"]
