"""AS numbers that go from one router to another are refused: a reader of all files sees the routes that would loop."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

from tests.command_line import succeed

from .crossread import graph_links, read_tree
from .half_states import HalfStates, looped_routes
from .phase_trees import plan_phases, states

FABRIC = Path(__file__).resolve().parents[1] / "fabrics/conformance"
LINUX = {"operations": {"sflow": None}, "tiers": {tier: {"platform": "frr"} for tier in ("leaf", "spine", "core")}}
FIRST = 4200000000
BETWEEN_PODS = 9
"""From the number of a leaf or spine in the first pod to that of its like in the second; no neighbor of it has that."""


def render(folder: Path, base: int) -> Path:
    """Render a fabric of two pods, its AS numbers from a base."""
    shutil.copytree(FABRIC, folder / "inventory")
    change = {**LINUX, "routing": {"asn": {"base": base}}}
    (folder / "inventory/overlays/change.yaml").write_text(yaml.safe_dump(change))
    succeed("render", str(folder / "inventory"), "--overlay", "change", "-o", str(folder / "tree"))
    return folder / "tree"


@pytest.mark.nightly
def test_routers_that_would_reject_routes_of_others_are_those_that_are_refused(tmp_path: Path) -> None:
    old, new = (render(tmp_path / name, base) for name, base in (("old", FIRST), ("new", FIRST + BETWEEN_PODS)))
    phases, bag = plan_phases(old, new)
    (refused,) = [item.message for item in bag if item.code == "FG-ROL-060"]
    before = read_tree(old)
    expanded = read_tree(next(states(old, phases, tmp_path)))
    found = list(looped_routes(HalfStates.between(before, expanded, graph_links(before))))
    rejecting = {line.partition(":")[0] for line in found}
    assert f" and {len(rejecting) - 1} more devices: " in refused
    assert refused.partition(" ")[0] in rejecting
