"""Fabrics that guides of other makers describe come out with the numbers and classes that these print."""

from __future__ import annotations

import json
from pathlib import Path

from tests.acceptance.run import copy_inventory, render_here
from tests.command_line import run_here
from tests.judges.crossread import read_tree

REPORTED = Path(__file__).parent / "reported"
RAIL_LEAFS = (REPORTED / "rail_leafs.yaml").read_text()
"""64 nodes of four GPUs, rail N on leaf N, four leafs and two spines of 64 x 800G: Asterfusion, CX864E-N, deployment
guide of a 256-GPU backend. Another box of the same ports stands in the place of theirs."""
STORAGE = (REPORTED / "storage.yaml").read_text()
"""Storage as a second lossless class on the same leafs, as NVIDIA's and Juniper's guides of AI fabrics have it."""


def test_a_leaf_for_each_rail_has_the_counts_of_its_guide(tmp_path: Path) -> None:
    (tmp_path / "fabric.yaml").write_text(RAIL_LEAFS)
    found = json.loads(run_here("show", tmp_path, "devices", "--format", "json").exits(0).stdout)
    assert [sum(row["tier"] == tier for row in found) for tier in ("leaf", "spine")] == [4, 2]
    links = json.loads(run_here("show", tmp_path, "links", "--format", "json").exits(0).stdout)
    assert sum("leaf" in row["a"] and "spine" in row["b"] for row in links) == 4 * 2 * 16
    assert "256 GPUs, 64 hosts, 6 switches" in run_here("validate", tmp_path).exits(0).stderr


def test_storage_is_a_second_lossless_class(tmp_path: Path) -> None:
    fabric = copy_inventory("quickstart", tmp_path / "fabric")
    (fabric / "overlays/storage.yaml").write_text(STORAGE)
    assert render_here(fabric, tmp_path / "out", overlays=["eos", "storage"]) == []
    for switch in read_tree(tmp_path / "out").switches():
        lossless = [port.qos for port in switch.interfaces.values() if port.qos.pfc]
        assert lossless, switch.name
        for qos in lossless:
            assert (sorted(qos.pfc), qos.scheduler[3], qos.scheduler[4]) == ([3, 4], 60, 30), switch.name
