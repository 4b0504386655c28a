"""The first lines of a comparison of two inventories, tiers instead of names, and exchanged switches."""

from __future__ import annotations

from pathlib import Path

import pytest
from diff_site import Site, edit_json, switch_file

from fabricgen.api.diff import DiffOptions, diff
from fabricgen.diagnostics import Bag
from fabricgen.diff.markdown import write_markdown
from fabricgen.diff.report import fold_ranges, to_data, to_diagnostics, write_text
from fabricgen.diff.summary import DiffSummary
from tests.acceptance.run import copy_inventory, render_here

ASSETS = "hostname,serial,mac,rail,pci\nbackend-1,{serial},02:00:00:00:02:01,,\n"


def inventory(folder: Path, units: int, serial: str) -> Path:
    """Two units or three of the quickstart whose two spines have names that say nothing of their tier."""
    changes = {
        "{count: 2, max: 8}": f"{{count: {units}, max: 8}}",
        "spine: {model": 'spine: {name: "backend-{index}", model',
        "expect: {gpus: 64, oversubscription: {leaf: 1.0}}": "assets: assets.csv",
    }
    (copy_inventory("quickstart", folder, changes) / "assets.csv").write_text(ASSETS.format(serial=serial))
    return folder


def compared(intended: Path, deployed: Path) -> DiffSummary:
    bag = Bag()
    summary = diff(str(intended), str(deployed), DiffOptions(intended.parent), bag)
    assert summary is not None, list(bag)
    return summary


def test_growth_comes_first_with_its_devices(tmp_path: Path) -> None:
    before, after = (inventory(tmp_path / str(units), units, "SN1") for units in (2, 3))
    summary = compared(after, before)
    first = write_text(summary).split("\n")[:2]
    added = "added: 6 devices: leaf-u003-r0, leaf-u003-r4, gpu-u003-h01 … gpu-u003-h04"
    assert first == ["intent: units 2 → 3, 64 → 96 GPUs", added]
    assert "* intent: `units 2 → 3, 64 → 96 GPUs`" in write_markdown(summary, [])
    assert to_data(summary, [], details=False, unmanaged=False)["intent"] == "units 2 → 3, 64 → 96 GPUs"
    assert not [line for line in write_text(summary).split("\n") if "backends" in line]
    assert any("2 spines" in line for line in write_text(summary).split("\n"))


def test_a_tree_says_by_its_manifest_what_grew(tmp_path: Path) -> None:
    before, after = (inventory(tmp_path / str(units), units, "SN1") for units in (2, 3))
    assert render_here(before, tmp_path / "out") == []
    first, second, *_ = write_text(compared(after, tmp_path / "out")).splitlines()
    assert (first, second[:17]) == ("intent: changed, with another layout", "added: 6 devices:")


def test_another_box_in_the_asset_list_is_a_difference(tmp_path: Path) -> None:
    before, after = (inventory(tmp_path / name, 2, name) for name in ("SN1", "SN2"))
    summary = compared(after, before)
    assert not summary.totals.is_clean(unmanaged=False)
    assert write_text(summary).startswith("exchanged: backend-1 serial SN1 → SN2\n")
    assert [found.code for found in to_diagnostics(summary)] == ["FG-DIF-106"]


def test_a_mac_is_compared_where_the_intent_has_one(site: Site) -> None:
    deployed = site.edited(lambda data: data["DEVICE_METADATA"]["localhost"].update(mac="02:00:00:00:00:0A"))
    different = "MAC address different: 02:00:00:00:00:0a → 02:00:00:00:00:0b on 1 leaf"
    for mac, headlines in (("", []), ("02:00:00:00:00:0a", []), ("02:00:00:00:00:0b", [different])):
        own = {"mac": mac} if mac else {}
        edit_json(switch_file(site.out), lambda data, own=own: data["DEVICE_METADATA"]["localhost"].update(own))
        summary = site.compare(site.out, deployed, only=("leaf-u001-r0",))
        assert [group.headline() for group in summary.groups()] == headlines


@pytest.mark.parametrize(
    ("names", "folded"),
    [
        (["a1", "a2"], ["a1", "a2"]),
        (["a-r0", "a-r4", "a-r8", "b-r0"], ["a-r0 … a-r8", "b-r0"]),
        (["u1-h01", "u1-h02", "u1-h03", "u2-h01", "u2-h02", "u2-h03"], ["u1-h01 … u1-h03", "u2-h01 … u2-h03"]),
        (["h1", "h2", "h4", "h6"], ["h1", "h2", "h4", "h6"]),
        (["h3", "h2", "h1", "x"], ["h3", "h2", "h1", "x"]),
    ],
)
def test_names_that_count_up_are_a_range(names: list[str], folded: list[str]) -> None:
    assert fold_ranges(names) == folded
