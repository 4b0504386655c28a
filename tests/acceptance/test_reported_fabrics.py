"""Fabrics that guides of other makers describe come out with the numbers and classes that these print."""

from __future__ import annotations

import json
from pathlib import Path

from tests.acceptance.run import copy_inventory, render_here
from tests.command_line import run_here
from tests.judges.crossread import read_tree

RAIL_LEAFS = """\
fabric: cx864e-256
hosts: {server: gb200_tray_4, nic: connectx7_400g, per_unit: 64}
units: 1
attachment: {group: rail, rails_per_leaf: 1}
tiers:
  leaf: {model: dell_z9864f, platform: sonic}
  spine: {model: dell_z9864f, platform: sonic, per: fabric, count: 2}
links:
  host-leaf: {speed: 400G, cable: {media: mmf, length_m: 30}}
  leaf-spine: {speed: 800G, per_pair: 16, cable: {media: smf, length_m: 50}}
operations:
  access: {management: [192.168.0.0/16]}
  tacacs: {servers: [192.168.0.12], key: {secret: env:TACACS_KEY}}
expect: {gpus: 256, oversubscription: {leaf: 1.0}}
"""
"""64 nodes of four GPUs, rail N on leaf N, four leafs and two spines of 64 x 800G: Asterfusion, CX864E-N, deployment
guide of a 256-GPU backend. Another box of the same ports stands in the place of theirs."""
STORAGE = """\
lossless:
  classes:
    roce: {dscp: 24, priority: 3, lossless: true, weight_pct: 60}
    storage: {dscp: 32, priority: 4, lossless: true, weight_pct: 30}
    cnp: {dscp: 48, priority: 6, strict: true}
    control: {dscp: 56, priority: 7, strict: true}
    default: {priority: 0, weight_pct: 10}
"""
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
