"""Sides of a rollout that is rehearsed, held against its bundle."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from rollout_site import FRR, QUICKSTART, SPINE, change_time_servers, plan

from fabricgen.api.diff import DiffOptions
from fabricgen.api.rehearsal import open_rehearsal
from fabricgen.diagnostics import Bag
from fabricgen.lab.model.planned import Drafter
from fabricgen.lab.rehearsal.changes import plan_change
from tests.acceptance.run import STANDING


def opened(bundle: Path, intended: str = "", deployed: str = "") -> tuple[bool, set[str], list[str]]:
    """Return whether a rehearsal has both plans, the switches of its routing configurations, and its diagnostics."""
    bag = Bag()
    with open_rehearsal(bundle, intended, deployed, DiffOptions(bundle.parent), bag) as sides:
        said = [f"{item.code} {item.message}" for item in bag if item.code not in STANDING]
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


def test_collection_is_refused_for_a_rollout_in_phases(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    file = inventory / "fabric.yaml"
    file.write_text(
        file.read_text().replace("fabric_links: 10.0.0.0/12", "fabric_links: 10.64.0.0/12") + "rollout: {floor: 0.5}\n"
    )
    plan(inventory, deployed, tmp_path / "bundle")
    _, _, (said,) = opened(tmp_path / "bundle")
    assert said.startswith("FG-LAB-047 ")
    assert "is no inventory" in said


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


def test_commands_of_a_bundle_are_those_that_lead_from_one_configuration_to_the_other(tmp_path: Path) -> None:
    """The lab gives the daemons the bundle's lines; for platforms without any it works the same out by itself."""
    inventory = Path(shutil.copytree(QUICKSTART, tmp_path / "fabric"))
    drained = "rollout: {floor: 0}\nexceptions: [{device: spine-01, state: drained, reason: optics}]\n"
    (inventory / "fabric.yaml").write_text((inventory / "fabric.yaml").read_text() + drained)
    plan(inventory, QUICKSTART, tmp_path / "bundle")
    with open_rehearsal(tmp_path / "bundle", "", "", DiffOptions(tmp_path), Bag()) as sides:
        now, after = (
            Drafter(fabric.plan, fabric.platforms, Bag()).draft("test").node(SPINE)
            for fabric in (sides.deployed, sides.intended)
        )
        (device,) = sides.bundle.rollout.devices
        found = plan_change(now, after, device, sides.bundle)
        equivalent = plan_change(replace(now, equivalent=True), after, device, sides.bundle)
    assert (found.own, equivalent.own) == (True, False)
    assert "router bgp" in found.commands
    assert found.commands == equivalent.commands
