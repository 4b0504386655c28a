"""Changes at two ends: every value of one leaf that each phase changes, as reviewed."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fabricgen.platforms.patching.steps import ABSENT, Change
from tests.acceptance.laboratory import small_inventory
from tests.acceptance.run import INVENTORIES
from tests.command_line import succeed
from tests.golden.conftest import Compare
from tests.judges.test_rollout_phases import plan_phases

LEAF = "leaf-u001-r0"
CHANGES = {"asn": "routing: {asn: {base: 4200001000}}\n"}


def render(folder: Path, overlay: str, more: str) -> Path:
    """Render a small fabric under an overlay, with one more line in its intent."""
    inventory = small_inventory(folder / "inventory", count="2")
    shutil.copytree(INVENTORIES / "quickstart/overlays", inventory / "overlays")
    with (inventory / "fabric.yaml").open("a") as file:
        file.write(more)
    words = ("--overlay", overlay) if overlay else ()
    succeed("render", str(inventory), *words, "-o", str(folder / "tree"))
    return folder / "tree"


def show(value: Any) -> str:
    """One side of a value."""
    return "-" if value is ABSENT else str(value)


def told(change: Change) -> Iterator[str]:
    """Lines about a change: its path, and both sides."""
    yield " > ".join(change.steps)
    yield f"    {show(change.before)}"
    yield f" -> {show(change.after)}"


@pytest.mark.parametrize(("change", "overlay"), [("asn", "nvue"), ("asn", "frr")])
def test_phases_of_a_leaf_are_as_reviewed(change: str, overlay: str, golden: Compare, tmp_path: Path) -> None:
    old, new = render(tmp_path / "old", overlay, ""), render(tmp_path / "new", overlay, CHANGES[change])
    phases, bag = plan_phases(old, new)
    assert not list(bag)
    lines = []
    for device in (step for phase in phases for step in phase if step.device.name == LEAF):
        lines.append(f"== {device.stage.name}")
        for file in device.device.files:
            assert file.situation is not None
            lines += [f"-- {file.path}", *(line for found in file.situation.changes for line in told(found))]
    golden(f"rollout-phases/{change}-{overlay}", {f"{LEAF}.txt": "".join(f"{line}\n" for line in lines)})
