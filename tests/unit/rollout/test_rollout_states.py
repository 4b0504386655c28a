"""Intents between two intents: what both ends of a link agree on changes over states that take both."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from rollout_site import LEAF, QUICKSTART, edit_intent, plan, plan_and_tell, rolled_out

from fabricgen.compiler.compile import compile_inventory
from fabricgen.diagnostics import Bag, Severity
from tests.acceptance.run import render_here

REST = {
    "cnp": {"dscp": 46, "priority": 6, "strict": True},
    "control": {"dscp": [48, 56], "priority": 7, "strict": True},
    "default": {"priority": 0, "weight_pct": 5},
}
ROCE = {"dscp": 26, "priority": 3, "lossless": True, "weight_pct": 95}


def change(inventory: Path, classes: dict[str, Any], **more: Any) -> None:
    section = {"lossless": {"classes": {**classes, **REST}, **more}, "rollout": {"floor": 0.5}}
    edit_intent(inventory, more=yaml.safe_dump(section))


def states(inventory: Path, deployed: Path, out: Path) -> list[dict[str, Any]]:
    """The contract of each intent that a rollout leads over; each is valid by itself."""
    planned, codes = plan(inventory, deployed, out)
    assert codes <= {"FG-ROL-011"}
    found = []
    for name, data in sorted(planned.files.items()):
        if name.startswith("states/"):
            folder = out.parent / name.removesuffix(".yaml")
            folder.mkdir(parents=True)
            (folder / "fabric.yaml").write_bytes(data)
            bag = Bag()
            compile_inventory(folder, (), bag)
            assert [item.message for item in bag if item.severity is Severity.ERROR] == []
            found.append(yaml.safe_load(data))
    return [each["lossless"] for each in found]


def test_nics_mark_a_new_code_point_once_everyone_maps_it(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    change(inventory, {"roce": {**ROCE, "dscp": 30}})
    found = [each["classes"]["roce"] for each in states(inventory, deployed, tmp_path / "bundle")]
    assert [each["dscp"] for each in found] == [[26, 30], [26, 30], 30]
    assert [each.get("mark") for each in found] == [26, 30, None]


def test_another_lossless_class_has_buffers_before_it_is_used(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    change(inventory, {"rdma": {**ROCE, "dscp": 30, "priority": 4}})
    expand, migrate, _ = states(inventory, deployed, tmp_path / "bundle")
    for state, mark in ((expand, "roce"), (migrate, "rdma")):
        classes = state["classes"]
        lossless = {name: (each["priority"], each["dscp"]) for name, each in classes.items() if each.get("lossless")}
        assert lossless == {"roce": (3, [26]), "rdma": (4, [30])}
        assert [name for name, each in classes.items() if "mark" in each and each.get("lossless")] == [mark]
        assert sum(each.get("weight_pct", 0) for each in classes.values()) == 100


@pytest.mark.parametrize(
    ("mode", "modes"), [("pfc_only", ["dcqcn", "pfc_only", "pfc_only"]), ("ecn_only", ["dcqcn", "dcqcn", "ecn_only"])]
)
def test_mode_goes_over_one_that_pauses_and_reacts(
    mode: str, modes: list[str], inventory: Path, deployed: Path, tmp_path: Path
) -> None:
    change(inventory, {"roce": ROCE}, mode=mode, reason="a trial")
    assert [each["mode"] for each in states(inventory, deployed, tmp_path / "bundle")] == modes


def test_weights_need_no_state_between(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    change(inventory, {"roce": {**ROCE, "weight_pct": 80}, "bulk": {"dscp": 10, "priority": 1, "weight_pct": 15}})
    assert states(inventory, deployed, tmp_path / "bundle") == []


def test_contract_of_files_is_only_changed_from_a_named_intent(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    change(inventory, {"roce": {**ROCE, "dscp": 30}})
    planned, told = plan_and_tell(inventory, deployed, tmp_path / "bundle", base="")
    assert planned is None
    message = next(item for item in told if item.code == "FG-ROL-064")
    assert LEAF in message.message
    assert "--from" in message.hint


def test_contract_that_drifted_is_repaired_with_a_warning(inventory: Path, deployed: Path, tmp_path: Path) -> None:
    change(inventory, {"roce": {**ROCE, "dscp": 30}})
    planned = rolled_out(inventory, deployed, tmp_path / "bundle", "FG-ROL-065", base=str(inventory))
    assert [name for name in planned.files if name.startswith("states/")] == []


def test_tree_keeps_the_contract_it_was_rendered_from(inventory: Path, tmp_path: Path) -> None:
    assert render_here(QUICKSTART, tmp_path / "tree") == []
    change(inventory, {"roce": {**ROCE, "dscp": 30}})
    planned = rolled_out(inventory, tmp_path / "tree", tmp_path / "bundle", base="")
    assert [phase.title.partition(":")[0] for phase in planned.rollout.phases] == [
        "expand (switches)",
        "expand (hosts)",
        "migrate (hosts)",
        "contract (hosts)",
        "contract (switches)",
    ]


def test_intent_between_that_no_buffer_holds_is_refused(tmp_path: Path) -> None:
    """A chip with headroom for one lossless priority cannot take two, not even in between."""
    sides = []
    for name, point, priority in (("old", 26, 3), ("new", 30, 4)):
        folder = Path(shutil.copytree(QUICKSTART, tmp_path / name))
        change(folder, {"roce": {**ROCE, "dscp": point, "priority": priority}})
        sides.append(folder)
    planned, codes = plan(sides[1], sides[0], tmp_path / "bundle", base="", overlays=("fboss",))
    assert (planned, "FG-ROL-063" in codes) == (None, True)
