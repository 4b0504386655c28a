"""Growth and repair: what carries nothing yet disturbs nothing, and nobody expects what only one end has."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from rollout_site import QUICKSTART, edit_intent, plan, rolled_out

from fabricgen.api.rollout import PlannedRollout
from tests.acceptance.run import INVENTORIES

OTHER = "leaf-u002-r4"
REPAIRED = """
exceptions:
  - {link: [leaf-u001-r0, spine-01], n: 1, state: absent, reason: optic}
  - {link: [leaf-u002-r4, spine-02], n: 3, state: absent, reason: optic}
"""


def copy(source: Path, folder: Path, *edits: tuple[str, str]) -> Path:
    return edit_intent(Path(shutil.copytree(source, folder)), *edits)


def expected_next_hops(file: dict[str, Any]) -> dict[str, int]:
    """Return the next hops that the first part of a device's file expects, by prefix."""
    return {prefix: row["next_hops"] for row in file["expected"][0]["widths"] for prefix in row["prefixes"]}


def grow(tmp_path: Path, inventory: str, *, back: bool = False, overlays: tuple[str, ...] = ()) -> PlannedRollout:
    """The rollout of one more unit, or that of one fewer."""
    source = INVENTORIES / inventory
    count = {"quickstart": 2, "rail-1k": 4}[inventory]
    gpus = {"quickstart": 64, "rail-1k": 1024}[inventory]
    before = copy(source, tmp_path / "before")
    more = f"count: {count + 1}", f"gpus: {gpus // count * (count + 1)}"
    after = copy(source, tmp_path / "after", (f"count: {count},", f"{more[0]},"), (f"gpus: {gpus}", more[1]))
    sides = (before, after) if back else (after, before)
    planned, codes = plan(*sides, tmp_path / "bundle", base="", overlays=overlays)
    assert planned is not None, codes
    return planned


@pytest.mark.parametrize(
    ("inventory", "overlays"),
    [
        ("quickstart", ()),
        ("quickstart", ("eos",)),
        ("quickstart", ("nvue",)),
        ("quickstart", ("unnumbered",)),
        pytest.param("rail-1k", (), marks=pytest.mark.nightly),
    ],
    ids=["SONiC", "EOS", "Cumulus Linux", "unnumbered", "rail-1k"],
)
def test_one_more_unit_drains_nothing(inventory: str, overlays: tuple[str, ...], tmp_path: Path) -> None:
    rollout = grow(tmp_path, inventory, overlays=overlays).rollout
    devices = [device for wave in rollout.waves for device in wave.devices]
    assert {device.tier for device in devices} == {"spine"}
    assert {device.disruption for device in devices} == {"hitless"}
    done = [rollout.procedure_of(device) for device in devices]
    assert {step.disruption for each in done for step in each.steps} == {"hitless"}
    assert all(any(step.disruption != "hitless" for step in each.undo) for each in done), "it carries jobs by then"


def test_one_fewer_unit_goes_while_its_ports_are_up(tmp_path: Path) -> None:
    source = copy(QUICKSTART, tmp_path / "base", ("\nexpect:", "\nrollout: {floor: 0.5}\nexpect:"))
    after = copy(source, tmp_path / "after")
    before = copy(source, tmp_path / "before", ("count: 2,", "count: 3,"), ("gpus: 64", "gpus: 96"))
    planned = rolled_out(after, before, tmp_path / "bundle", "FG-ROL-011", "FG-ROL-053")
    assert "hitless" not in {device.disruption for wave in planned.rollout.waves for device in wave.devices}


def test_repaired_link_drains_nothing_and_is_expected_once_both_ends_have_it(tmp_path: Path) -> None:
    after = copy(QUICKSTART, tmp_path / "after")
    before = copy(QUICKSTART, tmp_path / "before", ("\nexpect:", f"{REPAIRED}\nexpect:"))
    planned = rolled_out(after, before, tmp_path / "bundle")
    order = [device for wave in planned.rollout.waves for device in wave.devices]
    assert {device.disruption for device in order} == {"hitless"}
    files = {device.name: json.loads(planned.files[f"devices/{device.name}.json"]) for device in order}
    found = {name: {row["neighbor"] for row in file["expected"][0]["sessions"]} for name, file in files.items()}
    up = {
        device.name: next(
            int(check.expected.split()[0])
            for check in planned.rollout.procedure_of(device).checks
            if "cabled" in check.expected
        )
        for device in order
    }
    first, second = OTHER, "spine-02"
    waves = {device.name: device.wave for device in order}
    assert waves[first] < waves[second]
    assert (len(found[first]), up[first]) == (15, 31), "its spine follows"
    assert len(found[second]) == up[second] == 32, "its leaf has gone before"
    reached = {name: expected_next_hops(file) for name, file in files.items()}
    assert reached[first] == {}, "every path of a leaf is one of equal paths over each spine"
    assert waves["spine-01"] == waves["leaf-u001-r0"], "neither expects the other's end"
    gone = {"10.255.0.3/32", "172.16.0.0/27"}
    assert reached["spine-01"] == {prefix: hops for prefix, hops in reached[second].items() if prefix not in gone}
    assert gone < reached[second].keys(), "prefixes of the leaf in the same wave"
